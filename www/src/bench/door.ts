// The way to the second worker: started with the first question, ended to cancel.

import type { BenchAnswer, Catalogue, PowerAnswer, Series, StatsReport } from "./types";

export interface Progress {
  done: number;
  total: number;
}

interface Waiting {
  resolve(body: string): void;
  reject(error: Error): void;
  progress?: ((now: Progress) => void) | undefined;
}

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, Waiting>();

function running(): Worker {
  if (worker) return worker;
  const started = globalThis.sealab.spawnBenchWorker();
  started.onmessage = (event: MessageEvent<{ id: number; kind: string; body: string }>) => {
    const { id, kind, body } = event.data;
    const one = waiting.get(id);
    if (!one) return;
    if (kind === "progress") {
      one.progress?.(JSON.parse(body) as Progress);
      return;
    }
    waiting.delete(id);
    if (kind === "done") one.resolve(body);
    else one.reject(new Error(body));
  };
  started.onerror = (event) => {
    event.preventDefault();
    end(new Error(`the benchmarks' program stopped: ${event.message || "it could not be loaded"}`));
  };
  worker = started;
  return started;
}

function end(error: Error): void {
  worker?.terminate();
  worker = undefined;
  const all = [...waiting.values()];
  waiting.clear();
  for (const one of all) one.reject(error);
}

function ask(kind: string, body: string, progress?: (now: Progress) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    last += 1;
    waiting.set(last, { resolve, reject, progress });
    running().postMessage({ id: last, kind, body });
  });
}

/** Stops what is being answered; the next question starts another worker. */
export const cancel = () => end(new Error("cancelled"));

export const catalogue = async () => JSON.parse(await ask("catalogue", "")) as Catalogue;

export const bench = async (request: object, progress: (now: Progress) => void) =>
  JSON.parse(await ask("bench", JSON.stringify(request), progress)) as BenchAnswer;

/** Statistics of a text as a tool printed it. */
export const statsOf = async (text: string) => JSON.parse(await ask("stats", text)) as StatsReport;

/** Statistics of samples. */
export const statsOfSeries = async (series: readonly Series[]) =>
  JSON.parse(await ask("series", JSON.stringify(series))) as StatsReport;

export const power = async (request: object) =>
  JSON.parse(await ask("power", JSON.stringify(request))) as PowerAnswer;
