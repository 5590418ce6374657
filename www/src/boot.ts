// The page's first script: starts the worker and the program side by side, and lends the program
// what only JavaScript can do. A file of its own because the page's policy allows no inline script.

import type * as charts from "./charts";
import type * as editor from "./editor";
import type * as files from "./files";
import { again, type Prepared, PreparedWorker } from "./prepared";

/** What the program finds as `globalThis.sealab`. */
export interface Sealab {
  /**
   * A worker that runs the simulator. The first call returns the one that was started with the page;
   * each later call starts another. Throws where workers are not allowed (an opaque origin).
   */
  spawnWorker(): Worker;
  /**
   * Loads the simulator into this page, for where workers are not allowed. Answers go to `hear`.
   */
  loadSimulator(hear: (answer: unknown) => void): Promise<Simulator>;
  /** Loads the editor module; later calls return the same one. */
  loadEditor(): Promise<typeof editor>;
  /** Loads the chart module; later calls return the same one. */
  loadCharts(): Promise<typeof charts>;
  /** Loads what saves and opens files; later calls return the same one. */
  loadFiles(): Promise<typeof files>;
  /** The text of the static page, as the reader may have changed it before the program started. */
  shellText(): string;
  /** Called by the program once it shows its own page. */
  started(): void;
}

/** The simulator without a worker around it: answers before `handle` returns. */
export interface Simulator {
  handle(message: unknown): void;
}

declare global {
  var sealab: Sealab;
}

type Part =
  | "js"
  | "wasm"
  | "worker"
  | "workerJs"
  | "workerWasm"
  | "prepared"
  | "editor"
  | "charts"
  | "files"
  | "offlineJs";

const script = document.querySelector<HTMLScriptElement>("script[data-sealab]");
const root = document.documentElement;

/** Addresses are relative to the page, so that it works from any folder of any host. */
function address(part: Part): string {
  const file = script?.dataset[part];
  if (!file) throw new Error(`the page names no file for "${part}"`);
  return new URL(file, document.baseURI).href;
}

/** How long an untouched page rests before it fetches the simulator, in milliseconds. */
const REST_MS = 400;

/** A worker and what it said before anyone listened. */
interface Early {
  worker: PreparedWorker;
  events: Event[];
  listener: (event: Event) => void;
}

/** Whether the page will ask for something that nobody could prepare. */
function isTouched(): boolean {
  if (location.hash.length > 1) return true;
  try {
    return localStorage.length > 0;
  } catch {
    return false;
  }
}

async function loadPrepared(): Promise<Prepared> {
  const answer = await fetch(address("prepared"));
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.json();
}

function startEarly(): Early | undefined {
  try {
    const behind = newWorker();
    const touched = isTouched();
    const worker = new PreparedWorker(behind, touched ? Promise.resolve({}) : loadPrepared());
    if (touched) behind.postMessage("load");
    const events: Event[] = [];
    const listener = (event: Event) => events.push(event);
    worker.addEventListener("message", listener);
    worker.addEventListener("error", listener);
    return { worker, events, listener };
  } catch {
    // Not allowed here: the program asks again and gets the error itself.
    return undefined;
  }
}

const newWorker = () => new Worker(address("worker"), { type: "module", name: "sealab" });

let early = startEarly();
const first = early?.worker;

globalThis.sealab = {
  spawnWorker() {
    if (!early) return newWorker();
    const { worker, events, listener } = early;
    early = undefined;
    worker.removeEventListener("message", listener);
    worker.removeEventListener("error", listener);
    // After the caller has attached its handlers.
    setTimeout(() => {
      for (const event of events) worker.dispatchEvent(again(event));
    });
    // As much of one as the program uses.
    return worker as unknown as Worker;
  },
  async loadSimulator(hear) {
    const program = await import(address("workerJs"));
    await program.default({ module_or_path: address("workerWasm") });
    return new program.Simulator(hear);
  },
  loadEditor: () => import(address("editor")),
  loadCharts: () => import(address("charts")),
  loadFiles: () => import(address("files")),
  shellText: () => document.querySelector<HTMLTextAreaElement>("#shell-text")?.value ?? "",
  started() {
    root.dataset.state = "running";
    performance.mark("sealab:started");
    setTimeout(() => first?.warm(), REST_MS);
    const worker = script?.dataset.offline;
    // Only a published site names one. Without it the page is just online.
    if (worker) {
      import(address("offlineJs")).then((part) => part.startOffline(worker)).catch(() => {});
    }
  },
};

/** Says in the static page that the program did not start; the text stays where it is. */
function failed(error: unknown): void {
  root.dataset.state = "failed";
  const status = document.querySelector("#shell-status");
  if (!status) return;
  const reason = error instanceof Error ? error.message : String(error);
  status.textContent =
    typeof WebAssembly === "object"
      ? `The playground could not start: ${reason}. Reload the page to try again; the text can be copied meanwhile.`
      : "This browser has no WebAssembly, which the simulator is compiled to. The text can be copied and run with the command line.";
}

async function start(): Promise<void> {
  root.dataset.state = "starting";
  const program = await import(address("js"));
  await program.default({ module_or_path: address("wasm") });
}

start().catch(failed);
