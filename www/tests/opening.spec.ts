// The first promise: the page opens with a real result and answers every edit.

import { expect, test } from "./fixtures";
import { Playground } from "./playground";

test("opens with the default scenario already run under 6.8, 6.11 and 6.12", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  expect(await play.kernels()).toEqual(["6.8", "6.11", "6.12"]);
  await expect(play.findings).toContainText("EPERM");
  await expect(play.findings).toContainText("6.12");
  await expect(play.strips).toHaveCount(3);
  await expect(play.strips.nth(2).locator(".vma.sealed")).toHaveCount(1);
  await expect(play.strips.nth(0).locator(".vma.sealed")).toHaveCount(0);
});

test("shows where the designs differ in the picture itself", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  // The step of the first finding: in-loop had changed what lies before the seal.
  const changed = (variant: number) =>
    play.strips.nth(variant).locator('.vma[data-changed="true"]');
  await expect(changed(2)).not.toHaveCount(0);
  await expect(changed(1)).toHaveCount(0);
  await expect(page.locator(".ruler rect.differs").first()).toBeAttached();
});

test("an edit changes the finding, the cards, the picture and the table", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  const before = await play.cards.nth(1).locator(".numbers").textContent();
  await play.write(
    "a = mmap(NULL, 12K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\nmunmap(a, 12K)\nmunmap(a, 12K)\n",
  );
  await play.answered();
  await expect(play.cards.nth(1).locator(".numbers")).not.toHaveText(before ?? "");
  await expect(play.findings).not.toContainText("EPERM");
  await expect(page.locator(".step-count")).toContainText("of 3");
  await play.tab("Calls").click();
  await expect(play.rows()).toHaveCount(3);
  await expect(play.rows().first()).toContainText("mmap(NULL, 12K");
});

test("a fault of the text is said with its place and what was meant, and the rest still runs", async ({
  page,
}) => {
  const play = new Playground(page);
  await play.open();
  await play.add("mprotec(heap, 4K, PROT_READ)\n");
  await expect(page.locator(".fault.error")).toContainText("line 10");
  await expect(page.locator(".fault.error")).toContainText("mprotect");
  await expect(page.locator(".cm-lintRange-error").first()).toBeVisible();
  await expect(page.locator(".step-count")).toContainText("of 6");
});

test("an empty text is no error", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.write("");
  await play.answered();
  await expect(page.locator(".findings")).toContainText("no call to run");
  await expect(page.locator(".fault")).toHaveCount(0);
});

test("the text field works before anything is loaded", async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(/\/editor-.*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  const play = new Playground(page);
  await page.goto("/");
  const field = page.locator("textarea.plain-editor");
  await field.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("store(heap + 8K, 4K)\n");
  await play.answered();
  await expect(page.locator(".step-count")).toContainText("of 7");
  release();
  await expect(play.editor).toContainText("store(heap + 8K, 4K)");
  await expect(field).toHaveCount(0);
});
