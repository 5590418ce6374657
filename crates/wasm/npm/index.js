// In a browser or a worker: the code is fetched from beside this file.
import init from "./simulator.js";

export { compare, decodeLink, encodeLink, parseStrace, run } from "./simulator.js";

/** Resolved once the functions can be called. */
export const ready = init({ module_or_path: new URL("./simulator.wasm", import.meta.url) }).then(
  () => {},
);
