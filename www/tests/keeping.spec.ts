// Nothing a person typed is lost.

import { expect, test } from "./fixtures";
import { HEAP, linkTo, Playground } from "./playground";

test("what was written is there at the next visit", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.write(`# kept\n${HEAP}`);
  await play.answered();
  await expect
    .poll(() => page.evaluate(() => Object.values(localStorage).join()))
    .toContain("# kept");
  await page.goto("about:blank");
  await play.open();
  await expect(play.editor).toContainText("# kept");
});

test("what was typed in the last moment is kept too", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.add("# the last moment");
  await page.goto("about:blank");
  await play.open();
  await expect(play.editor).toContainText("# the last moment");
});

test("an example takes the place of a text, which one press brings back", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.write(`# mine\n${HEAP}`);
  await page.getByRole("button", { name: "Remove 6.8" }).click();
  await play.answered();
  await play.choose("munmap-across-a-seal");
  await expect(play.editor).not.toContainText("# mine");
  await page.getByRole("button", { name: "Bring it back" }).click();
  await expect(play.editor).toContainText("# mine");
  await play.answered();
  expect(await play.kernels()).toEqual(["6.11", "6.12"]);
});

test("the text before an example is in the gallery's list as well", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.write(`# mine\n${HEAP}`);
  await play.choose("munmap-across-a-seal");
  await play.answered();
  await play.choose("before");
  await expect(play.editor).toContainText("# mine");
});

test("the editor's own undo goes back over an example", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.write(`# mine\n${HEAP}`);
  await play.choose("munmap-across-a-seal");
  await expect(play.editor).not.toContainText("# mine");
  await play.editor.focus();
  await page.keyboard.press("Control+z");
  await expect(play.editor).toContainText("# mine");
});

test("a link that is opened does not lose what was written", async ({ page }) => {
  const play = new Playground(page);
  await play.open();
  await play.write(`# mine\n${HEAP}`);
  await play.answered();
  await page.evaluate((hash) => {
    location.hash = hash;
  }, linkTo("brk(NULL)\n"));
  await expect(play.editor).toHaveText("brk(NULL)");
  await page.getByRole("button", { name: "Bring it back" }).click();
  await expect(play.editor).toContainText("# mine");
});

test("without storage the page works and says once that it keeps nothing", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });
  const play = new Playground(page);
  await play.open();
  await expect(play.toasts).toContainText("keeps nothing");
  await play.write(HEAP);
  await play.answered();
  await expect(play.findings).toContainText("EPERM");
});

test("with a full storage the page works and says so", async ({ page }) => {
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  const play = new Playground(page);
  await play.open();
  await expect(play.toasts).toContainText("storage is full");
});

test("what another version kept in another shape is no obstacle", async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem("sealab/1", '{"text":7}'));
  const play = new Playground(page);
  await play.open();
  await expect(play.editor).toContainText("mseal");
});
