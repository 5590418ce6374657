import assert from "node:assert/strict";
import { test } from "node:test";
import { externaliseDocs, policy } from "./docs-page.mjs";

test("inline scripts become files and the policy comes first", () => {
  /** @type {string[]} */
  const written = [];
  const out = externaliseDocs(
    '<!doctype html><html><head><meta charset="utf-8"><script>let a = 1 < 2;</script></head><body><script src="x.js"></script></body></html>',
    (code) => {
      written.push(code);
      return "inline-1.js";
    },
  );
  assert.deepEqual(written, ["let a = 1 < 2;"]);
  assert.match(out, /<meta charset="utf-8"><meta http-equiv="Content-Security-Policy"/);
  assert.ok(out.includes(policy));
  assert.match(out, /<script src="inline-1\.js"><\/script>/);
  assert.match(out, /<script src="x\.js"><\/script>/);
});

test("what the policy would refuse stops the build", () => {
  const page = (/** @type {string} */ body) => `<!doctype html><head></head><body>${body}</body>`;
  assert.throws(() => externaliseDocs(page("<style>a{}</style>"), () => ""), /refuses <style>/);
  assert.throws(() => externaliseDocs(page("<p onclick=x>"), () => ""), /refuses <p>/);
});
