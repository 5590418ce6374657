// What the program and the editor say to each other. Positions are UTF-16 units of the editor's own
// text (`getDoc()`), lines count from 1.

/** Names one state of the text: it grows by one at every change. */
export type Version = number;

/** A stretch of text of one kind; the kind becomes the class `tok-KIND`. */
export interface Token {
  from: number;
  to: number;
  kind: string;
}

/** Many tokens without an object for each: `spans` holds from, to and an index into `kinds`. */
export interface PackedTokens {
  kinds: readonly string[];
  spans: Uint32Array;
}

export type Severity = "error" | "warning" | "info" | "hint";

/** A replacement of the diagnostic's stretch of text that mends it. */
export interface Fix {
  label: string;
  insert: string;
}

/** Something to be said about a stretch of text. */
export interface Diagnostic {
  from: number;
  to: number;
  severity: Severity;
  message: string;
  /** What to do about it. */
  hint?: string;
  fixes?: readonly Fix[];
}

/** Shapes that can be told apart without their colour. */
export const SHAPES = {
  square: "M1 1h8v8H1z",
  circle: "M5 1a4 4 0 1 0 0 8a4 4 0 1 0 0-8z",
  diamond: "M5 0L10 5L5 10L0 5z",
  triangle: "M5 1L9.5 9H.5z",
  cross: "M2 .5L5 3.5L8 .5L9.5 2L6.5 5L9.5 8L8 9.5L5 6.5L2 9.5L.5 8L3.5 5L.5 2z",
  half: "M1 1h8L1 9z",
  ring: "M1 1h8v8H1zM3 3v4h4V3z",
  bar: "M1 4h8v2H1z",
  dot: "M5 3.4a1.6 1.6 0 1 0 0 3.2a1.6 1.6 0 1 0 0-3.2z",
} as const;

export type Shape = keyof typeof SHAPES;

/** How one variant answered on one line. */
export interface Mark {
  shape: Shape;
  /** A custom property of the page, for example `--v2`. */
  color: `--${string}`;
  /** Said on hover. */
  title: string;
}

/** The marks of one line, in the order of the variants. */
export interface Badge {
  line: number;
  marks: readonly Mark[];
}

/** One thing that could be typed at the cursor. */
export interface Completion {
  label: string;
  kind?: "function" | "constant" | "variable" | "keyword" | "text";
  /** A few words beside the label. */
  detail?: string;
  /** A paragraph beside the list. */
  info?: string;
  /** Typed instead of the label. */
  apply?: string;
}

export interface CompletionAnswer {
  from: number;
  to?: number;
  options: readonly Completion[];
}

/** What is shown when a reader rests on a name. All of it is text. */
export interface HoverAnswer {
  from: number;
  to: number;
  title?: string;
  /** Paragraphs. */
  body: readonly string[];
  /** A line of small print, such as the kernel function a rule comes from. */
  source?: string;
}

export interface EditorOptions {
  doc: string;
  /** What a screen reader calls the editor. */
  label: string;
  readOnly?: boolean;
  /** Wrap long lines; the default. */
  wrap?: boolean;
  placeholder?: string;
  /** The reader changed the text; changes by `setDoc` are not reported. */
  onChange?: (version: Version) => void;
  /** The reader moved the cursor to another line. */
  onCursorLine?: (line: number) => void;
  /** The reader clicked the marks of a line. */
  onBadge?: (line: number, mark: number) => void;
  complete?: (pos: number, explicit: boolean) => Promise<CompletionAnswer | null>;
  hover?: (pos: number) => Promise<HoverAnswer | null>;
}

/** A running editor. Answers that took time carry the version they were made for. */
export interface Editor {
  getDoc(): string;
  version(): Version;
  /** Replaces the text, keeping cursor and history where the old and new text agree. */
  setDoc(text: string): void;
  setTokens(tokens: readonly Token[] | PackedTokens, version?: Version): void;
  setDiagnostics(diagnostics: readonly Diagnostic[], version?: Version): void;
  setBadges(badges: readonly Badge[], version?: Version): void;
  /** Highlights the line of the current step; `null` for none. */
  setActiveLine(line: number | null, reveal?: boolean): void;
  setReadOnly(readOnly: boolean): void;
  /** Puts the cursor at the start of a line and shows it. */
  goToLine(line: number): void;
  undo(): boolean;
  redo(): boolean;
  /** How many steps can be undone and redone. */
  history(): { undo: number; redo: number };
  focus(): void;
  destroy(): void;
}
