// Long runs, broken workers and large texts: the page stays a page.

import { expect, test } from "./fixtures";
import { HEAP, Playground } from "./playground";

const ENDLESS = `a = mmap(NULL, 4K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
repeat 1000000000 { mprotect(a, 4K, PROT_READ) }
`;

test("a long run shows how far it is and can be cancelled", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.write(ENDLESS);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.locator(".findings.fault")).toContainText("stopped");
  await expect(play.editor).toContainText("repeat 1000000000");
  await play.write(HEAP);
  await play.answered();
  await expect(play.findings).toContainText("EPERM");
});

test("an edit overtakes a long run", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.write(ENDLESS);
  await expect(page.getByRole("button", { name: "Cancel" })).toBeVisible();
  await play.write(HEAP);
  await play.answered();
  await expect(page.locator(".step-count")).toContainText("of 3");
  await expect(page.getByRole("button", { name: "Cancel" })).toHaveCount(0);
});

test("a worker that breaks is noticed, said in words and replaced", async ({ page, watch }) => {
  watch.allow(/sealab broke on purpose/);
  // A worker that throws once, at the third question it is asked.
  await page.addInitScript(() => {
    const Real = Worker;
    let broken = false;
    globalThis.Worker = class extends Real {
      override postMessage(message: { kind: string; body: { text?: string } }) {
        if (!broken && message.kind === "run" && message.body.text?.includes("# break")) {
          broken = true;
          this.dispatchEvent(new ErrorEvent("error", { message: "sealab broke on purpose" }));
          return;
        }
        super.postMessage(message);
      }
    };
  });
  const play = new Playground(page);
  await play.open();
  await play.write(`# break\n${HEAP}`);
  const findings = page.locator(".findings.fault");
  await expect(findings).toContainText("stopped unexpectedly (sealab broke on purpose)");
  await expect(play.editor).toContainText("# break");
  await page.getByRole("button", { name: "Run again" }).click();
  await play.answered();
  await expect(play.findings).toContainText("EPERM");
});

test("where workers are not allowed the page simulates by itself", async ({ page }) => {
  await page.addInitScript(() => {
    globalThis.Worker = class {
      constructor() {
        throw new DOMException("opaque origin", "SecurityError");
      }
    } as unknown as typeof Worker;
  });
  const play = new Playground(page);
  await play.open();
  await expect(play.findings).toContainText("EPERM");
  await play.add("store(heap, 4K)\n");
  await play.answered();
  await expect(page.locator(".step-count")).toContainText("of 7");
});

test("100,000 calls are listed and stepped through without a freeze", async ({ page }) => {
  const play = new Playground(page);
  const line = "mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000\n";
  await page.goto("/");
  await play.settled();
  await play.write(line.repeat(100_000));
  await expect(page.locator(".step-count")).toContainText("of 100,000", { timeout: 60_000 });
  await play.answered();
  await page.getByRole("tab", { name: "Calls" }).click();
  await expect(play.rows().first()).toBeVisible();
  expect(await play.rows().count()).toBeLessThan(120);
  await play.leaveEditor();
  await page.keyboard.press("End");
  await expect(play.rows().last()).toContainText("100000");
});

test("a thousand mappings scroll instead of vanishing", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  const cuts = Array.from(
    { length: 1000 },
    (_, i) => `mprotect(a + ${2 * i}*PAGE, PAGE, PROT_NONE)`,
  );
  await play.write(
    `a = mmap(NULL, 2048*PAGE, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n${cuts.join("\n")}\n`,
  );
  await expect(page.locator(".step-count")).toContainText("of 1,001");
  await play.slider.fill("1001");
  await play.answered();
  const scroller = page.locator(".strips");
  await expect
    .poll(() => scroller.evaluate((box) => box.scrollWidth / box.clientWidth))
    .toBeGreaterThan(4);
  expect(await page.locator(".strip .vma").count()).toBeLessThan(1500);
  await scroller.evaluate((box) => box.scrollTo(box.scrollWidth, 0));
  await expect(page.locator('.strip .vma[aria-label*="[stack]"]').first()).toBeVisible();
});

const bad: [string, string][] = [
  [
    "random bytes",
    Array.from({ length: 2000 }, (_, i) => String.fromCharCode((i * 7919) % 65000)).join(""),
  ],
  ["nested loops of 10^9", `${"repeat 1000000000 { ".repeat(6)}load(0, 1)${" }".repeat(6)}\n`],
  [
    "huge numbers",
    "mmap(99999999999999999999999999, 0xffffffffffffffffff, 1<<9999, -1, -1, 1e999)\n",
  ],
  ["unclosed everything", 'measure "x { repeat ( [ { mmap(((((\n'],
];

for (const [what, text] of bad) {
  test(`a text of ${what} gives clear errors and loses nothing`, async ({ page }) => {
    const play = new Playground(page);
    await play.open();
    await play.write(text);
    const cancel = page.getByRole("button", { name: "Cancel" });
    const fault = page.locator(".fault, .findings.fault");
    await expect(fault.or(cancel).first()).toBeVisible();
    await play.write(HEAP);
    await play.answered();
    await expect(play.findings).toContainText("EPERM");
  });
}
