// The last step of every Trunk build (see Trunk.toml): bundles the JavaScript side into the staged
// page, names every file by its content, and makes the page fit a strict policy.

import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { bundle, www } from "./bundle.mjs";
import { finishPage } from "./page.mjs";
import { prepare } from "./prepare.mjs";

const WORKER = "sealab-worker";

const stage = process.env.TRUNK_STAGING_DIR ?? "";
if (stage === "") {
  console.error("finish.mjs is run by Trunk; build the page with `cargo xtask build`");
  process.exit(2);
}
const minify = process.env.TRUNK_PROFILE === "release";

/** @param {string} file */
const read = (file) => readFileSync(join(stage, file));

/** @param {string | Buffer} content */
const digest = (content) => createHash("sha256").update(content).digest("hex").slice(0, 16);

/** @param {string} file */
const integrity = (file) => `sha384-${createHash("sha384").update(read(file)).digest("base64")}`;

/**
 * Gives a file that must be cached for ever a name that changes with its content.
 * @param {string} file
 */
function rename(file) {
  const hashed = file.replace(/(\.[^.]+)$/, `-${digest(read(file))}$1`);
  renameSync(join(stage, file), join(stage, hashed));
  return hashed;
}

/**
 * Trunk's reload client is the only inline script, and only when serving. Its address is filled in
 * by the server in HTML alone, so that in a file it must come from the page's own address.
 * @param {string} code
 */
function externalise(code) {
  const text = code
    .replaceAll("'{{__TRUNK_ADDRESS__}}'", "window.location.host")
    .replaceAll("'{{__TRUNK_WS_BASE__}}'", "'/'");
  const file = `inline-${digest(text)}.js`;
  writeFileSync(join(stage, file), text);
  return file;
}

/**
 * Shrinks a module that wasm-bindgen wrote.
 * @param {string} file
 */
async function shrink(file) {
  const { code } = await transform(read(file).toString(), { minify: true, target: "es2022" });
  writeFileSync(join(stage, file), code);
}

const programs = readdirSync(stage, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".js"),
);
if (minify) await Promise.all(programs.map(shrink));

// Before the page is finished, for its text is asked about.
const prepared = `prepared.json`;
const answers = await prepare({
  page: read("index.html").toString(),
  js: join(stage, `${WORKER}.js`),
  wasm: join(stage, `${WORKER}_bg.wasm`),
});
writeFileSync(join(stage, prepared), JSON.stringify(answers));

cpSync(join(www, "static"), stage, { recursive: true });
const worker = { js: rename(`${WORKER}.js`), wasm: rename(`${WORKER}_bg.wasm`) };
const parts = await bundle({ out: stage, minify, worker });
const assets = {
  ...parts,
  prepared: rename(prepared),
  workerJs: worker.js,
  workerWasm: worker.wasm,
  integrity,
};

for (const page of ["index.html", "embed.html", "verified.html"]) {
  if (!existsSync(join(stage, page))) continue;
  writeFileSync(join(stage, page), finishPage(read(page).toString(), assets, externalise));
}

const app = readdirSync(stage).filter((file) => /^sealab-web.*\.(js|wasm)$/.test(file));
const manifest = {
  first: ["index.html", parts.css, parts.boot, ...app, assets.prepared, parts.worker],
  simulator: [worker.js, worker.wasm],
  editor: [parts.editor],
  charts: [parts.charts],
  offline: [parts.offline],
  files: [parts.files],
  embedElement: ["embed/v1.js"],
  embed: ["embed.html", parts.embed, parts.embedCss, parts.worker, worker.js, worker.wasm],
};
writeFileSync(join(stage, "assets.json"), `${JSON.stringify(manifest, null, 2)}\n`);
