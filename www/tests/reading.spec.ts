// For everyone: keyboard, screen reader, phone, zoom, theme, forced colours.

import { expect, expectAccessible, test } from "./fixtures";
import { Playground } from "./playground";

for (const scheme of ["light", "dark"] as const) {
  test(`axe finds nothing in any view, ${scheme}`, async ({ page }) => {
    test.setTimeout(180_000);
    await page.emulateMedia({ colorScheme: scheme });
    const play = new Playground(page);
    await play.open();
    await play.add("mprotec(heap, 4K, PROT_READ)\n");
    await expect(page.locator(".fault")).toBeVisible();
    for (const view of ["Address space", "Pages & TLB", "Calls", "Cost"]) {
      await play.tab(view).click();
      await play.answered();
      if (view === "Cost") await expect(page.locator(".chart svg").first()).toBeVisible();
      await expectAccessible(page);
    }
    await page.getByRole("button", { name: "Share" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectAccessible(page);
  });
}

test("? lists the keys, Escape closes the list and gives the focus back", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.slider.focus();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys and help" });
  await expect(dialog).toContainText("Run again");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(play.slider).toBeFocused();
});

test("everything can be reached and left with the keyboard alone", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await page.keyboard.press("3");
  await expect(play.tab("Calls")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("e");
  await expect(play.editor).toBeFocused();
  await page.keyboard.type("3");
  await expect(play.tab("Calls")).toHaveAttribute("aria-selected", "true");
  // The first Escape may close the completion list that typing opened.
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(play.slider).toBeFocused({ timeout: 500 });
  }).toPass();
  await page.keyboard.press("g");
  await page.keyboard.press("Enter");
  await expect(page.locator("#gallery-sheet")).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.locator("#gallery-sheet")).toHaveCount(0);
  await expect(page.locator("#gallery")).toBeFocused();
  await page.keyboard.press("Control+s");
  await expect(page.getByRole("dialog", { name: "Share" })).toBeVisible();
});

test("Tab leaves the editor", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.editor.focus();
  await page.keyboard.press("Tab");
  await expect(play.editor).not.toBeFocused();
});

test("the theme goes from the system's to light to dark, and is kept", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  const root = page.locator("html");
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: "Theme: as the system" }).click();
  await expect(root).toHaveAttribute("data-theme", "light");
  await page.getByRole("button", { name: "Theme: light" }).click();
  await expect(root).toHaveAttribute("data-theme", "dark");
  expect(await background()).not.toBe(light);
  await expect
    .poll(() => page.evaluate(() => Object.values(localStorage).join()))
    .toContain('"theme":"dark"');
  await page.goto("about:blank");
  await play.open();
  await expect(root).toHaveAttribute("data-theme", "dark");
});

test("follows the system's theme", async ({ page }) => {
  const play = new Playground(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await play.open();
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(dark).not.toBe(light);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("is one column that never scrolls sideways, usable by touch", async ({ page }) => {
    const play = new Playground(page);
    await play.open();
    await expect(play.findings).toBeInViewport();
    for (const view of ["Address space", "Pages & TLB", "Calls", "Cost"]) {
      await play.tab(view).tap();
      await play.answered();
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, view).toBeLessThanOrEqual(0);
    }
    await play.tab("Address space").tap();
    await page.getByRole("button", { name: "One step back" }).tap();
    await play.strips.nth(1).locator(".vma").first().tap();
    await expect(page.locator(".readout code")).toBeVisible();
  });

  test("what is pressed is large enough for a finger", async ({ page }) => {
    const play = new Playground(page);
    await play.open();
    const small = await page.locator("button:visible, select:visible").evaluateAll((all) =>
      all
        .filter((one) => !one.matches(".finding, .fault-button, .skip-link"))
        .map((one) => ({ box: one.getBoundingClientRect(), name: one.outerHTML.slice(0, 90) }))
        .filter(({ box }) => box.height < 24 || box.width < 24)
        .map(({ name }) => name),
    );
    expect(small).toEqual([]);
  });

  test("axe finds nothing", async ({ page }) => {
    const play = new Playground(page);
    await play.open();
    await expectAccessible(page);
  });
});

test("at 200 % zoom nothing is cut off", async ({ page }) => {
  // Zoom halves the window that the page sees.
  await page.setViewportSize({ width: 720, height: 450 });
  const play = new Playground(page);
  await play.open();
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBeLessThanOrEqual(0);
  await play.strips.first().scrollIntoViewIfNeeded();
  await expect(play.strips.first()).toBeInViewport();
});

test("forced colours leave seals and changes visible", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  const play = new Playground(page);
  await play.open();
  const line = play.strips.nth(2).locator(".seal-line");
  const face = play.strips.nth(2).locator(".vma.sealed .face");
  const stroke = await line.evaluate((node) => getComputedStyle(node).stroke);
  const fill = await face.evaluate((node) => getComputedStyle(node).fill);
  expect(stroke).not.toBe(fill);
  await expect(play.strips.nth(2).locator(".vma.sealed")).toContainText(/S|sealed/);
});
