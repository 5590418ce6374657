// The editor module by itself: what the program may rely on.

import type { Page } from "@playwright/test";
import type * as module from "../src/editor";
import type { Editor, EditorOptions } from "../src/editor";
import { expect, expectAccessible, test } from "./fixtures";

declare global {
  // What the tests keep between two evaluations in the page.
  interface Window {
    editor: Editor;
    said: (string | number)[];
  }
}

const TEXT = "heap = mmap(NULL, 32K)\nmseal(heap, 4K, 0)\nload(heap, 4K)\n";

/** Opens the bench page and creates an editor that notes what it reports. */
async function open(page: Page, options: Partial<EditorOptions> = {}, text = TEXT): Promise<void> {
  await page.goto("/bench.html");
  await page.evaluate(
    async ({ doc, given }) => {
      const { editor: files } = await (await fetch("assets.json")).json();
      const { createEditor }: typeof module = await import(
        new URL(files[0], document.baseURI).href
      );
      const place = document.querySelector<HTMLElement>("#place");
      if (!place) throw new Error("no place");
      place.style.height = "360px";
      window.said = [];
      window.editor = createEditor(place, {
        doc,
        label: "Scenario",
        onChange: (version) => window.said.push(`change ${version}`),
        onCursorLine: (line) => window.said.push(`line ${line}`),
        onBadge: (line, mark) => window.said.push(`badge ${line} ${mark}`),
        complete: async (pos) => {
          const word = /\w*$/.exec(window.editor.getDoc().slice(0, pos))?.[0] ?? "";
          return {
            from: pos - word.length,
            options: [
              { label: "mprotect", kind: "function", detail: "call", info: "<b>changes</b>" },
              { label: "mremap", kind: "function" },
            ],
          };
        },
        hover: async (pos) =>
          pos >= 23 && pos < 28
            ? { from: 23, to: 28, title: "mseal", body: ["<i>Seals</i> mappings."], source: "6.10" }
            : null,
        ...given,
      });
    },
    { doc: text, given: options },
  );
}

const said = (page: Page) => page.evaluate(() => window.said.splice(0));
const doc = (page: Page) => page.evaluate(() => window.editor.getDoc());
const field = (page: Page) => page.getByRole("textbox", { name: "Scenario" });

test("typing is reported, programmatic changes are not, and both can be undone", async ({
  page,
}) => {
  await open(page);
  await field(page).click();
  await page.keyboard.press("Control+End");
  await said(page);
  await page.keyboard.type("x");
  expect(await said(page)).toEqual(["change 1"]);
  await page.evaluate(() => window.editor.setDoc("other\n"));
  expect(await said(page)).toEqual([]);
  expect(await page.evaluate(() => window.editor.version())).toBe(2);
  expect(await page.evaluate(() => window.editor.undo())).toBe(true);
  expect(await doc(page)).toBe(`${TEXT}x`);
  expect(await page.evaluate(() => window.editor.undo())).toBe(true);
  expect(await doc(page)).toBe(TEXT);
  expect(await page.evaluate(() => window.editor.history())).toEqual({ undo: 0, redo: 2 });
  await page.evaluate(() => window.editor.redo());
  expect(await doc(page)).toBe(`${TEXT}x`);
});

test("the cursor's line is reported when the reader moves it", async ({ page }) => {
  await open(page);
  await field(page).click();
  await page.keyboard.press("Control+Home");
  await said(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  expect(await said(page)).toEqual(["line 2", "line 3"]);
  await page.evaluate(() => window.editor.goToLine(1));
  expect(await said(page)).toEqual([]);
});

test("tokens are coloured, and an answer for an older text still fits", async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    window.editor.setTokens([
      { from: 7, to: 11, kind: "call" },
      { from: 12, to: 16, kind: "number" },
    ]);
  });
  await expect(page.locator(".tok-call")).toHaveText("mmap");
  await expect(page.locator(".tok-number")).toHaveText("NULL");

  // Answers for version 0 arrive after the reader typed in front of them.
  await field(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# é\n");
  await expect(page.locator(".tok-call")).toHaveText("mmap");
  await page.evaluate(() => {
    const packed = { kinds: ["keyword"], spans: Uint32Array.from([23, 28, 0]) };
    window.editor.setTokens(packed, 0);
    window.editor.setDiagnostics([{ from: 18, to: 21, severity: "error", message: "too long" }], 0);
    window.editor.setBadges([{ line: 2, marks: [mark("first")] }], 0);
    function mark(title: string) {
      return { shape: "square", color: "--v1", title } as const;
    }
  });
  await expect(page.locator(".tok-keyword")).toHaveText("mseal");
  await expect(page.locator(".cm-lintRange-error")).toHaveText("32K");
  const badge = page.locator(".cm-badges .cm-gutterElement", { has: page.locator("svg") });
  const box = await badge.boundingBox();
  const line = await page.locator(".cm-line", { hasText: "mseal" }).boundingBox();
  expect(Math.abs((box?.y ?? 0) - (line?.y ?? 1000))).toBeLessThan(6);
});

