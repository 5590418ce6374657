// The npm package: `node build/package.mjs SITE OUT`. It is the simulator of a built site, the very
// code that its pages run, with its types and an entry that works in browsers, workers and Node.js.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { www } from "./bundle.mjs";

const [site = join(www, "..", "dist"), out = join(www, "..", "target", "npm")] = process.argv
  .slice(2)
  .map((path) => resolve(path));
const crate = resolve(www, "../crates/wasm");

/** @param {RegExp} pattern */
const find = (pattern) => {
  const file = readdirSync(site).find((name) => pattern.test(name));
  if (!file) throw new Error(`no ${pattern} in ${site}: run \`cargo xtask build\``);
  return join(site, file);
};

mkdirSync(out, { recursive: true });
copyFileSync(find(/^sealab-worker-.*\.js$/), join(out, "simulator.js"));
copyFileSync(find(/^sealab-worker_bg-.*\.wasm$/), join(out, "simulator.wasm"));
copyFileSync(join(crate, "npm/README.md"), join(out, "README.md"));
copyFileSync(join(crate, "npm/index.js"), join(out, "index.js"));
copyFileSync(join(crate, "npm/node.js"), join(out, "node.js"));
const types = readFileSync(join(crate, "src/api.d.ts"), "utf8");
const functions = readFileSync(join(crate, "npm/functions.d.ts"), "utf8");
writeFileSync(join(out, "index.d.ts"), `${types}\n${functions}`);
const version = /version = "([^"]+)"/.exec(
  readFileSync(resolve(www, "../Cargo.toml"), "utf8"),
)?.[1];
const manifest = {
  name: "sealab",
  version,
  description: "Linux memory mappings, sealing and contiguous PTEs, simulated and compared",
  license: "MIT OR Apache-2.0",
  type: "module",
  types: "./index.d.ts",
  exports: {
    ".": { types: "./index.d.ts", node: "./node.js", default: "./index.js" },
    "./simulator.wasm": "./simulator.wasm",
  },
  files: ["*.js", "*.d.ts", "*.wasm"],
  sideEffects: true,
};
writeFileSync(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
console.log(`package in ${out}; \`npm pack ${out}\` makes the file to publish`);
