// The last step of `cargo xtask dist`: `node build/dist.mjs SITE [LICENCES]`. Makes the built site one
// that can be put on any static host: the book under the same strict policy, a service worker for
// use offline, an example of headers, what is built in and under which terms, and a zip.

import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { strToU8, zipSync } from "fflate";
import { bundleWorker, www } from "./bundle.mjs";
import { externaliseDocs } from "./docs-page.mjs";
import { licences } from "./licences.mjs";

const site = resolve(process.argv[2] ?? join(www, "..", "dist"));
if (!existsSync(join(site, "assets.json"))) {
  console.error(`no built page in ${site}: run \`cargo xtask dist\``);
  process.exit(2);
}

/** @param {string | Buffer} content */
const digest = (content) => createHash("sha256").update(content).digest("hex").slice(0, 16);

/** @param {string} file */
const read = (file) => readFileSync(join(site, file));

/** @returns {string[]} every file of the site, sorted, with `/` */
function files() {
  return readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(site, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

// The book: its inline scripts become files, its pages get a policy.
for (const file of files().filter((name) => /^docs\/.*\.html$/.test(name))) {
  const depth = file.split("/").length - 2;
  const page = externaliseDocs(read(file).toString(), (code) => {
    const name = `inline-${digest(code)}.js`;
    writeFileSync(join(site, "docs", name), code);
    return `${"../".repeat(depth)}${name}`;
  });
  writeFileSync(join(site, file), page);
}

// A copy of the element that never changes, for pages that check what they load.
const element = read("embed/v1.js");
const fixed = `embed/v1-${digest(element)}.js`;
copyFileSync(join(site, "embed/v1.js"), join(site, fixed));
const integrity = `sha384-${createHash("sha384").update(element).digest("base64")}`;
writeFileSync(
  join(site, "embed/integrity.json"),
  `${JSON.stringify({ [fixed]: integrity }, null, 2)}\n`,
);

writeFileSync(join(site, "licenses.txt"), licences(process.argv[3]));
writeFileSync(
  join(site, "_headers"),
  `# For hosts that read such a file (Netlify, Cloudflare Pages). Others: the same by their own means.
# Every page carries its policy itself. Do not add X-Frame-Options or COOP/COEP: they forbid embeds.

/*
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Access-Control-Allow-Origin: *
  Cache-Control: no-cache

${files()
  .filter((name) => /-[\w]{8,}(_bg)?\.(js|css|wasm|json|svg|png|woff2)$/.test(name))
  .map(
    (name) => `/${name}\n  ! Cache-Control\n  Cache-Control: public, max-age=31536000, immutable`,
  )
  .join("\n")}
`,
);

// Everything of the playground and the embeds is kept; the book's pages as they are read.
const kept = files().filter(
  (name) => !/^(docs\/|_headers$|licenses\.txt$|assets\.json$|sw\.js$)/.test(name),
);
const version = digest(kept.map((name) => `${name} ${digest(read(name))}`).join("\n"));
await bundleWorker({ out: site, version, files: ["./", ...kept] });

// Pages that find this mark start the service worker; a page that is only being worked on has none.
const index = read("index.html").toString();
writeFileSync(
  join(site, "index.html"),
  index.replace(/<script ([^>]*)data-sealab=""/, '<script $1data-sealab="" data-offline="./sw.js"'),
);

const zip = `${site}.zip`;
rmSync(zip, { force: true });
const tree = Object.fromEntries(
  files().map((name) => [`sealab/${name}`, new Uint8Array(read(name))]),
);
tree["sealab/README.txt"] = strToU8(
  "Put this folder on any static host, at any path, or run `python3 -m http.server` in it.\n",
);
// A fixed time: the same site makes the same zip.
writeFileSync(zip, zipSync(tree, { level: 9, mtime: new Date("2000-01-02T00:00:00Z") }));
console.log(`${files().length} files in ${site}, version ${version}; ${zip}`);
