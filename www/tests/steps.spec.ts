// Three things move together: the line in the editor, the step on the slider, the picture.

import { expect, test } from "./fixtures";
import { Playground } from "./playground";

test("the editor's line moves the step and the picture", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await page.locator(".cm-line").filter({ hasText: "store(heap" }).click();
  await expect(play.slider).toHaveValue("2");
  await expect(play.strips.nth(1).locator(".vma.sealed")).toHaveCount(0);
  await page.keyboard.press("Control+End");
  await expect(play.slider).toHaveValue("6");
  await expect(play.strips.nth(1).locator(".vma.sealed")).toHaveCount(1);
});

test("the slider moves the editor's line and the picture", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.slider.fill("2");
  await expect(page.locator(".cm-step")).toContainText("store(heap, 32K)");
  await play.slider.fill("3");
  await expect(page.locator(".cm-step")).toContainText("mseal");
  await expect(page.locator(".step-call")).toContainText("ENOSYS");
});

test("a mark beside a line leads to its step", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await page.locator(".cm-badge").nth(1).click();
  await expect(page.locator(".step-call")).toContainText("store");
});

test("arrow keys step, Home and End go to the ends, n finds the next difference", async ({
  page,
}) => {
  const play = new Playground(page);
  await play.open();
  await page.keyboard.press("Home");
  await expect(play.slider).toHaveValue("0");
  await expect(page.locator(".step-call")).toContainText("Before the first call");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await expect(play.slider).toHaveValue("1");
  await page.keyboard.press("End");
  await expect(play.slider).toHaveValue("6");
  await page.keyboard.press("Home");
  await page.keyboard.press("n");
  await expect(page.locator(".step-call")).toContainText("mseal");
});

test("space plays to the end and stops there", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  await expect(play.slider).toHaveValue("6");
  await expect(page.getByRole("button", { name: "Play the steps" })).toBeVisible();
});

test("a finding leads to its step", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  const there = await play.step();
  await page.keyboard.press("Home");
  await page.locator(".finding").first().click();
  await expect(play.slider).toHaveValue(String(there));
});

test("a mapping shows its line of the maps to mouse and keyboard", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  const sealed = play.strips.nth(2).locator(".vma.sealed");
  await sealed.hover();
  await expect(page.locator(".readout")).toContainText("rw-p");
  await expect(page.locator(".readout")).toContainText("sealed");
  await page.locator(".tabs").hover();
  await expect(page.locator(".readout")).toContainText("Point at a mapping");
  await sealed.focus();
  await expect(page.locator(".readout")).toContainText("rw-p");
});

test("the address spaces are there as text too", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await page.getByText("As text:").click();
  const lines = page.getByRole("list", { name: "Mappings under 6.12" });
  await expect(lines).toContainText("rw-p 00000000 00:00 0");
  await expect(lines).toContainText("sealed");
});
