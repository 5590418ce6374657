// The page before, without and after the program: nothing is lost, and a failure is said in words.

import { expect, expectAccessible, test } from "./fixtures";
import { Playground } from "./playground";

test("the static page stands before the program runs, and its text can be edited", async ({
  page,
}) => {
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(/sealab-web.*\.wasm$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "sealab" })).toBeVisible();
  const text = page.locator("#shell-text");
  await expect(text).toHaveValue(/mseal\(heap \+ 8K, 4K, 0\)/);
  await text.fill("changed = mmap(NULL, 4K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)");
  expect(await page.evaluate(() => sealab.shellText())).toContain("changed");
  await expectAccessible(page);
  release();
  await expect(page.locator("html")).toHaveAttribute("data-state", "running");
});

test("a program that does not load is said in words, and the text stays", async ({
  page,
  watch,
}) => {
  watch.allow(/status of 503/);
  await page.route(/sealab-web.*\.wasm$/, (route) => route.fulfill({ status: 503 }));
  await page.goto("/");
  await expect(page.locator("#shell-status")).toContainText("could not start");
  await expect(page.locator("#shell-text")).toHaveValue(/mseal/);
});

test("without JavaScript the page says what to do", async ({ browser, host }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: host.origin });
  const page = await context.newPage();
  await page.goto("/");
  await expect(page.locator("noscript p")).toBeVisible();
  await expect(page.locator("#shell-text")).toHaveValue(/mseal/);
  await context.close();
});

test("the page works from any folder", async ({ page, host }) => {
  const answer = await page.goto(`${host.origin}/any/folder/`);
  expect(answer?.status()).toBe(200);
  await expect(page.locator("html")).toHaveAttribute("data-state", "running");
});

test("the simulator also runs in the page itself", async ({ page }) => {
  await page.goto("/");
  const usable = await page.evaluate(async () => {
    const simulator = await sealab.loadSimulator(() => {});
    return typeof simulator.handle;
  });
  expect(usable).toBe("function");
});

test("a worker that cannot load its program says so", async ({ page, watch }) => {
  watch.allow(/status of 503|503 Service Unavailable/);
  await page.goto("/bench.html");
  await page.route(/sealab-worker.*\.wasm$/, (route) => route.fulfill({ status: 503 }));
  const message = await page.evaluate(async () => {
    const index = await (await fetch("index.html")).text();
    const file = /data-worker="([^"]+)"/.exec(index)?.[1] ?? "";
    const worker = new Worker(file, { type: "module", name: "sealab" });
    return new Promise<string>((done) => {
      worker.onerror = (event) => done(event.message);
      worker.postMessage("load");
    });
  });
  expect(message).not.toBe("");
});

test("the policy refuses inline scripts and foreign fetches", async ({ page, watch }) => {
  watch.allow(/Content Security Policy|Refused|violates/);
  await page.goto("/bench.html");
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "globalThis.inlineRan = true";
    document.body.append(script);
    const fetched = await fetch("http://localhost:1/").then(
      () => true,
      () => false,
    );
    return { inline: "inlineRan" in globalThis, fetched };
  });
  expect(ran).toEqual({ inline: false, fetched: false });
});

test("the first result is there before the simulator is", async ({ page }) => {
  let asked = 0;
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(/sealab-worker.*\.wasm$/, async (route) => {
    asked += 1;
    await held;
    await route.continue();
  });
  const play = new Playground(page);
  await page.goto("/");
  await expect(play.findings).toContainText("Line 7");
  await expect(play.strips).toHaveCount(3);
  await play.slider.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".stepbar")).toContainText("mmap(");
  // An untouched page fetches it by itself after a while.
  await expect.poll(() => asked).toBe(1);
  release();
  await play.settled();
  // What was prepared is what the simulator says.
  const prepared = await play.findings.innerText();
  await play.add("\n# the same, run anew\n");
  await play.answered();
  expect(await play.findings.innerText()).toBe(prepared);
});
