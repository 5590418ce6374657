// The embed, in pages of another origin: alive when it is looked at, a text with a link otherwise.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Page } from "@playwright/test";
import { expect, expectAccessible, test } from "./fixtures";
import { HEAP, linkTo } from "./playground";
import { type StaticHost, serve } from "./server";

/** A page on a host of its own, with `body`; the playground's host is `site`. */
async function elsewhere(body: string, headers = {}): Promise<StaticHost> {
  const empty = await mkdtemp(join(tmpdir(), "sealab-host-"));
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Docs</title><link rel="icon" href="data:,"><body><main><h1>Docs</h1>${body}</main></body></html>`;
  return serve(empty, { "/": page }, headers);
}

const script = (site: string) => `<script defer src="${site}/embed/v1.js"></script>`;
const element = (attributes = "", text = HEAP) =>
  `<sealab-play title="A sealed page" ${attributes}><pre tabindex="0">${text}</pre><p><a href="https://sealab.example/">Open it</a></p></sealab-play>`;
const frameOf = (page: Page, index = 0): FrameLocator =>
  page.locator("sealab-play").nth(index).frameLocator("iframe");

/** Notes the element's events in `window.heard`. */
const HEARD = `<script>window.heard = [];
for (const type of ["ready", "step", "error", "resize"])
  document.addEventListener("sealab-" + type, (e) => heard.push([type, e.detail]));</script>`;
const heard = (page: Page) =>
  page.evaluate(() => (window as unknown as { heard: [string, { step?: number }][] }).heard);

async function open(
  page: Page,
  watch: { allowOrigin(origin: string): void },
  body: string,
): Promise<void> {
  const host = await elsewhere(body);
  watch.allowOrigin(host.origin);
  page.on("close", () => host.close());
  await page.goto(`${host.origin}/`);
}

test("comes alive when it comes into sight, and no sooner", async ({ page, host, watch }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const far = '<div style="height:3000px">Text</div>';
  await open(page, watch, `${HEARD}${far}${element("step=3")}${script(host.origin)}`);
  await page.waitForFunction(() => customElements.get("sealab-play"));
  expect(asked.filter((url) => url.includes("embed.html"))).toEqual([]);
  await page.locator("sealab-play").scrollIntoViewIfNeeded();
  const frame = frameOf(page);
  await expect(frame.locator("#caption")).toHaveText("3 / 3");
  await expect(frame.locator("#picture svg title").first()).toContainText("mprotect(heap, 16K");
  await expect(frame.locator("#finding")).toContainText("EPERM");
  expect((await heard(page)).find(([type]) => type === "ready")?.[1]).toEqual({
    step: 3,
    steps: 3,
  });
});

test("steps by button, by key, by method and by attribute", async ({ page, host, watch }) => {
  await open(page, watch, `${HEARD}${element("controls=full")}${script(host.origin)}`);
  const frame = frameOf(page);
  const caption = frame.locator("#caption");
  await expect(caption).toHaveText("3 / 3");
  await frame.getByRole("button", { name: "Previous step" }).click();
  await expect(caption).toHaveText("2 / 3");
  await frame.getByRole("slider", { name: "Step" }).press("ArrowLeft");
  await expect(caption).toHaveText("1 / 3");
  await page.locator("sealab-play").evaluate((play) => (play as unknown as Play).goto(0));
  await expect(caption).toHaveText("0 / 3");
  await page.locator("sealab-play").evaluate((play) => play.setAttribute("step", "2"));
  await expect(caption).toHaveText("2 / 3");
  const steps = (await heard(page)).filter(([type]) => type === "step").map(([, d]) => d.step);
  expect(steps).toEqual([2, 1, 0, 2]);
  await frame.getByRole("button", { name: "Calls" }).click();
  await expect(frame.getByRole("row", { name: /mseal\(/ })).toHaveAttribute("aria-current", "step");
});

interface Play extends HTMLElement {
  goto(step: number): void;
  getLink(): string;
}

test("gives the link to what it shows, and the playground opens it", async ({
  page,
  host,
  watch,
}) => {
  await open(page, watch, `${element("variants=6.11,6.18 step=2")}${script(host.origin)}`);
  await expect(frameOf(page).locator("#caption")).toHaveText("2 / 3");
  const link = await page
    .locator("sealab-play")
    .evaluate((play) => (play as unknown as Play).getLink());
  expect(link).toContain(`${host.origin}/#src=`);
  const shown = await frameOf(page).getByRole("link", { name: "Open in playground" });
  const href = await shown.evaluate((a) => (a as HTMLAnchorElement).href);
  for (const address of [link, href]) {
    await page.goto(address);
    await expect(page.getByRole("slider", { name: "Step" })).toHaveValue("2");
    const kernels = page.getByRole("combobox", { name: "Kernel" });
    await expect(kernels.nth(1)).toHaveValue("6.18");
  }
});

