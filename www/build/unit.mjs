// Unit tests of the TypeScript sources: bundled for Node.js, run by its own test runner.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { www } from "./bundle.mjs";

const out = mkdtempSync(join(tmpdir(), "sealab-unit-"));
try {
  const entryPoints = ["src", "build"].flatMap((folder) =>
    readdirSync(join(www, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.test\.(ts|mjs)$/.test(file))
      .map((file) => join(folder, file)),
  );
  if (entryPoints.length === 0) throw new Error("no unit tests found");
  await esbuild.build({
    absWorkingDir: www,
    entryPoints,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const tests = readdirSync(out, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".mjs"))
    .map((file) => join(out, file));
  const run = spawnSync(
    process.execPath,
    ["--enable-source-maps", "--test", "--test-reporter=spec", ...tests],
    {
      stdio: "inherit",
      cwd: www,
    },
  );
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
