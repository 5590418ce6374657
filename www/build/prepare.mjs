// Asks the built simulator what an untouched page asks first (see src/prepared.ts).

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parse } from "parse5";
import { key } from "../src/prepared-key.mjs";

/** Version of the messages: crates/protocol. */
const VERSION = 1;
/** Steps of a run whose pictures are prepared: enough for any example the page may begin with. */
const STEPS = 24;

/**
 * @param {{ page: string, js: string, wasm: string }} built
 *   `page` is the text of index.html, `js` and `wasm` the worker's files
 * @returns {Promise<Record<string, unknown>>}
 */
export async function prepare({ page, js, wasm }) {
  const program = await import(pathToFileURL(js).href);
  program.initSync({ module: readFileSync(wasm) });
  /** @type {any} */
  let heard;
  const simulator = new program.Simulator((/** @type {unknown} */ message) => {
    heard = message;
  });
  /** @type {Record<string, unknown>} */
  const prepared = {};
  let id = 0;
  /** @type {number | undefined} */
  let run;
  /** @param {string} kind @param {any} body */
  const ask = (kind, body) => {
    id += 1;
    if (kind === "run") run = id;
    simulator.handle({ v: VERSION, id, kind, body });
    if (heard?.id !== id || heard.kind !== "done") {
      throw new Error(`the simulator did not answer ${kind}: ${JSON.stringify(heard)}`);
    }
    prepared[key(kind, body, run)] = heard.body;
    return heard.body;
  };
  const catalogue = ask("catalogue", null);
  const text = textOf(page);
  const overview = ask("run", { text, variants: catalogue.default_variants });
  const steps = Math.min(overview.lines.length, STEPS);
  for (let step = 0; step <= steps; step += 1) {
    ask("space", { run, step });
    if (step > 0) ask("rows", { run, first: step - 1, count: 1, differing: false });
  }
  return prepared;
}

/**
 * What the static page's text field holds.
 * @param {string} page
 */
function textOf(page) {
  /** @type {any[]} */
  const nodes = [parse(page)];
  for (const node of nodes) {
    if (node.tagName === "textarea") {
      return node.childNodes.map((/** @type {any} */ child) => child.value ?? "").join("");
    }
    nodes.push(...(node.childNodes ?? []));
  }
  throw new Error("index.html has no text field");
}
