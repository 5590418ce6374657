import assert from "node:assert/strict";
import { test } from "node:test";
import { replacement } from "./replacement";

const apply = (old: string, text: string) => {
  const change = replacement(old, text);
  if (!change) return old;
  return old.slice(0, change.from) + change.insert + old.slice(change.to);
};

test("nothing to do for the same text", () => {
  assert.equal(replacement("same", "same"), null);
});

test("only the middle is replaced", () => {
  assert.deepEqual(replacement("one two three", "one 2 three"), { from: 4, to: 7, insert: "2" });
  assert.deepEqual(replacement("aa", "aaa"), { from: 2, to: 2, insert: "a" });
  assert.deepEqual(replacement("aaa", "aa"), { from: 2, to: 3, insert: "" });
});

test("surrogate pairs stay whole", () => {
  // These share their first half; the next pair shares its second half.
  assert.deepEqual(replacement("x\u{1F600}y", "x\u{1F601}y"), {
    from: 1,
    to: 3,
    insert: "\u{1F601}",
  });
  assert.deepEqual(replacement("\u{1F400}", "\u{1F000}"), { from: 0, to: 2, insert: "\u{1F000}" });
  assert.deepEqual(replacement("\ud83d\ude00", "\ud83e\ude00"), {
    from: 0,
    to: 2,
    insert: "\ud83e\ude00",
  });
});

test("every pair of short texts is turned into the other", () => {
  const letters = ["a", "b", "\u{1F600}", "\u{1F601}"];
  const texts = [""];
  for (const first of letters) {
    texts.push(first);
    for (const second of letters) {
      texts.push(first + second);
      for (const third of letters) texts.push(first + second + third);
    }
  }
  for (const old of texts) for (const text of texts) assert.equal(apply(old, text), text);
});
