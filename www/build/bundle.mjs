// Bundles the TypeScript modules and the style sheet into one folder, named by their content.

import { basename, resolve } from "node:path";
import * as esbuild from "esbuild";

/** The folder that holds package.json. */
export const www = resolve(import.meta.dirname, "..");

/**
 * Bundles everything that is not WebAssembly and returns the file names by part.
 *
 * @param {{ out: string, minify: boolean, worker: { js: string, wasm: string } }} options
 *   `worker` names the worker's files, relative to the page.
 * @returns {Promise<Record<"boot" | "worker" | "editor" | "charts" | "css", string>>}
 */
export async function bundle({ out, minify, worker }) {
  /** @type {Record<string, string>} */
  const entries = {
    boot: "src/boot.ts",
    worker: "src/worker.ts",
    editor: "src/editor.ts",
    charts: "src/charts.ts",
    css: "styles/main.css",
  };
  const result = await esbuild.build({
    absWorkingDir: www,
    entryPoints: Object.entries(entries).map(([part, file]) => ({ in: file, out: part })),
    entryNames: "[name]-[hash]",
    outdir: out,
    bundle: true,
    format: "esm",
    target: ["es2022", "chrome111", "firefox114", "safari16.4"],
    minify,
    sourcemap: minify ? false : "linked",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    define: {
      WORKER_JS: JSON.stringify(`./${worker.js}`),
      WORKER_WASM: JSON.stringify(`./${worker.wasm}`),
    },
  });
  const parts = /** @type {Record<"boot" | "worker" | "editor" | "charts" | "css", string>} */ ({});
  for (const [path, output] of Object.entries(result.metafile.outputs)) {
    const part = Object.entries(entries).find(([, file]) => file === output.entryPoint)?.[0];
    if (part) parts[/** @type {keyof typeof parts} */ (part)] = basename(path);
  }
  return parts;
}
