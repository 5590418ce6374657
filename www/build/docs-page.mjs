// A page of the book, made to fit a strict policy.

import { html, parse, serialize, defaultTreeAdapter as tree } from "parse5";

/** The book's policy: as the playground's, and it frames embeds and has fonts of its own. */
export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Drawn pictures carry their colours on their elements.
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

/**
 * Puts inline scripts into files and the policy into the head.
 *
 * @param {string} source
 * @param {(code: string) => string} externalise writes a script, returns its address
 */
export function externaliseDocs(source, externalise) {
  const document = parse(source);
  /** @type {import("parse5").DefaultTreeAdapterTypes.Element | undefined} */
  let head;
  /** @type {any[]} */
  const nodes = [document];
  for (const node of nodes) {
    if (node.tagName === "head") head = node;
    const attributes = node.attrs ?? [];
    if (node.tagName === "script" && !attributes.some(isSource)) {
      const code = node.childNodes.map((/** @type {any} */ part) => part.value).join("");
      node.attrs.push({ name: "src", value: externalise(code) });
      node.childNodes = [];
    }
    const id = attributes.find(isId)?.value;
    // mdBook's bar stands outside every landmark, and its switch is a label with a button's states
    // (docs/toggle.js makes the button work).
    if (id === "mdbook-menu-bar") node.attrs.push({ name: "role", value: "banner" });
    if (id === "mdbook-sidebar-toggle") {
      node.tagName = node.nodeName = "button";
      node.attrs = attributes.filter((/** @type {any} */ { name }) => name !== "for");
      node.attrs.push({ name: "type", value: "button" });
    }
    if (node.tagName === "style" || attributes.some(isHandler)) {
      throw new Error(`the book's policy refuses <${node.tagName}> as it is`);
    }
    nodes.push(...(node.childNodes ?? []), ...(node.content?.childNodes ?? []));
  }
  if (!head) throw new Error("the page has no head");
  const meta = tree.createElement("meta", html.NS.HTML, [
    { name: "http-equiv", value: "Content-Security-Policy" },
    { name: "content", value: policy },
  ]);
  const charset = head.childNodes.findIndex(
    (node) => "attrs" in node && node.attrs.some(({ name }) => name === "charset"),
  );
  head.childNodes.splice(charset + 1, 0, meta);
  meta.parentNode = head;
  return serialize(document);
}

/** @param {{ name: string }} attribute */
const isId = ({ name }) => name === "id";
/** @param {{ name: string }} attribute */
const isSource = ({ name }) => name === "src";
/** @param {{ name: string }} attribute */
const isHandler = ({ name }) => name.startsWith("on");
