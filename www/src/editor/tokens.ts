// Colours from our own lexer. A long trace has a million tokens, so only those on screen become
// decorations; the rest stay numbers in one array.

import { type ChangeDesc, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import type { PackedTokens, Token } from "./types";

/** Tokens at the positions of some text, and the changes since. */
export interface Tokens {
  packed: PackedTokens;
  changes: ChangeDesc | null;
}

const WIDTH = 3;

/** Packs a list, leaving out what is empty, overlaps or ends beyond `length`. */
export function pack(tokens: readonly Token[], length: number): PackedTokens {
  const kinds: string[] = [];
  const spans = new Uint32Array(tokens.length * WIDTH);
  let used = 0;
  let end = 0;
  for (const { from, to, kind } of tokens) {
    if (!(from >= end && to > from && to <= length)) continue;
    let index = kinds.indexOf(kind);
    if (index < 0) index = kinds.push(kind) - 1;
    spans.set([from, to, index], used);
    used += WIDTH;
    end = to;
  }
  return { kinds, spans: spans.subarray(0, used) };
}

/** The tokens that touch `from..to` of the current text, in order, at their current positions. */
export function* visible(tokens: Tokens, from: number, to: number): Generator<Token> {
  const { packed, changes } = tokens;
  const { spans, kinds } = packed;
  const inverted = changes?.invertedDesc;
  const first = inverted ? inverted.mapPos(from, -1) : from;
  const last = inverted ? inverted.mapPos(to, 1) : to;
  for (let at = firstEndingAfter(spans, first); at < spans.length; at += WIDTH) {
    const oldFrom = spans[at] ?? 0;
    const oldTo = spans[at + 1] ?? 0;
    if (oldFrom >= last) return;
    const newFrom = changes ? changes.mapPos(oldFrom, 1) : oldFrom;
    const newTo = changes ? changes.mapPos(oldTo, -1) : oldTo;
    if (newFrom < newTo) yield { from: newFrom, to: newTo, kind: kinds[spans[at + 2] ?? 0] ?? "" };
  }
}

/** Binary search: tokens do not overlap, so their ends ascend too. */
function firstEndingAfter(spans: Uint32Array, pos: number): number {
  let low = 0;
  let high = spans.length / WIDTH;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle * WIDTH + 1] ?? 0) > pos) high = middle;
    else low = middle + 1;
  }
  return low * WIDTH;
}

export const setTokens = StateEffect.define<Tokens>();

const NONE: Tokens = { packed: { kinds: [], spans: new Uint32Array() }, changes: null };

const field = StateField.define<Tokens>({
  create: () => NONE,
  update(tokens, transaction) {
    for (const effect of transaction.effects) if (effect.is(setTokens)) return effect.value;
    if (!transaction.docChanged) return tokens;
    const { changes } = tokens;
    const next = transaction.changes.desc;
    return { packed: tokens.packed, changes: changes ? changes.composeDesc(next) : next };
  },
});

const marks = new Map<string, Decoration>();

function mark(kind: string): Decoration {
  let found = marks.get(kind);
  if (!found) {
    // Kinds are our own names; anything else must not become several classes.
    const name = /^[a-z][a-z-]*$/.test(kind) ? kind : "unknown";
    found = Decoration.mark({ class: `tok-${name}` });
    marks.set(kind, found);
  }
  return found;
}

const plugin = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = this.#build(view);
    }

    update(update: ViewUpdate): void {
      const changed = update.startState.field(field) !== update.state.field(field);
      if (changed || update.viewportChanged) this.decorations = this.#build(update.view);
    }

    #build(view: EditorView): DecorationSet {
      const tokens = view.state.field(field);
      const builder = new RangeSetBuilder<Decoration>();
      let end = 0;
      for (const range of view.visibleRanges) {
        for (const { from, to, kind } of visible(tokens, range.from, range.to)) {
          // A token that spans a folded gap belongs to two ranges.
          if (from < end || to > view.state.doc.length) continue;
          builder.add(from, to, mark(kind));
          end = to;
        }
      }
      return builder.finish();
    }
  },
  { decorations: (value) => value.decorations },
);

export const tokenColors = [field, plugin];
