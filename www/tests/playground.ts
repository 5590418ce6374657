// The page as a person uses it, for the tests of its promises.

import type { Locator, Page } from "@playwright/test";
import { expect } from "./fixtures";

export const HEAP = `heap = mmap(NULL, 32K, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
mseal(heap + 8K, 4K, 0)
mprotect(heap, 16K, PROT_READ)
`;

/** A link written by hand, which every version reads. */
export const linkTo = (text: string) => `#src=${encodeURIComponent(text)}`;

export class Playground {
  readonly findings: Locator;
  readonly cards: Locator;
  readonly strips: Locator;
  readonly slider: Locator;
  readonly editor: Locator;
  readonly result: Locator;
  readonly toasts: Locator;

  constructor(readonly page: Page) {
    this.findings = page.getByRole("region", { name: /differ|No result/ });
    this.cards = page.locator(".card");
    this.strips = page.locator("svg.strip");
    this.slider = page.getByRole("slider", { name: "Step" });
    this.editor = page.locator(".full-editor .cm-content");
    this.result = page.getByRole("region", { name: "Result", exact: true });
    this.toasts = page.locator(".toasts");
  }

  /** Opens the page and waits until everything on it is there. */
  async open(fragment = ""): Promise<void> {
    await this.page.goto(`/${fragment}`);
    await this.settled();
  }

  /** Waits until the editor is loaded and what is shown answers what is written. */
  async settled(): Promise<void> {
    await expect(this.editor).toBeVisible();
    await this.answered();
  }

  async answered(): Promise<void> {
    await expect(this.result).toHaveAttribute("data-fresh", "true");
  }

  /** Puts another text in the place of the editor's, as a person who pastes it. */
  async write(text: string): Promise<void> {
    await this.editor.focus();
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.press("Delete");
    if (text !== "") await this.paste(text);
  }

  async add(text: string): Promise<void> {
    await this.editor.focus();
    await this.page.keyboard.press("Control+End");
    await this.paste(text);
  }

  private async paste(text: string): Promise<void> {
    await this.editor.evaluate((editor, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      editor.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
      );
    }, text);
  }

  /** Leaves the editor, so that keys are the page's. */
  async leaveEditor(): Promise<void> {
    await this.page.locator(".tabs").click({ position: { x: 600, y: 5 } });
    await this.slider.focus();
  }

  step(): Promise<number> {
    return this.slider.inputValue().then(Number);
  }

  tab(name: string): Locator {
    return this.page.getByRole("tab", { name });
  }

  rows(): Locator {
    return this.page.locator(".rows-body .row");
  }

  async kernels(): Promise<string[]> {
    return this.page
      .getByRole("combobox", { name: "Kernel" })
      .evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).value));
  }

  /** Loads an example by its id; `before` is what was on the page before the last one. */
  async choose(example: string): Promise<void> {
    await this.page.locator("#gallery").click();
    await this.page.locator(`#gallery-sheet [data-example="${example}"]`).click();
  }
}
