// A link reproduces exactly what its sender saw, and a bad one loses nothing.

import { expect, test } from "./fixtures";
import { HEAP, linkTo, Playground } from "./playground";

test("a shared link shows the same in another browser profile", async ({ page, browser, host }) => {
  const play = new Playground(page);
  await play.open();
  await play.write(`# Grüße, 𝕏\n${HEAP}`);
  await page.getByRole("button", { name: "Remove 6.8" }).click();
  await play.answered();
  await play.tab("Calls").click();
  await play.slider.fill("2");
  await page.keyboard.press("Control+s");
  const field = page.getByRole("textbox", { name: "Link", exact: true });
  await expect(field).toHaveValue(/#v1\//);
  const link = await field.inputValue();
  expect(link).not.toMatch(/[_.-]$/);

  const other = await (await browser.newContext({ baseURL: host.origin })).newPage();
  const same = new Playground(other);
  await other.goto(link);
  await same.settled();
  await expect(same.editor).toContainText("# Grüße, 𝕏");
  expect(await same.kernels()).toEqual(["6.11", "6.12"]);
  await expect(same.tab("Calls")).toHaveAttribute("aria-selected", "true");
  await expect(same.slider).toHaveValue("2");
  await expect(same.findings).toHaveText((await play.findings.textContent()) ?? "?");
  await other.context().close();
});

test("the address bar holds what is shown, so that a reload keeps everything", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  expect(new URL(page.url()).hash).toBe("");
  await play.write(HEAP);
  await play.slider.fill("1");
  await play.tab("Calls").click();
  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#v1\//);
  const settled = async () => {
    const before = page.url();
    await page.evaluate(() => new Promise((done) => setTimeout(done, 600)));
    return before === page.url();
  };
  await expect.poll(settled).toBe(true);
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await play.settled();
  await expect(play.editor).toContainText("mprotect(heap, 16K, PROT_READ)");
  await expect(play.slider).toHaveValue("1");
  await expect(play.tab("Calls")).toHaveAttribute("aria-selected", "true");
});

test("a link written by hand opens", async ({ page }) => {
  const play = new Playground(page);
  await play.open(linkTo("brk(NULL)\n"));
  await expect(play.editor).toHaveText("brk(NULL)");
});

test("back and forward go from example to example", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  const first = await play.editor.textContent();
  await play.choose("munmap-across-a-seal");
  await play.answered();
  await expect.poll(() => new URL(page.url()).hash).not.toBe("");
  const second = await play.editor.textContent();
  expect(second).not.toBe(first);
  await play.choose("mremap-and-seals");
  await expect.poll(() => play.editor.textContent()).not.toBe(second);
  await expect.poll(async () => page.evaluate(() => history.length)).toBeGreaterThan(2);
  await page.goBack();
  await expect.poll(() => play.editor.textContent()).toBe(second);
});

const hostile: [string, string][] = [
  ["random characters", "#v1/!!!%%%$$$"],
  ["no payload", "#v1/"],
  ["a truncated payload", "#v1/eJwrSyzKTCxJVbBVKElNLdFRKMnILAYAQOIGqQ"],
  ["a version to come", "#v99/abcdefg"],
  ["markup", "#v1/<img src=x onerror=alert(1)>"],
  [
    "another page's fragment",
    "#/url/vega-lite/N4IgJAzgxgFgpgWwIYgFwhgF0wBwqgegIDc4BzJAOjIEtMYBXAI0poHsDp5kTykBaADZ04JAKyUAVhDYA7EABoQAEzjQATjRyZ289AEEABBBr0EcTAQA2cOAAoAlEA",
  ],
];

for (const [what, fragment] of hostile) {
  test(`a link of ${what} is refused in words, and what was written stays`, async ({ page }) => {
    const play = new Playground(page);
    await play.open();
    await play.write(HEAP);
    await play.answered();
    await page.evaluate((hash) => {
      location.hash = hash;
    }, fragment);
    await expect(play.toasts).not.toBeEmpty();
    await expect(play.editor).toContainText("mprotect(heap, 16K, PROT_READ)");
    await play.answered();
  });
}

test("a page opened with a bad link still works", async ({ page }) => {
  const play = new Playground(page);
  await play.open("#v1/garbage!");
  await expect(play.toasts).not.toBeEmpty();
  await expect(play.editor).toContainText("mseal");
});

test("markup in a link is text", async ({ page }) => {
  const play = new Playground(page);
  const markup = "<img src=x onerror='document.title=1'><script>document.title=2</script>";
  await play.open(linkTo(`# ${markup}\n${markup}\nload(${markup}, 4K)\n`));
  await expect(play.editor).toContainText(markup);
  await expect(page.locator(".faults")).toBeVisible();
  expect(await page.locator("img, .faults script").count()).toBe(0);
  expect(await page.title()).toContain("sealab");
});

test("invisible and direction-turning characters are shown for what they are", async ({ page }) => {
  const play = new Playground(page);
  await play.open(linkTo("he\u200bap = 1\n\u202eload(4K)\n"));
  await expect(page.locator(".cm-specialChar").first()).toBeVisible();
  await expect(page.locator(".faults")).toContainText(/200b|202e/i);
});

test("copies as Markdown, with and without the result", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const play = new Playground(page);
  await play.open();
  await page.getByRole("button", { name: "Share" }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy: Markdown link" }).click();
  await expect.poll(copied).toMatch(/^\[mprotect across a seal\]\(http.*#v1\//);
  await page.getByRole("button", { name: "Copy: Markdown with the scenario" }).click();
  await expect.poll(copied).toContain("| 6.11 |");
  expect(await copied()).toContain("mseal(heap + 8K, 4K, 0)");
});

test("a link too long for a chat says so", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  // Digits that do not repeat do not compress.
  let state = 1;
  const lines = Array.from({ length: 1500 }, () => {
    state = (state * 48271) % 2147483647;
    return `load(0x${(state * 4096).toString(16)}, 1)`;
  });
  await play.write(`${lines.join("\n")}\n`);
  await play.answered();
  await page.keyboard.press("Control+s");
  await expect(page.getByRole("dialog")).toContainText("longer than the 2,000 that chat tools");
});
