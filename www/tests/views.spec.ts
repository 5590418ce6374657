// The views: calls one by one, and what they cost.

import { expect, test } from "./fixtures";
import { linkTo, Playground } from "./playground";

test("the calls are listed with a result for each variant, differences marked", async ({
  page,
}) => {
  const play = new Playground(page);
  await play.open();
  await play.tab("Calls").click();
  await expect(play.rows()).toHaveCount(6);
  const mseal = play.rows().filter({ hasText: "mseal" });
  await expect(mseal).toHaveClass(/differs/);
  await expect(mseal).toContainText("ENOSYS");
  await page.getByRole("checkbox", { name: "Only calls in which the designs differ" }).check();
  await expect(play.rows().filter({ hasText: "store" })).toHaveCount(0);
  await expect(play.rows().filter({ hasText: "mprotect" })).toHaveCount(1);
});

test("a call leads to its counts and to who walked the tree", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.tab("Calls").click();
  await play.rows().filter({ hasText: "mprotect" }).click();
  const detail = page.getByRole("region", { name: "This call", exact: true });
  await expect(detail).toContainText("EPERM");
  await expect(detail.getByRole("row", { name: /walk/i }).first()).toBeVisible();
  await detail.getByText("Who walked the VMA tree").click();
  await expect(detail.locator(".chains li").first()).toContainText("mprotect");
});

test("the cost is drawn, and every chart has its data as a table", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.tab("Cost").click();
  const charts = page.getByRole("img", { name: /chart/i });
  await expect(charts.first()).toBeVisible();
  const parts = page.locator(".cost-part");
  expect(await parts.count()).toBeGreaterThan(1);
  for (const part of await parts.all()) {
    await expect(part.locator(".chart svg")).toBeVisible();
    await expect(part.locator("table tbody tr").first()).toBeVisible();
  }
});

test("a measured stretch is reported with its spread", async ({ page }) => {
  const play = new Playground(page);
  const text = `a = mmap(NULL, 64K, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
repeat 10 as i { measure "there and back" {
  mprotect(a + i*PAGE, PAGE, PROT_READ)
  mprotect(a + i*PAGE, PAGE, PROT_READ|PROT_WRITE)
} }
`;
  await play.open(linkTo(text));
  await play.tab("Cost").click();
  await expect(page.locator(".cost-part").first()).toContainText("there and back");
  await expect(page.locator(".cost-part").first()).toContainText("10 ×");
});

test("charts follow the theme", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.tab("Cost").click();
  const text = page.locator(".chart svg text").first();
  await expect(text).toBeVisible();
  const light = await text.evaluate((node) => getComputedStyle(node).fill);
  await page.keyboard.press("t");
  await page.keyboard.press("t");
  await expect
    .poll(() =>
      page
        .locator(".chart svg text")
        .first()
        .evaluate((node) => getComputedStyle(node).fill),
    )
    .not.toBe(light);
});
