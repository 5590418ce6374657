import assert from "node:assert/strict";
import { test } from "node:test";
import { looksLikeMaps } from "./files";

test("maps, smaps and pmap are told from scenarios", () => {
  const maps = "7ffff7fbd000-7ffff7fc1000 r--p 00000000 00:00 0          [vvar]\n";
  assert.ok(looksLikeMaps(maps));
  assert.ok(looksLikeMaps(`${maps}Size:                 16 kB\n`));
  assert.ok(looksLikeMaps("1234: cat\n         Address Perm   Offset Device\n"));
  assert.ok(!looksLikeMaps("mmap(NULL, 4096, PROT_READ) = 0x7ffff7fbd000\n"));
  assert.ok(!looksLikeMaps("# 00400000-00401000 r--p\nmunmap(0x1000, 4K)\n"));
  assert.ok(!looksLikeMaps(""));
});
