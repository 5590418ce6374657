// Compressed sizes of a built page: `node build/sizes.mjs SITE`. Fails when one is over budget.json.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { www } from "./bundle.mjs";

const site = resolve(process.argv[2] ?? join(www, "..", "dist"));
if (!existsSync(join(site, "assets.json"))) {
  console.error(`no built page in ${site}: run \`cargo xtask build\``);
  process.exit(2);
}
/** @type {Record<string, string[]>} */
const groups = JSON.parse(readFileSync(join(site, "assets.json"), "utf8"));
/** @type {Record<string, number>} Bytes after brotli, which every browser takes and most static hosts
 * offer; where one only has gzip, the column beside it counts. */
const budget = JSON.parse(readFileSync(join(www, "budget.json"), "utf8"));

// Snippets that wasm-bindgen put beside the program are loaded with it.
const snippets = join(site, "snippets");
if (existsSync(snippets)) {
  for (const entry of readdirSync(snippets, { recursive: true, withFileTypes: true })) {
    if (entry.isFile())
      groups.first?.push(join(entry.parentPath, entry.name).slice(site.length + 1));
  }
}

/** @param {number[]} bytes */
const row = (...bytes) => bytes.map((n) => `${(n / 1000).toFixed(1)} KB`.padStart(11)).join("");

let failed = false;
console.log(`${"file".padEnd(44)}        raw       gzip     brotli`);
for (const [group, files] of Object.entries(groups)) {
  let total = [0, 0, 0];
  for (const file of files) {
    const content = readFileSync(join(site, file));
    const brotli = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } };
    const sizes = [
      content.length,
      gzipSync(content, { level: 9 }).length,
      brotliCompressSync(content, brotli).length,
    ];
    total = total.map((sum, i) => sum + (sizes[i] ?? 0));
    console.log(`${file.padEnd(44)}${row(...sizes)}`);
  }
  const limit = budget[group];
  const brotli = total[2] ?? 0;
  if (limit === undefined) {
    console.log(`✗ ${group}: budget.json has no limit for it\n`);
    failed = true;
    continue;
  }
  const fits = brotli <= limit;
  failed ||= !fits;
  const words = `of ${limit / 1000} KB, ${Math.round((100 * brotli) / limit)} %`;
  console.log(`${`${fits ? "✓" : "✗"} ${group}`.padEnd(44)}${row(...total)}  brotli ${words}\n`);
}
process.exit(failed ? 1 : 0);
