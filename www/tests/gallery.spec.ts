// Every example loads, runs without a fault, and says something.

import { expect, test } from "./fixtures";
import { Playground } from "./playground";

test("every example of the gallery loads without an error and has a result", async ({ page }) => {
  test.setTimeout(180_000);
  const play = new Playground(page);
  await play.open();
  await page.locator("#gallery").click();
  const choices = page.locator("#gallery-sheet [data-example]");
  const ids = await choices.evaluateAll((all) =>
    all.map((one) => (one as HTMLElement).dataset.example ?? ""),
  );
  expect(ids.length).toBeGreaterThanOrEqual(12);
  expect(new Set(ids).size).toBe(ids.length);
  await page.keyboard.press("Escape");
  for (const id of ids) {
    await test.step(id, async () => {
      await page.locator("#gallery").click();
      await page.locator(`#gallery-sheet [data-example="${id}"]`).click();
      await play.answered();
      await expect(page.locator(".fault.error"), id).toHaveCount(0);
      await expect(page.locator(".findings.fault"), id).toHaveCount(0);
      expect(Number(await play.slider.getAttribute("max")), id).toBeGreaterThan(0);
    });
  }
});

test("the list says in a line what each example shows", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await page.locator("#gallery").click();
  const lines = await page.locator("#gallery-sheet .choice small").allInnerTexts();
  expect(lines.every((line) => line.length > 20)).toBe(true);
});
