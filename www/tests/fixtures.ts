// What every browser test stands on: the built page on a host of its own, and a watch that fails the
// test when the console was not empty, something was fetched from elsewhere, or the policy was broken.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { type StaticHost, serve } from "./server";

export { expect };

/** Notes of what must not happen; `allow` takes out what a test means to cause. */
export interface Watch {
  /** A test that provokes a message says which. */
  allow(message: RegExp): void;
  /** A test with a second host of its own names it. */
  allowOrigin(origin: string): void;
}

interface PerWorker {
  /** Serves the built page, and `/bench.html`: an empty page with its policy and style sheet. */
  host: StaticHost;
}

interface PerTest {
  watch: Watch;
}

export const test = base.extend<PerTest, PerWorker>({
  host: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from it
    async ({}, use) => {
      const site = process.env.SEALAB_SITE;
      if (!site) throw new Error("SEALAB_SITE is not set: run `cargo xtask test --only browser`");
      const host = await serve(site, { "/bench.html": await bench(site) });
      await use(host);
      await host.close();
    },
    { scope: "worker" },
  ],

  baseURL: async ({ host }, use) => use(host.origin),

  watch: [
    async ({ context, host }, use) => {
      const allowed: RegExp[] = [];
      const origins = new Set([host.origin]);
      const seen: string[] = [];
      const foreign: string[] = [];
      listen(context, seen, (url) => {
        const { protocol, origin } = new URL(url);
        // data: and blob: stay inside the browser.
        if (protocol !== "data:" && protocol !== "blob:" && !origins.has(origin)) foreign.push(url);
      });
      await use({
        allow: (message) => allowed.push(message),
        allowOrigin: (origin) => origins.add(origin),
      });
      const unexpected = seen.filter((line) => !allowed.some((pattern) => pattern.test(line)));
      expect(unexpected, "the console is empty").toEqual([]);
      expect(foreign, "nothing is fetched from elsewhere").toEqual([]);
    },
    { auto: true },
  ],
});

/** An empty page for tests of single modules, as strict as the built one. */
async function bench(site: string): Promise<string> {
  const index = await readFile(join(site, "index.html"), "utf8");
  const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/.exec(index)?.[0];
  const style = /<link[^>]*rel="stylesheet"[^>]*>/.exec(index)?.[0];
  if (!policy || !style) throw new Error("the built page has no policy or no style sheet");
  const icon = '<link rel="icon" href="icon.svg">';
  return `<!doctype html><html lang="en"><meta charset="utf-8">${policy}<title>Bench</title>${icon}${style}<body><main><h1>Bench</h1><div id="place"></div></main></body></html>`;
}

function listen(context: BrowserContext, seen: string[], requested: (url: string) => void): void {
  const watchPage = (page: Page) => {
    page.on("crash", () => seen.push("crash: the page's process ended"));
    page.on("worker", (worker) => {
      worker.on("console", (message) => seen.push(`worker ${message.type()}: ${message.text()}`));
    });
  };
  context.on("page", watchPage);
  for (const page of context.pages()) watchPage(page);
  context.on("console", (message) => seen.push(`${message.type()}: ${message.text()}`));
  context.on("weberror", (error) => seen.push(`uncaught: ${error.error().message}`));
  context.on("request", (request) => requested(request.url()));
  context.on("requestfailed", (request) => {
    // A page that is left in the middle of a load is no fault of the page.
    const reason = request.failure()?.errorText ?? "failed";
    if (reason !== "net::ERR_ABORTED") seen.push(`request ${request.url()}: ${reason}`);
  });
}

/** Fails when axe finds anything a reader with an assistive technology would stumble over. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const words = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.target).join(", ")})`,
  );
  expect(words, "axe finds no violation").toEqual([]);
}
