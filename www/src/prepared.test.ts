import assert from "node:assert/strict";
import { test } from "node:test";
import { type Message, PreparedWorker } from "./prepared";
import { key } from "./prepared-key.mjs";

class Behind extends EventTarget {
  readonly got: Message[] = [];
  postMessage(message: Message): void {
    this.got.push(message);
  }
  terminate(): void {}
}

const run = (id: number, text = "x"): Message => ({ v: 1, id, kind: "run", body: { text } });
const space = (id: number, run: number): Message => ({
  v: 1,
  id,
  kind: "space",
  body: { step: 1, run },
});

const answers = {
  [key("run", { text: "x" }, undefined)]: { run: 2, lines: [] },
  [key("space", { run: 9, step: 1 }, 9)]: { strips: 3 },
};

async function opened(prepared: Promise<typeof answers> = Promise.resolve(answers)) {
  const behind = new Behind();
  const worker = new PreparedWorker(behind as unknown as Worker, prepared);
  const heard: Record<string, unknown>[] = [];
  worker.addEventListener("message", (event) => heard.push((event as MessageEvent).data));
  await new Promise((done) => setTimeout(done));
  return { behind, worker, heard };
}

test("a prepared run is answered under the id it was asked with, and its pictures too", async () => {
  const { behind, worker, heard } = await opened();
  worker.postMessage(run(7));
  worker.postMessage(space(8, 7));
  assert.deepEqual(
    heard.map((message) => message.body),
    [{ run: 7, lines: [] }, { strips: 3 }],
  );
  assert.deepEqual(behind.got, []);
});

test("another question goes to the worker, after the run that it was spared", async () => {
  const { behind, worker, heard } = await opened();
  worker.postMessage(run(7));
  worker.postMessage({ v: 1, id: 8, kind: "cost", body: { run: 7 } });
  assert.deepEqual(
    behind.got.map(({ kind, id }) => [kind, id]),
    [
      ["run", 7],
      ["cost", 8],
    ],
  );
  assert.equal(heard.length, 1);
});

test("another run's pictures are not mixed up with the prepared one's", async () => {
  const { behind, worker } = await opened();
  worker.postMessage(run(7));
  worker.postMessage(run(8, "y"));
  worker.postMessage(space(9, 8));
  assert.deepEqual(
    behind.got.map(({ id }) => id),
    [7, 8, 9],
  );
});

test("without prepared answers everything goes to the worker, in order", async () => {
  const { behind, worker, heard } = await opened(Promise.reject(new Error("status 404")));
  worker.postMessage(run(7));
  worker.postMessage(space(8, 7));
  assert.deepEqual(
    behind.got.map(({ id }) => id),
    [7, 8],
  );
  behind.dispatchEvent(new MessageEvent("message", { data: { id: 7 } }));
  assert.deepEqual(heard, [{ id: 7 }]);
});

test("questions differ by their fields, not by the fields' order or absence", () => {
  assert.equal(key("run", { b: 1, a: null }, undefined), key("run", { b: 1 }, undefined));
  assert.equal(key("rows", { x: 1, y: 2 }, undefined), key("rows", { y: 2, x: 1 }, undefined));
  assert.notEqual(key("rows", { x: 1 }, undefined), key("rows", { x: 2 }, undefined));
  assert.notEqual(key("space", { run: 1 }, 2), key("space", { run: 2 }, 2));
});
