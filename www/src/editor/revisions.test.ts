import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangeSet, Text } from "@codemirror/state";
import { Revisions } from "./revisions";

/** Inserts `insert` at `at`, noting it. */
function edit(revisions: Revisions, doc: Text, at: number, insert: string): Text {
  const changes = ChangeSet.of({ from: at, insert }, doc.length);
  revisions.record(doc, changes.desc);
  return changes.apply(doc);
}

test("a position of an older text is found in the current one", () => {
  const revisions = new Revisions();
  const first = Text.of(["mmap()", "load()"]);
  const second = edit(revisions, first, 0, "x = ");
  const third = edit(revisions, second, 0, "# note\n");
  assert.equal(revisions.current, 2);

  const then = revisions.since(0, third);
  assert.equal(then?.doc.toString(), first.toString());
  assert.equal(then?.changes?.mapPos(7), 7 + 4 + 7);
  const between = revisions.since(1, third);
  assert.equal(between?.doc.toString(), second.toString());
  assert.equal(between?.changes?.mapPos(0, 1), 7);
  const now = revisions.since(2, third);
  assert.equal(now?.doc, third);
  assert.equal(now?.changes, null);
});

test("versions that never were, or are too old, are refused", () => {
  const revisions = new Revisions();
  let doc = Text.of([""]);
  assert.equal(revisions.since(1, doc), undefined);
  assert.equal(revisions.since(-1, doc), undefined);
  for (let i = 0; i < 300; i += 1) doc = edit(revisions, doc, 0, "a");
  assert.equal(revisions.since(0, doc), undefined);
  assert.equal(revisions.since(301, doc), undefined);
  assert.equal(revisions.since(44, doc)?.doc.length, 44);
});
