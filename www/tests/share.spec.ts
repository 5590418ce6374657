// What a reader takes away: links, embeds and files; and what a reader brings.

import { readFile } from "node:fs/promises";
import type { Download, Page } from "@playwright/test";
import { expect, expectAccessible, test } from "./fixtures";
import { HEAP, linkTo, Playground } from "./playground";
import { serve } from "./server";

async function share(page: Page): Promise<Playground> {
  const play = new Playground(page);
  await play.open(linkTo(HEAP));
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByRole("textbox", { name: "Link", exact: true })).toBeVisible();
  return play;
}

test("every way to take it along is there, and accessible", async ({ page }) => {
  await share(page);
  for (const name of ["Link", "Markdown link", "HTML embed", "Frame"]) {
    await expect(page.getByRole("textbox", { name, exact: true })).not.toHaveValue("");
  }
  await expectAccessible(page);
});

test("the embed that Share gives works in a page of another origin", async ({ page, watch }) => {
  await share(page);
  const markup = await page.getByRole("textbox", { name: "HTML embed" }).inputValue();
  const other = await serve("/nowhere", {
    "/": `<!doctype html><html lang="en"><title>Docs</title><link rel="icon" href="data:,"><main><h1>Docs</h1>${markup}</main></html>`,
  });
  watch.allowOrigin(other.origin);
  await page.goto(`${other.origin}/`);
  const frame = page.locator("sealab-play").frameLocator("iframe");
  await expect(frame.locator("#caption")).toHaveText("3 / 3");
  await other.close();
});

test("picture, table and report are files with the link in them", async ({ page }) => {
  await share(page);
  const link = await page.getByRole("textbox", { name: "Link", exact: true }).inputValue();
  const saved = async (name: string): Promise<[Download, Buffer]> => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name, exact: true }).click(),
    ]);
    return [download, await readFile(await download.path())];
  };
  const [scenario, text] = await saved("Scenario");
  expect(scenario.suggestedFilename()).toMatch(/\.seal$/);
  expect(text.toString()).toBe(HEAP);
  const [, svg] = await saved("Picture, SVG");
  expect(svg.toString()).toContain("EPERM, 8K changed");
  expect(svg.toString().replaceAll("&amp;", "&")).toContain(`<metadata>${link}</metadata>`);
  const [, png] = await saved("Picture, PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.readUInt32BE(16)).toBeGreaterThan(1_000);
  const [, csv] = await saved("Table, CSV");
  expect(csv.toString()).toMatch(/^kernel,memory,cpu,/);
  const [, markdown] = await saved("Table, Markdown");
  expect(markdown.toString()).toContain(`](${link})`);
  const [, json] = await saved("Report, JSON");
  const report = JSON.parse(json.toString());
  expect([report.format, report.link]).toEqual(["sealab-report/1", link]);
});

/** Drops a file on the page, as a person does. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.locator(".desk").evaluate(
    (target, [name, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name));
      const how = { dataTransfer, bubbles: true, cancelable: true };
      target.dispatchEvent(new DragEvent("dragover", how));
      target.dispatchEvent(new DragEvent("drop", how));
    },
    [name, text] as const,
  );
}

test("a dropped scenario is opened, a dropped maps file is where it starts", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await drop(page, "mine.strace", "munmap(0x555555554000, 4096) = 0\n");
  await expect(play.editor).toContainText("munmap(0x555555554000, 4096)");
  await drop(page, "maps", "555555554000-555555556000 r--p 00000000 fe:00 7 /bin/x\n");
  await expect(play.toasts).toContainText("starting memory");
  await expect(page.locator(".start summary")).toContainText("1 mappings given");
  await drop(page, "picture.png", "\u0000\u0001");
  await expect(play.toasts).toContainText("not a text");
});

test("a long link says so, and a newer version's link too", async ({ page }) => {
  const play = new Playground(page);
  await play.open("#v99/AAAA");
  await expect(play.toasts).toContainText("newer");
  const noise = Array.from({ length: 400 }, (_, at) => `munmap(${(at * 7919) ** 2}, 4K)`);
  await play.write(noise.join("\n"));
  await play.answered();
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByRole("dialog")).toContainText("Save the scenario as a file");
});
