// Bundles the TypeScript modules and the style sheet into one folder, named by their content.

import { basename, resolve } from "node:path";
import * as esbuild from "esbuild";

/** The folder that holds package.json. */
export const www = resolve(import.meta.dirname, "..");

/**
 * @typedef {"boot" | "worker" | "editor" | "charts" | "files" | "offline" | "embed" | "css" | "embedCss"} Part
 */

/**
 * Bundles everything that is not WebAssembly and returns the file names by part.
 *
 * @param {{ out: string, minify: boolean, worker: { js: string, wasm: string } }} options
 *   `worker` names the worker's files, relative to the page.
 * @returns {Promise<Record<Part, string>>}
 */
export async function bundle({ out, minify, worker }) {
  /** @type {Record<string, string>} */
  const entries = {
    boot: "src/boot.ts",
    worker: "src/worker.ts",
    editor: "src/editor.ts",
    charts: "src/charts.ts",
    files: "src/files.ts",
    offline: "src/offline.ts",
    css: "styles/main.css",
    embedCss: "styles/embed.css",
  };
  // Classic scripts: modules would need CORS headers wherever they are loaded from elsewhere or from
  // a sandbox. The element's path is its version and stays for ever.
  await esbuild.build({
    ...common(minify),
    entryPoints: [{ in: "src/embed-element.ts", out: "embed/v1" }],
    outdir: out,
    format: "iife",
  });
  const embed = await esbuild.build({
    ...common(minify),
    entryPoints: [{ in: "src/embed.ts", out: "embed" }],
    entryNames: "[name]-[hash]",
    outdir: out,
    format: "iife",
    metafile: true,
  });
  const result = await esbuild.build({
    ...common(minify),
    entryPoints: Object.entries(entries).map(([part, file]) => ({ in: file, out: part })),
    entryNames: "[name]-[hash]",
    outdir: out,
    format: "esm",
    metafile: true,
    define: {
      WORKER_JS: JSON.stringify(`./${worker.js}`),
      WORKER_WASM: JSON.stringify(`./${worker.wasm}`),
    },
  });
  const parts = /** @type {Record<Part, string>} */ ({});
  const all = { ...entries, embed: "src/embed.ts" };
  for (const outputs of [result.metafile.outputs, embed.metafile.outputs]) {
    for (const [path, output] of Object.entries(outputs)) {
      const part = Object.entries(all).find(([, file]) => file === output.entryPoint)?.[0];
      if (part) parts[/** @type {Part} */ (part)] = basename(path);
    }
  }
  return parts;
}

/**
 * Bundles the service worker: at the top of the site and always under the same name, so that a
 * browser finds the next version there.
 *
 * @param {{ out: string, version: string, files: string[] }} options
 */
export async function bundleWorker({ out, version, files }) {
  await esbuild.build({
    ...common(true),
    entryPoints: [{ in: "src/sw.ts", out: "sw" }],
    outdir: out,
    format: "iife",
    define: { VERSION: JSON.stringify(version), FILES: JSON.stringify(files) },
  });
}

/**
 * @param {boolean} minify
 * @returns {esbuild.BuildOptions}
 */
function common(minify) {
  return {
    absWorkingDir: www,
    bundle: true,
    target: ["es2022", "chrome111", "firefox114", "safari16.4"],
    minify,
    sourcemap: minify ? false : "linked",
    legalComments: "none",
    logLevel: "warning",
  };
}
