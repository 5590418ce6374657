import assert from "node:assert/strict";
import { test } from "node:test";
import { finishPage, policy } from "./page.mjs";

const assets = {
  boot: "boot-1.js",
  worker: "worker-2.js",
  workerJs: "program-2.js",
  workerWasm: "program-2.wasm",
  prepared: "prepared.json",
  editor: "editor-3.js",
  charts: "charts-4.js",
  css: "css-5.css",
  files: "files-10.js",
  offline: "offline-9.js",
  embed: "embed-7.js",
  embedCss: "embedCss-8.css",
  integrity: (/** @type {string} */ file) => `sha384-of-${file}`,
};

const BOOT =
  '<script type="module" data-sealab data-js="./app.js" data-wasm="./app.wasm"></script>';

/** @param {string} head @param {string} [body] */
const page = (head, body = "") =>
  `<!doctype html><html><head><meta charset="utf-8">${head}</head><body>${body}</body></html>`;

/** @param {string} source */
const finish = (source) => finishPage(source, assets, () => "inline-6.js");

test("the boot script gets its addresses and integrity", () => {
  const out = finish(page('<link rel="stylesheet" href="styles/main.css">', BOOT));
  assert.match(out, /<script [^>]*src="\.\/boot-1\.js" integrity="sha384-of-boot-1\.js"/);
  assert.match(out, /data-js="\.\/app\.js"/);
  assert.match(
    out,
    /data-worker="\.\/worker-2\.js" data-worker-js="\.\/program-2\.js" data-worker-wasm="\.\/program-2\.wasm" data-prepared="\.\/prepared\.json" data-editor="\.\/editor-3\.js"/,
  );
  assert.match(
    out,
    /<link rel="stylesheet" href="\.\/css-5\.css" integrity="sha384-of-css-5\.css">/,
  );
});

test("the embed's script needs no CORS headers", () => {
  const out = finish(
    page(
      '<link rel="stylesheet" href="styles/embed.css"><script defer data-sealab-embed></script>',
    ),
  );
  assert.match(out, /<script defer="" data-sealab-embed="" src="\.\/embed-7\.js" data-worker=/);
  assert.match(out, /href="\.\/embedCss-8\.css"/);
  assert.doesNotMatch(out, /integrity|type="module"/);
});

test("the policy comes right after the charset", () => {
  const out = finish(page("<title>t</title>"));
  assert.match(out, /<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="/);
  assert.ok(out.includes(policy));
  const script = policy.split("; ").find((clause) => clause.startsWith("script-src"));
  assert.equal(script, "script-src 'self' 'wasm-unsafe-eval'");
});

test("what is for browsers without scripts stays markup", () => {
  const out = finish(page("", "<noscript><p>No <code>scripts</code></p></noscript>"));
  assert.match(out, /<noscript><p>No <code>scripts<\/code><\/p><\/noscript>/);
});

test("preloads carry integrity only where browsers check it", () => {
  const out = finish(
    page(
      '<link rel="modulepreload" href="./app.js" integrity="sha384-old">' +
        '<link rel="preload" as="fetch" href="./app.wasm" integrity="sha384-old">',
    ),
  );
  assert.match(out, /href="\.\/app\.js" integrity="sha384-of-\.\/app\.js"/);
  assert.match(out, /<link rel="preload" as="fetch" href="\.\/app\.wasm">/);
});

test("an inline script becomes a file", () => {
  /** @type {string[]} */
  const written = [];
  const out = finishPage(page("", "<script>let a = 1 < 2;</script>"), assets, (code) => {
    written.push(code);
    return "inline-6.js";
  });
  assert.deepEqual(written, ["let a = 1 < 2;"]);
  assert.match(out, /<script src="\.\/inline-6\.js"><\/script>/);
});

test("what the policy would refuse stops the build", () => {
  assert.throws(() => finish(page("<style>a{}</style>")), /inline <style>/);
  assert.throws(() => finish(page("<base href='/'>")), /inline <base>/);
  assert.throws(() => finish(page("", "<p onclick='x()'>p</p>")), /handler in <p onclick/);
  assert.throws(() => finish(page("", "<a href=' javascript:x()'>a</a>")), /handler in <a href/);
  assert.throws(() => finish(page("", "<img src='//cdn.example/a.png'>")), /from elsewhere/);
  assert.throws(() => finish(page("<link href='https://cdn.example/a.css'>")), /from elsewhere/);
  // A link that a reader may follow is no fetch.
  finish(page("", "<a href='https://example.org/'>a</a>"));
});
