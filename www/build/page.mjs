// Turns a page that Trunk wrote into one that a strict Content Security Policy can guard.

import { html, parse, serialize, defaultTreeAdapter as tree } from "parse5";

/** @typedef {import("parse5").DefaultTreeAdapterTypes.Element} Element */
/** @typedef {import("parse5").DefaultTreeAdapterTypes.Node} Node */

/**
 * The policy, clause by clause. It is written into the page itself, because a static host may not
 * let one set headers.
 */
export const policy = [
  // What no clause below allows is refused.
  "default-src 'none'",
  // Our own files and compiled WebAssembly: no inline script, no eval.
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  // Style sheets are files; widths and custom properties of single elements may be attributes.
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  // Pictures are drawn here: exports pass through data and blob addresses.
  "img-src 'self' data: blob:",
  // The WebAssembly itself, and the reload socket of `cargo xtask serve`.
  "connect-src 'self'",
  "manifest-src 'self'",
  // No <base> may redirect our relative addresses, no form may send anything anywhere.
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Attributes that hold an address which the browser fetches or runs. */
const ADDRESSES = new Set(["src", "srcset", "data", "poster"]);

/**
 * @typedef {object} Assets
 * @property {string} boot   the boot script's file
 * @property {string} worker the worker's boot script
 * @property {string} workerJs the program that it loads, also for use without a worker
 * @property {string} workerWasm that program's code
 * @property {string} prepared the answers to what an untouched page asks first
 * @property {string} editor the editor module
 * @property {string} charts the charts module
 * @property {string} files what saves and opens files
 * @property {string} offline what starts the service worker of a published site
 * @property {string} css    the style sheet
 * @property {string} embed  the embed's script
 * @property {string} embedCss the embed's style sheet
 * @property {(file: string) => string} integrity the Subresource Integrity value of a file
 */

/**
 * Rewrites `source`: the boot script gets its addresses, inline scripts become files, and the policy
 * is put in. Throws when anything is left that the policy would refuse.
 *
 * @param {string} source
 * @param {Assets} assets
 * @param {(code: string) => string} externalise writes an inline script to a file, returns its name
 */
export function finishPage(source, assets, externalise) {
  // As a browser without scripts reads it: what is in <noscript> is part of the page too.
  const document = parse(source, { scriptingEnabled: false });
  const elements = [...walk(document)];
  const head = elements.find((element) => element.tagName === "head");
  if (!head) throw new Error("the page has no head");

  for (const element of elements) {
    if (element.tagName === "script") finishScript(element, assets, externalise);
    if (attribute(element, "rel") === "preload" && attribute(element, "as") === "fetch") {
      // Browsers do not check preloaded data, and warn that they do not.
      element.attrs = element.attrs.filter(({ name }) => name !== "integrity");
    }
    if (attribute(element, "rel") === "modulepreload") {
      setAttribute(element, "integrity", assets.integrity(attribute(element, "href") ?? ""));
    }
    if (attribute(element, "href") === "styles/main.css") {
      setAttribute(element, "href", `./${assets.css}`);
      setAttribute(element, "integrity", assets.integrity(assets.css));
    }
    if (attribute(element, "href") === "styles/embed.css") {
      setAttribute(element, "href", `./${assets.embedCss}`);
    }
  }
  insertPolicy(head);
  for (const element of walk(document)) check(element);
  return serialize(document, { scriptingEnabled: false });
}

/**
 * @param {Element} script
 * @param {Assets} assets
 * @param {(code: string) => string} externalise
 */
function finishScript(script, assets, externalise) {
  if (attribute(script, "data-sealab") !== undefined) {
    setAttribute(script, "src", `./${assets.boot}`);
    setAttribute(script, "integrity", assets.integrity(assets.boot));
    const { worker, workerJs, workerWasm, prepared, editor, charts, files, offline } = assets;
    const parts = {
      worker,
      "worker-js": workerJs,
      "worker-wasm": workerWasm,
      prepared,
      editor,
      charts,
      files,
      "offline-js": offline,
    };
    for (const [part, file] of Object.entries(parts)) {
      setAttribute(script, `data-${part}`, `./${file}`);
    }
  } else if (attribute(script, "data-sealab-embed") !== undefined) {
    // Without integrity: in a sandbox a checked file would need CORS headers, and not load at all.
    setAttribute(script, "src", `./${assets.embed}`);
    const { worker, workerJs, workerWasm } = assets;
    const parts = { worker, "worker-js": workerJs, "worker-wasm": workerWasm };
    for (const [part, file] of Object.entries(parts)) {
      setAttribute(script, `data-${part}`, `./${file}`);
    }
  } else if (attribute(script, "src") === undefined) {
    const code = script.childNodes.map((node) => ("value" in node ? node.value : "")).join("");
    setAttribute(script, "src", `./${externalise(code)}`);
    script.childNodes = [];
  }
}

/** @param {Element} head */
function insertPolicy(head) {
  const meta = tree.createElement("meta", html.NS.HTML, [
    { name: "http-equiv", value: "Content-Security-Policy" },
    { name: "content", value: policy },
  ]);
  // The charset must come within the first 1024 bytes, so it stays first; nothing else is fetched
  // before the policy.
  const charset = head.childNodes.findIndex(
    (node) => "attrs" in node && attribute(node, "charset") !== undefined,
  );
  head.childNodes.splice(charset + 1, 0, meta);
  meta.parentNode = head;
}

/** @param {Element} element */
function check(element) {
  const name = element.tagName;
  const inline = name === "script" && attribute(element, "src") === undefined;
  if (inline || name === "style" || name === "base") {
    throw new Error(`the policy refuses an inline <${name}>: put it into a file`);
  }
  for (const { name: key, value } of element.attrs) {
    const fetched = ADDRESSES.has(key) || (name === "link" && key === "href");
    if (key.startsWith("on") || /^\s*javascript:/i.test(value)) {
      throw new Error(`the policy refuses the handler in <${name} ${key}="${value}">`);
    }
    if (fetched && /^\s*([a-z][a-z0-9+.-]*:|\/\/)/i.test(value) && !/^\s*data:/i.test(value)) {
      throw new Error(`<${name} ${key}="${value}"> is fetched from elsewhere`);
    }
  }
}

/**
 * @param {Node} node
 * @returns {Generator<Element>}
 */
function* walk(node) {
  if ("tagName" in node) yield node;
  if ("childNodes" in node) for (const child of node.childNodes) yield* walk(child);
}

/**
 * @param {Element} element
 * @param {string} name
 */
function attribute(element, name) {
  return element.attrs.find((entry) => entry.name === name)?.value;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
function setAttribute(element, name, value) {
  const entry = element.attrs.find((candidate) => candidate.name === name);
  if (entry) entry.value = value;
  else element.attrs.push({ name, value });
}
