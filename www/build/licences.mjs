// What is built into the site, and under which terms.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { www } from "./bundle.mjs";

/** npm packages whose code is part of the site, with what they need. */
const ROOTS = ["@codemirror/view", "@codemirror/autocomplete", "@codemirror/lint", "echarts"];

/**
 * @param {string | undefined} crates a file of lines `name version licence`, made by xtask
 */
export function licences(crates) {
  const rust =
    crates && existsSync(crates) ? readFileSync(crates, "utf8").trimEnd().split("\n") : [];
  const { dependencies } = JSON.parse(readFileSync(join(www, "package.json"), "utf8"));
  const packages = [...closure([...ROOTS, ...Object.keys(dependencies)])].sort();
  const sections = packages.map((name) => {
    const folder = join(www, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^(licen[cs]e|notice)/i.test(entry));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
    return `${name} ${version}, ${license}\n\n${text}\n`;
  });
  return [
    "sealab: MIT or Apache-2.0.",
    "What is built into this site besides, and under which terms.",
    "",
    "Rust crates",
    "",
    ...rust,
    "",
    "JavaScript packages",
    "",
    sections.join("\n----\n\n"),
  ].join("\n");
}

/** @param {string[]} roots */
function closure(roots) {
  /** @type {Set<string>} */
  const seen = new Set();
  const next = [...roots];
  for (const name of next) {
    const manifest = join(www, "node_modules", name, "package.json");
    if (seen.has(name) || !existsSync(manifest)) continue;
    seen.add(name);
    next.push(...Object.keys(JSON.parse(readFileSync(manifest, "utf8")).dependencies ?? {}));
  }
  return seen;
}
