// Benchmarks and statistics: run, compared, pasted, and readable on a phone.

import { expect, test } from "./fixtures";
import { Playground } from "./playground";

test("a benchmark is predicted beside what was published, with its source", async ({ page }) => {
  await new Playground(page).open();
  await page.getByRole("tab", { name: "Benchmarks" }).click();
  await page.getByLabel("Experiment").selectOption("pagemove");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByText(/^Done: /)).toBeVisible({ timeout: 60_000 });
  const rows = page.getByRole("region", { name: "Predicted and published figures" });
  await expect(rows.getByRole("row", { name: /6\.11-src-first/ })).toContainText("−3.4 %");
  await expect(rows.getByRole("row", { name: /^6\.11 / })).toContainText(/walks of the VMA tree/);
  const link = rows.getByRole("link").first();
  await expect(link).toHaveAttribute("href", /^https:\/\/lore\.kernel\.org\//);
  await expect(page.getByRole("img", { name: /chart/i }).first()).toBeVisible();
});

test("a benchmark's loop opens in the editor", async ({ page }) => {
  await new Playground(page).open();
  await page.getByRole("tab", { name: "Benchmarks" }).click();
  await page.getByLabel("Experiment").selectOption("mmap1");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByText(/^Done: /)).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: "Open in editor" }).click();
  await expect(page.locator("body")).toContainText("will-it-scale's loop");
});

test("published and pasted samples are described", async ({ page }) => {
  await new Playground(page).open();
  await page.getByRole("tab", { name: "Statistics" }).click();
  const says = page.getByRole("region", { name: "What each sample says" });
  await expect(says.getByRole("row", { name: /before/ })).toContainText("255,563");
  await expect(page.getByRole("region", { name: "Each sample against the first" })).toContainText(
    "+14.9 %",
  );
  await page.getByLabel(/paste or drop/).fill("min:1 max:1 total:10\nmin:1 max:1 total:20\n");
  await expect(says.getByRole("row", { name: /total/ })).toContainText("15");
  await page.getByLabel(/paste or drop/).fill("12\n<img src=x onerror=alert(1)>\n");
  await expect(page.getByText(/Line 2, column 1/)).toBeVisible();
  await expect(page.locator(".bench img")).toHaveCount(0);
});

test("a spread of 60 % hides 4.4 % from fewer than 2,920 runs", async ({ page }) => {
  await new Playground(page).open();
  await page.getByRole("tab", { name: "Statistics" }).click();
  await expect(page.getByText("2,920 runs a side")).toBeVisible();
  await page.getByLabel("Runs a side").fill("1");
  await page.getByLabel("Runs a side").blur();
  await expect(page.getByText(/at least 2 runs/)).toBeVisible();
});

test("both views fit a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await new Playground(page).open();
  for (const name of ["Benchmarks", "Statistics"]) {
    await page.getByRole("tab", { name }).click();
    await expect(page.locator(".bench")).toBeVisible();
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wide).toBeLessThanOrEqual(0);
  }
});
