// What is published beside the page: the book, and use offline.

import { cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, expectAccessible, test } from "./fixtures";
import { Playground } from "./playground";
import { serve } from "./server";

const CHAPTERS = ["introduction", "tutorial", "designs", "contpte", "reference", "embedding"];

for (const chapter of CHAPTERS) {
  test(`the book's chapter "${chapter}" is accessible`, async ({ page, host }) => {
    await page.goto(`${host.origin}/docs/${chapter}.html`);
    await expect(page.locator("main h1").first()).toBeVisible();
    await expectAccessible(page);
  });
}

test("the book plays its examples", async ({ page, host }) => {
  await page.goto(`${host.origin}/docs/tutorial.html`);
  await expect(page.locator("sealab-play")).toHaveCount(4);
  const third = page.locator("sealab-play").nth(2);
  await third.scrollIntoViewIfNeeded();
  const frame = third.frameLocator("iframe");
  await expect(frame.locator("#caption")).toHaveText("3 / 3");
  await expect(frame.locator("#finding")).toContainText("EPERM");
});

test("the book is readable without scripts", async ({ browser, host }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${host.origin}/docs/tutorial.html`);
  await expect(page.locator("sealab-play svg")).toHaveCount(4);
  await expect(page.locator("sealab-play table").nth(2)).toContainText("EPERM, 8K changed");
  await context.close();
});

/** A copy of the site that a test may change. */
async function copy() {
  const folder = await mkdtemp(join(tmpdir(), "sealab-site-"));
  await cp(process.env.SEALAB_SITE ?? "", folder, { recursive: true });
  return { folder, host: await serve(folder) };
}

test("works offline after the first visit, and says when there is a newer version", async ({
  page,
  context,
  watch,
}) => {
  const { folder, host } = await copy();
  watch.allowOrigin(host.origin);
  const play = new Playground(page);
  const keeps = async () => {
    await page.goto(`${host.origin}/any/folder/`);
    await play.settled();
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
  };
  await keeps();
  await context.setOffline(true);
  await page.reload();
  await play.settled();
  await expect(play.findings).toContainText("EPERM");
  await context.setOffline(false);

  const script = join(folder, "sw.js");
  const text = await readFile(script, "utf8");
  await writeFile(script, text.replace(/(?<![-\w])[0-9a-f]{16}(?![-\w.])/, "0123456789abcdef"));
  await page.reload();
  const notice = page.locator(".update-notice");
  await expect(notice).toContainText("A newer version");
  await expectAccessible(page);
  await Promise.all([
    page.waitForEvent("load"),
    notice.getByRole("button", { name: "Reload" }).click(),
  ]);
  await play.settled();
  await expect(notice).toBeHidden();
  const names = await page.evaluate(() => caches.keys());
  expect(names.filter((name) => !name.endsWith("pages"))).toEqual([
    `sealab ${host.origin}/any/folder/ 0123456789abcdef`,
  ]);
  await host.close();
});
