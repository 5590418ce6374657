// The package's promises, in Node.js: `node build/package.check.mjs PACKAGE`. The README's example
// is run as it stands.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { www } from "./bundle.mjs";

const folder = mkdtempSync(join(tmpdir(), "sealab-package-"));
mkdirSync(join(folder, "node_modules"));
const packed = resolve(process.env.SEALAB_PACKAGE ?? join(www, "../target/npm"));
symlinkSync(packed, join(folder, "node_modules/sealab"));
const readme = readFileSync(join(packed, "README.md"), "utf8");
const example = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";

test("the README's example says what it promises", () => {
  writeFileSync(join(folder, "example.mjs"), example);
  const out = execFileSync(process.execPath, ["example.mjs"], { cwd: folder, encoding: "utf8" });
  assert.match(out, /EPERM/);
  assert.match(out, /\n1 \{ getpid: 1 \}\n/);
  assert.match(out, /\ntrue\n/);
  assert.match(out, /SealabError run\n$/);
});

test("the types fit the example", () => {
  writeFileSync(join(folder, "example.mts"), `${example.replaceAll("(error)", "(error: any)")}`);
  const tsc = join(www, "node_modules/.bin/tsc");
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"];
  execFileSync(tsc, [...options, "--lib", "es2023,dom", "--types", "", "example.mts"], {
    cwd: folder,
    stdio: "inherit",
  });
});

test("errors are typed and say what to do", async () => {
  const sealab = await import(join(packed, "node.js"));
  const thrown = (/** @type {() => unknown} */ call) => {
    try {
      call();
    } catch (error) {
      return /** @type {{ name: string, code: string, message: string }} */ (error);
    }
    throw new Error("nothing was thrown");
  };
  /** @type {[() => unknown, string][]} */
  const wrong = [
    [() => sealab.run("", { kernel: "9.9" }), "run"],
    [() => sealab.decodeLink("#v1/"), "link"],
    [() => sealab.decodeLink("#v99/AAAA"), "link"],
    [() => sealab.run("", 7), "message"],
  ];
  for (const [call, code] of wrong) {
    const error = thrown(call);
    assert.deepEqual([error.name, error.code], ["SealabError", code]);
    assert.ok(error.message.length > 10);
  }
  assert.match(thrown(() => sealab.decodeLink("#v99/AAAA")).message, /newer/);
  // What is wrong with a text is no error.
  assert.equal(sealab.run("mmapp(0)").diagnostics[0].severity, "error");
});
