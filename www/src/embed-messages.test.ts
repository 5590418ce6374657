import assert from "node:assert/strict";
import { test } from "node:test";
import { fromFrame, toFrame } from "./embed-messages";

test("messages of the right shape pass", () => {
  const step = { sealab: 1, type: "step", step: 2, steps: 4 };
  assert.equal(fromFrame(step), step);
  const goto = { sealab: 1, type: "goto", step: 0 };
  assert.equal(toFrame(goto), goto);
});

test("everything else is read over", () => {
  const wrong: unknown[] = [
    null,
    "step",
    { type: "step", step: 1, steps: 1 },
    { sealab: 2, type: "step", step: 1, steps: 1 },
    { sealab: 1, type: "step", step: -1, steps: 1 },
    { sealab: 1, type: "step", step: 1.5, steps: 1 },
    { sealab: 1, type: "step", step: Number.NaN, steps: 1 },
    { sealab: 1, type: "resize", height: 1e9 },
    { sealab: 1, type: "error", code: "x", message: "y".repeat(1e6) },
    { sealab: 1, type: "navigate", href: "javascript:0" },
  ];
  for (const message of wrong) assert.equal(fromFrame(message), null, JSON.stringify(message));
  for (const message of [...wrong, { sealab: 1, type: "theme", theme: {} }]) {
    assert.equal(toFrame(message), null, JSON.stringify(message));
  }
});