test("never changes its own or the page's address", async ({ page, host, watch }) => {
  await open(page, watch, `${element()}${script(host.origin)}`);
  const frame = frameOf(page);
  await expect(frame.locator("#caption")).toHaveText("3 / 3");
  const addresses = () => page.frames().map((one) => one.url());
  const before = [addresses(), await page.evaluate(() => history.length)];
  await frame.getByRole("button", { name: "Previous step" }).click();
  await expect(frame.locator("#caption")).toHaveText("2 / 3");
  expect([addresses(), await page.evaluate(() => history.length)]).toEqual(before);
});

test("takes the page's theme, and another when told", async ({ page, host, watch }) => {
  await open(page, watch, `${element()}${script(host.origin)}`);
  const root = frameOf(page).locator("html");
  await expect(root).toHaveAttribute("data-state", "running");
  await expect(root).toHaveAttribute("data-theme", "light");
  await page.evaluate(() => {
    document.documentElement.dataset.theme = "dark";
  });
  await expect(root).toHaveAttribute("data-theme", "dark");
  await page.locator("sealab-play").evaluate((play) => play.setAttribute("theme", "light"));
  await expect(root).toHaveAttribute("data-theme", "light");
});

test("twenty of them load under 60 KB before anyone scrolls", async ({ page, host, watch }) => {
  let bytes = 0;
  const counted: Promise<void>[] = [];
  page.on("response", (response) => {
    counted.push(
      response.body().then(
        (body) => {
          bytes += body.length;
        },
        () => {},
      ),
    );
  });
  const intro = '<p style="height:1200px">What the twenty examples below are about.</p>';
  const all = Array.from({ length: 20 }, (_, at) => element(`step=${at % 4}`)).join("<p>More</p>");
  await open(page, watch, `${intro}${all}${script(host.origin)}`);
  await page.waitForFunction(() => customElements.get("sealab-play"));
  await page.waitForLoadState("networkidle");
  await Promise.all(counted);
  expect(page.workers()).toHaveLength(0);
  expect(page.frames()).toHaveLength(1);
  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThan(60_000);
});

test("keeps its place free: nothing shifts when it comes alive", async ({ page, host, watch }) => {
  const shifts = `<script>window.shift = 0;
new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) shift += e.value; })
  .observe({ type: "layout-shift", buffered: true });</script>`;
  await open(page, watch, `${shifts}${script(host.origin)}${element("height=300")}<p>After</p>`);
  await expect(frameOf(page).locator("#caption")).toHaveText("3 / 3");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  expect((await page.locator("sealab-play").boundingBox())?.height).toBe(300);
  expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(
    0.1,
  );
});

test("waits for a click where it is told to", async ({ page, host, watch }) => {
  await open(page, watch, `${element("loading=click")}${script(host.origin)}`);
  await expect(page.locator("sealab-play pre")).toBeVisible();
  expect(page.frames()).toHaveLength(1);
  await page.getByRole("button", { name: "Run it here" }).click();
  await expect(frameOf(page).locator("#caption")).toHaveText("3 / 3");
  await expectAccessible(page);
});

