// The editor: CodeMirror 6, with colours, faults, completion and help from Rust.
//
// It runs in a shadow root, for two reasons: there CodeMirror uses constructed style sheets, which a
// strict policy allows, and no rule of the page can break its measurements.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  redo,
  redoDepth,
  undo,
  undoDepth,
} from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  StateEffect,
  StateField,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
  type ViewUpdate,
} from "@codemirror/view";
import { completions, hovers, lint } from "./editor/assist";
import { badgeGutter, setBadges } from "./editor/badges";
import { replacement } from "./editor/replacement";
import { Revisions } from "./editor/revisions";
import { theme } from "./editor/theme";
import { pack, setTokens, tokenColors } from "./editor/tokens";
import type { Editor, EditorOptions } from "./editor/types";

export type * from "./editor/types";

/** Marks what the program did, so that only the reader's own doings are reported. */
const programmatic = Annotation.define<true>();

const setStep = StateEffect.define<number | null>();
const stepLine = Decoration.line({ class: "cm-step" });

const stepField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setStep)) continue;
      return effect.value === null ? Decoration.none : Decoration.set(stepLine.range(effect.value));
    }
    return set.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Puts an editor into `parent`. */
export function createEditor(parent: HTMLElement, options: EditorOptions): Editor {
  const host = document.createElement("div");
  host.className = "editor-host";
  const root = host.attachShadow({ mode: "open", delegatesFocus: true });
  parent.append(host);

  const revisions = new Revisions();
  const readOnly = new Compartment();
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: options.doc,
      extensions: [
        EditorView.updateListener.of((update) => report(update, revisions, options)),
        readOnly.of(readOnlyExtension(options.readOnly ?? false)),
        ...extensions(options),
      ],
    }),
  });

  const atLine = (line: number) =>
    view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));

  return {
    getDoc: () => view.state.doc.toString(),
    version: () => revisions.current,
    setDoc(text) {
      const changes = replacement(view.state.doc.toString(), view.state.toText(text).toString());
      if (!changes) return;
      view.dispatch({ changes, annotations: programmatic.of(true), userEvent: "input.load" });
    },
    setTokens(tokens, version = revisions.current) {
      const then = revisions.since(version, view.state.doc);
      if (!then) return;
      const packed = Array.isArray(tokens) ? pack(tokens, then.doc.length) : tokens;
      if (!("spans" in packed)) return;
      view.dispatch({ effects: setTokens.of({ packed, changes: then.changes }) });
    },
    setDiagnostics(diagnostics, version = revisions.current) {
      const then = revisions.since(version, view.state.doc);
      if (!then) return;
      const { length } = view.state.doc;
      const list = diagnostics.map((diagnostic) => lint(diagnostic, then.changes, length));
      view.dispatch(setDiagnostics(view.state, list));
    },
    setBadges(badges, version = revisions.current) {
      const then = revisions.since(version, view.state.doc);
      if (!then) return;
      const { doc, changes } = then;
      const placed = badges
        .filter(({ line }) => line >= 1 && line <= doc.lines)
        .map(({ line, marks }) => {
          const { from } = doc.line(line);
          const at = changes ? changes.mapPos(from, 1) : from;
          return { at: view.state.doc.lineAt(at).from, marks };
        });
      view.dispatch({ effects: setBadges.of(placed) });
    },
    setActiveLine(line, reveal = false) {
      const at = line === null ? null : atLine(line).from;
      const effects: StateEffect<unknown>[] = [setStep.of(at)];
      if (at !== null && reveal) effects.push(EditorView.scrollIntoView(at, { y: "nearest" }));
      view.dispatch({ effects, annotations: programmatic.of(true) });
    },
    setReadOnly(value) {
      view.dispatch({ effects: readOnly.reconfigure(readOnlyExtension(value)) });
    },
    goToLine(line) {
      view.dispatch({
        selection: { anchor: atLine(line).from },
        scrollIntoView: true,
        annotations: programmatic.of(true),
      });
    },
    undo: () => undo(view),
    redo: () => redo(view),
    history: () => ({ undo: undoDepth(view.state), redo: redoDepth(view.state) }),
    focus: () => view.focus(),
    destroy() {
      view.destroy();
      host.remove();
    },
  };
}

function report(update: ViewUpdate, revisions: Revisions, options: EditorOptions): void {
  if (update.docChanged) revisions.record(update.startState.doc, update.changes.desc);
  if (update.transactions.some((transaction) => transaction.annotation(programmatic))) return;
  if (update.docChanged) options.onChange?.(revisions.current);
  if (!update.selectionSet && !update.docChanged) return;
  const before = update.startState;
  const line = update.state.doc.lineAt(update.state.selection.main.head).number;
  if (line !== before.doc.lineAt(before.selection.main.head).number) options.onCursorLine?.(line);
}

function readOnlyExtension(value: boolean): Extension {
  return [
    EditorState.readOnly.of(value),
    EditorView.contentAttributes.of({ "aria-readonly": String(value) }),
  ];
}

/** Tab is left alone, so that the keyboard is never trapped in the editor. */
function extensions(options: EditorOptions): Extension[] {
  const { complete, hover, onBadge, label } = options;
  return [
    lineNumbers(),
    lintGutter(),
    badgeGutter(onBadge),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    // Characters that have no shape or turn others around are shown for what they are.
    highlightSpecialChars(),
    history(),
    drawSelection(),
    dropCursor(),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: false }),
    stepField,
    tokenColors,
    theme,
    EditorState.languageData.of(() => [
      { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "{", '"'] } },
    ]),
    EditorView.contentAttributes.of({
      "aria-label": label,
      autocapitalize: "off",
      autocorrect: "off",
      spellcheck: "false",
      translate: "no",
      // A scenario is code: it runs left to right whatever characters it names.
      dir: "ltr",
    }),
    options.wrap === false ? [] : EditorView.lineWrapping,
    options.placeholder ? placeholder(options.placeholder) : [],
    complete ? completions(complete) : [],
    hover ? hovers(hover) : [],
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
    ]),
  ];
}