test("a million-token text is coloured where it is seen", async ({ page }) => {
  await open(page, {}, "load(heap, 4K)\n".repeat(100_000));
  await page.evaluate(() => {
    const spans = new Uint32Array(300_000);
    for (let line = 0; line < 100_000; line += 1) {
      spans.set([line * 15, line * 15 + 4, 0], line * 3);
    }
    window.editor.setTokens({ kinds: ["call"], spans });
  });
  await expect(page.locator(".tok-call").first()).toHaveText("load");
  expect(await page.locator(".tok-call").count()).toBeLessThan(500);
  await page.evaluate(() => window.editor.setActiveLine(90_000, true));
  await expect(page.locator(".cm-step .tok-call")).toHaveText("load");
});

test("diagnostics show message, hint and a fix, as text", async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    window.editor.setDiagnostics([
      {
        from: 23,
        to: 28,
        severity: "error",
        message: "no such call <img src=x onerror=alert(1)>",
        hint: "did you mean mlock?",
        fixes: [{ label: "Use mlock", insert: "mlock" }],
      },
      { from: 42, to: 9_999, severity: "warning", message: "beyond the end" },
    ]);
  });
  await expect(page.locator(".cm-lint-marker-error")).toBeVisible();
  await expect(page.locator(".cm-lint-marker-warning")).toBeVisible();
  await page.locator(".cm-lintRange-error").hover();
  const tip = page.locator(".cm-tooltip");
  await expect(tip.locator(".cm-message")).toHaveText("no such call <img src=x onerror=alert(1)>");
  await expect(tip.locator(".cm-hint")).toHaveText("did you mean mlock?");
  await expect(page.locator("img")).toHaveCount(0);
  await tip.getByRole("button", { name: "Use mlock" }).click();
  expect(await doc(page)).toContain("mlock(heap, 4K, 0)");
});

test("badges carry shape, colour and words, and can be clicked", async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    window.editor.setBadges([
      {
        line: 2,
        marks: [
          { shape: "square", color: "--v1", title: "6.8: ENOSYS" },
          { shape: "half", color: "--error", title: "6.12: EPERM, 8K changed" },
        ],
      },
      { line: 99, marks: [{ shape: "ring", color: "--v2", title: "no such line" }] },
    ]);
  });
  const marks = page.locator(".cm-badge [data-mark]");
  await expect(marks).toHaveCount(2);
  const paths = await marks
    .locator("path")
    .evaluateAll((all) => all.map((p) => p.getAttribute("d")));
  expect(new Set(paths).size).toBe(2);
  await marks.nth(1).click();
  expect(await said(page)).toContain("badge 2 1");
});

test("completion and hover help come from the program, as text", async ({ page }) => {
  await open(page);
  await field(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("mp");
  const list = page.getByRole("listbox");
  await expect(list.getByRole("option")).toHaveCount(1);
  await expect(page.locator(".cm-completionInfo")).toHaveText("<b>changes</b>");
  await page.keyboard.press("Enter");
  await expect.poll(() => doc(page)).toContain("\nmprotect");

  await page
    .locator(".cm-line")
    .nth(1)
    .hover({ position: { x: 20, y: 8 } });
  const hover = page.locator(".cm-hover");
  await expect(hover).toContainText("<i>Seals</i> mappings.");
  await expect(hover.locator("i")).toHaveCount(0);
});

test("Tab leaves the editor, and a read-only editor keeps its text", async ({ page }) => {
  await open(page, { readOnly: true });
  await field(page).click();
  await page.keyboard.type("x");
  expect(await doc(page)).toBe(TEXT);
  await page.evaluate(() => window.editor.setReadOnly(false));
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("x");
  expect(await doc(page)).toBe(`x${TEXT}`);
  await page.keyboard.press("Tab");
  expect(await doc(page)).toBe(`x${TEXT}`);
  await expect(field(page)).not.toBeFocused();
});

test("line ends are normalised, odd characters are shown for what they are", async ({ page }) => {
  await open(page, {}, "a\r\nb\u202ec\u200b\n");
  expect(await doc(page)).toBe("a\nb\u202ec\u200b\n");
  await expect(page.locator(".cm-specialChar")).toHaveCount(2);
});

test("the editor is accessible in light and dark, and leaves nothing behind", async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    const kinds = ["comment", "call", "keyword", "number", "flag", "string", "name", "result"];
    window.editor.setDoc(`${kinds.join(" ")}\n`);
    let at = 0;
    const tokens = kinds.map((kind) => {
      const from = at;
      at += kind.length + 1;
      return { from, to: from + kind.length, kind };
    });
    window.editor.setTokens(tokens);
    window.editor.setActiveLine(1);
  });
  for (const theme of ["light", "dark"]) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    await expectAccessible(page);
  }
  await page.evaluate(() => window.editor.destroy());
  await expect(page.locator("#place > *")).toHaveCount(0);
});
