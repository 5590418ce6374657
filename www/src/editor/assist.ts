// Help from the one table of calls in Rust: what could be typed, what a name means, what is wrong.
// All of it is put in as text, never as markup.

import { autocompletion, type CompletionSource } from "@codemirror/autocomplete";
import type { Diagnostic as LintDiagnostic } from "@codemirror/lint";
import type { ChangeDesc } from "@codemirror/state";
import { type EditorView, hoverTooltip } from "@codemirror/view";
import type { Diagnostic, EditorOptions, Fix, HoverAnswer } from "./types";

type Complete = NonNullable<EditorOptions["complete"]>;
type Hover = NonNullable<EditorOptions["hover"]>;

export function completions(complete: Complete) {
  const source: CompletionSource = async (context) => {
    const answer = await complete(context.pos, context.explicit);
    if (!answer || context.aborted || answer.options.length === 0) return null;
    const { from, to } = answer;
    if (from > context.pos || (to !== undefined && to < context.pos)) return null;
    return {
      from,
      ...(to === undefined ? {} : { to }),
      validFor: /^[\w.]*$/,
      options: answer.options.map(({ label, kind, detail, info, apply }) => ({
        label,
        ...(kind && { type: kind }),
        ...(detail && { detail }),
        ...(apply && { apply }),
        ...(info && { info: () => paragraph("cm-help", info) }),
      })),
    };
  };
  return autocompletion({ override: [source] });
}

export function hovers(hover: Hover) {
  return hoverTooltip(async (view, pos) => {
    const { doc } = view.state;
    const answer = await hover(pos);
    // The text moved on meanwhile: what was found no longer stands there.
    if (!answer || view.state.doc !== doc || answer.to > doc.length) return null;
    return {
      pos: answer.from,
      end: answer.to,
      above: true,
      create: () => ({ dom: hoverDom(answer) }),
    };
  });
}

function hoverDom({ title, body, source }: HoverAnswer): HTMLElement {
  const box = document.createElement("div");
  box.className = "cm-hover";
  if (title) box.append(paragraph("cm-hover-title", title));
  for (const text of body) box.append(paragraph("cm-help", text));
  if (source) box.append(paragraph("cm-hover-source", source));
  return box;
}

/** A diagnostic as the lint extension takes it, moved along with `changes`. */
export function lint(
  { from, to, severity, message, hint, fixes }: Diagnostic,
  changes: ChangeDesc | null,
  length: number,
): LintDiagnostic {
  const clip = (pos: number) => Math.max(0, Math.min(pos, length));
  const start = clip(changes ? changes.mapPos(from, 1) : from);
  const end = clip(changes ? changes.mapPos(to, -1) : to);
  return {
    from: start,
    to: Math.max(start, end),
    severity,
    message: hint ? `${message}\n${hint}` : message,
    renderMessage: () => {
      const box = document.createElement("div");
      box.append(paragraph("cm-message", message));
      if (hint) box.append(paragraph("cm-hint", hint));
      return box;
    },
    ...(fixes && { actions: fixes.map(action) }),
  };
}

function action({ label, insert }: Fix) {
  return {
    name: label,
    // The positions are the diagnostic's current ones.
    apply(view: EditorView, from: number, to: number) {
      view.dispatch({ changes: { from, to, insert }, userEvent: "input.complete" });
      view.focus();
    },
  };
}

function paragraph(className: string, text: string): HTMLElement {
  const element = document.createElement("div");
  element.className = className;
  element.textContent = text;
  return element;
}
