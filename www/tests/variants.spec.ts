// Variants can be chosen, added and removed; the result follows.

import { expect, test } from "./fixtures";
import { Playground } from "./playground";

test("a variant can be added, chosen and removed", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await page.getByRole("button", { name: "Add a variant" }).click();
  await play.answered();
  await expect(play.strips).toHaveCount(4);
  await page.getByRole("combobox", { name: "Kernel" }).nth(3).selectOption("6.10");
  await play.answered();
  expect(await play.kernels()).toEqual(["6.8", "6.11", "6.12", "6.10"]);
  await expect(page.locator(".strip-label").nth(3)).toContainText("6.10");
  await page.getByRole("button", { name: "Remove 6.8" }).click();
  await play.answered();
  expect(await play.kernels()).toEqual(["6.11", "6.12", "6.10"]);
  await expect(play.strips).toHaveCount(3);
});

test("the last variant cannot be removed, and one alone is no comparison", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await page.getByRole("button", { name: "Remove 6.8" }).click();
  await page.getByRole("button", { name: "Remove 6.11" }).click();
  await play.answered();
  await expect(page.getByRole("button", { name: /^Remove/ })).toHaveCount(0);
  await expect(play.findings).toContainText("Add another to compare");
});

test("there are at most eight variants", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  const add = page.getByRole("button", { name: "Add a variant" });
  for (let more = 0; more < 5; more += 1) await add.click();
  await expect(add).toHaveCount(0);
  await play.answered();
  await expect(play.strips).toHaveCount(8);
});

test("another memory design can be chosen", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await page.getByRole("combobox", { name: "Memory" }).nth(2).selectOption("baseline-64k");
  await play.answered();
  await expect(page.getByRole("combobox", { name: "Memory" }).nth(2)).toHaveValue("baseline-64k");
  await expect(play.findings).toBeVisible();
});