test("without scripts the text and the link are there", async ({ browser, host }) => {
  const other = await elsewhere(`${element()}${script(host.origin)}`);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${other.origin}/`);
  await expect(page.getByText("mseal(heap + 8K, 4K, 0)")).toBeVisible();
  await expect(page.getByRole("link", { name: "Open it" })).toBeVisible();
  await context.close();
  await other.close();
});

test("on paper the text and the link are there", async ({ page, host, watch }) => {
  await open(page, watch, `${element()}${script(host.origin)}`);
  await expect(frameOf(page).locator("#caption")).toHaveText("3 / 3");
  await page.emulateMedia({ media: "print" });
  await expect(page.getByText("mseal(heap + 8K, 4K, 0)")).toBeVisible();
  await expect(page.locator("sealab-play iframe")).toBeHidden();
});

test("hears only its own frame, and only what is well formed", async ({ page, host, watch }) => {
  await open(page, watch, `${HEARD}${element()}${script(host.origin)}`);
  await expect(frameOf(page).locator("#caption")).toHaveText("3 / 3");
  const before = (await heard(page)).length;
  await page.evaluate(() => postMessage({ sealab: 1, type: "step", step: 9, steps: 9 }, "*"));
  const child = page.frames()[1];
  await child?.evaluate(() => {
    for (const message of [
      null,
      7,
      { sealab: 1, type: "step", step: "9", steps: 9 },
      { sealab: 1, type: "resize", height: 1e12 },
    ]) {
      parent.postMessage(message, "*");
    }
    // To itself: a frame that hears anyone but its parent would step.
    postMessage({ sealab: 1, type: "goto", step: 0 }, "*");
  });
  await page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
  expect((await heard(page)).length).toBe(before);
  await expect(frameOf(page).locator("#caption")).toHaveText("3 / 3");
});

test("a text with faults or a damaged link is an error in words", async ({ page, host, watch }) => {
  await open(
    page,
    watch,
    `${HEARD}<sealab-play title="Damaged" src="#v1/%%%"><p>Text</p></sealab-play>${script(host.origin)}`,
  );
  await expect(frameOf(page).locator("#status")).toContainText(/link/i);
  const errors = (await heard(page)).filter(([type]) => type === "error");
  expect(errors).toHaveLength(1);
});

const SANDBOX = 'sandbox="allow-scripts" title="Example" width="800" height="500"';

test("in a sandbox without an origin it runs without a worker", async ({ page, watch }) => {
  // A host that lets others read its files, as the `_headers` example says.
  const site = await serve(
    process.env.SEALAB_SITE ?? "",
    {},
    { "access-control-allow-origin": "*" },
  );
  watch.allowOrigin(site.origin);
  await open(
    page,
    watch,
    `<iframe ${SANDBOX} src="${site.origin}/embed.html${linkTo(HEAP)}"></iframe>`,
  );
  const frame = page.frameLocator("iframe");
  await expect(frame.locator("#caption")).toHaveText("3 / 3");
  expect(page.workers()).toHaveLength(0);
  expect(await page.frames()[1]?.evaluate(() => origin)).toBe("null");
  await site.close();
});

test("where even that is refused, text and link stay", async ({ page, host, watch }) => {
  watch.allow(/CORS|ERR_FAILED|access-control/i);
  await open(
    page,
    watch,
    `<iframe ${SANDBOX} src="${host.origin}/embed.html${linkTo(HEAP)}"></iframe>`,
  );
  const frame = page.frameLocator("iframe");
  await expect(frame.locator("#status")).toContainText("Open it in the playground");
  await expect(frame.locator("#text")).toContainText("mseal(heap + 8K, 4K, 0)");
  await expect(frame.getByRole("link", { name: "Open in playground" })).toHaveAttribute(
    "href",
    /#src=/,
  );
});

test("frame and page around it are accessible, light and dark", async ({ page, host }) => {
  for (const theme of ["light", "dark"]) {
    for (const view of ["space", "calls"]) {
      await page.goto("about:blank");
      await page.goto(
        `${host.origin}/embed.html${linkTo(HEAP)}&theme=${theme}&view=${view}&controls=full`,
      );
      await expect(page.locator("#caption")).toHaveText("3 / 3");
      await expectAccessible(page);
    }
  }
});

test("fits a narrow page", async ({ page, host }) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto(`${host.origin}/embed.html${linkTo(HEAP)}&controls=full`);
  await expect(page.locator("#caption")).toHaveText("3 / 3");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wide).toBe(false);
});
