// In Node.js: ready as soon as it is imported.
import { readFileSync } from "node:fs";
import { initSync } from "./simulator.js";

export { compare, decodeLink, encodeLink, parseStrace, run } from "./simulator.js";

initSync({ module: readFileSync(new URL("./simulator.wasm", import.meta.url)) });
export const ready = Promise.resolve();
