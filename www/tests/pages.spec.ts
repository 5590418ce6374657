// The view of pages: what a step did to contiguous blocks, granules side by side, keyboard, text.

import { expect, test } from "./fixtures";
import { linkTo, Playground } from "./playground";

const BLOCKS = `a = mmap(0x200000000000, 256K, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED, -1, 0)
store(a, 256K)
mprotect(a + 20K, 4K, PROT_READ)
mprotect(a + 20K, 4K, PROT_READ|PROT_WRITE)
access(a, 256K, random, 5000, 7)
`;

async function granules(play: Playground): Promise<void> {
  await play.open(linkTo(BLOCKS));
  await play.tab("Pages & TLB").click();
  await play.page.getByRole("button", { name: "Compare granules" }).click();
  await expect(play.page.locator("svg.pages[data-row]")).toHaveCount(8);
  await play.answered();
}

test("granules are compared by one click, with table and chart", async ({ page }) => {
  const play = new Playground(page);
  await granules(play);
  await expect(page.getByRole("button", { name: "Compare granules" })).toHaveCount(0);
  const faults = page.getByRole("row", { name: /^page faults/ });
  await expect(faults.getByRole("cell")).toHaveText(["64", "4", "4", "4", "16", "4", "1", "1"]);
  await expect(page.locator(".pages-view .chart svg")).toBeVisible();
});

test("a step's unfold is marked and its rule is named", async ({ page }) => {
  const play = new Playground(page);
  await granules(play);
  await play.slider.fill("2");
  const contpte = page.locator('svg.pages[data-row="contpte"]');
  await expect(contpte.locator(".cont-bar")).toHaveCount(4);
  await play.slider.fill("3");
  await expect(contpte.locator(".cont-bar")).toHaveCount(3);
  await expect(contpte.locator(".event-mark")).toHaveCount(1);
  const events = page.locator(".page-events");
  await expect(events).toContainText("Step 3, line 3");
  await expect(events).toContainText("block 0 unfolded");
  await play.slider.fill("4");
  await expect(events).toContainText("only the last page of a block tries");
});

test("pages are read by keyboard and as text", async ({ page }) => {
  const play = new Playground(page);
  await granules(play);
  const runs = page.locator('svg.pages[data-row="contpte"] .page-run');
  await runs.last().focus();
  await expect(page.locator(".page-rows .readout")).toContainText("folio 4 of 64K");
  await page.getByText("As text: one letter a page").click();
  await expect(page.locator(".letters")).toContainText("[WWWWWWWWWWWWWWWW]");
});

test("zooming shows fewer pages", async ({ page }) => {
  const play = new Playground(page);
  await granules(play);
  const runs = page.locator('svg.pages[data-row="baseline-64k"] .edges');
  await page.getByRole("button", { name: "Show less, larger" }).click();
  await expect(runs.first()).toHaveAttribute("d", /^M[^M]*$/);
});

test("nothing spills at 390 pixels", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const play = new Playground(page);
  await granules(play);
  const spill = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(spill).toBeLessThanOrEqual(0);
});
