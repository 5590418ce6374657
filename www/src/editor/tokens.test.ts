import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangeSet } from "@codemirror/state";
import { pack, visible } from "./tokens";

const list = [
  { from: 0, to: 4, kind: "name" },
  { from: 5, to: 6, kind: "punctuation" },
  { from: 7, to: 11, kind: "call" },
  { from: 20, to: 24, kind: "call" },
];

test("packing keeps order and kinds", () => {
  const packed = pack(list, 30);
  assert.deepEqual(packed.kinds, ["name", "punctuation", "call"]);
  assert.deepEqual([...visible({ packed, changes: null }, 0, 30)], list);
});

test("packing leaves out what is empty, overlaps, runs backwards or ends beyond the text", () => {
  const odd = [
    { from: 0, to: 0, kind: "empty" },
    { from: 0, to: 4, kind: "name" },
    { from: 3, to: 6, kind: "overlap" },
    { from: 8, to: 7, kind: "backwards" },
    { from: Number.NaN, to: 9, kind: "nan" },
    { from: 9, to: 11, kind: "beyond" },
  ];
  assert.deepEqual(
    [...visible({ packed: pack(odd, 10), changes: null }, 0, 10)],
    [{ from: 0, to: 4, kind: "name" }],
  );
});

test("only tokens that touch the range are found", () => {
  const tokens = { packed: pack(list, 30), changes: null };
  const kinds = (from: number, to: number) => [...visible(tokens, from, to)].map((t) => t.from);
  assert.deepEqual(kinds(4, 5), []);
  assert.deepEqual(kinds(3, 6), [0, 5]);
  assert.deepEqual(kinds(8, 9), [7]);
  assert.deepEqual(kinds(11, 20), []);
  assert.deepEqual(kinds(24, 30), []);
});

test("tokens follow the text while it changes", () => {
  // Three characters in front of the call, and the second call deleted.
  const changes = ChangeSet.of(
    [
      { from: 7, insert: "abc" },
      { from: 20, to: 24 },
    ],
    30,
  ).desc;
  const tokens = { packed: pack(list, 30), changes };
  assert.deepEqual(
    [...visible(tokens, 0, 29)],
    [
      { from: 0, to: 4, kind: "name" },
      { from: 5, to: 6, kind: "punctuation" },
      { from: 10, to: 14, kind: "call" },
    ],
  );
  assert.deepEqual([...visible(tokens, 12, 13)], [{ from: 10, to: 14, kind: "call" }]);
});
