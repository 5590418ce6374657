// The answers to what an untouched page asks first, made when the page was built by the very program
// that answers later. The first picture is there before the simulator is even fetched.

import { isObject, key } from "./prepared-key.mjs";

/** What the page sends and the worker answers (see crates/protocol). */
export interface Message {
  v: number;
  id: number;
  kind: string;
  body?: unknown;
}

/** prepared.json: each question, in the form `key` gives it, and its answer. */
export type Prepared = Readonly<Record<string, unknown>>;

const RUN = "run";

/** As much of a worker as the page uses. */
type Behind = Pick<Worker, "postMessage" | "terminate" | "addEventListener">;

/**
 * A worker that answers what was prepared and passes on the rest. The worker behind it loads its
 * program with the first message it gets, so that an untouched page waits for nothing.
 */
export class PreparedWorker extends EventTarget {
  readonly #behind: Behind;
  #prepared: Prepared | undefined;
  /** What came before the prepared answers did. */
  #waiting: Message[] | undefined = [];
  /** The question of the run that was answered from here, and whether the worker has it too. */
  #run: Message | undefined;
  #through = false;

  constructor(behind: Behind, prepared: Promise<Prepared>) {
    super();
    this.#behind = behind;
    for (const type of ["message", "error", "messageerror"] as const) {
      behind.addEventListener(type, (event: Event) => this.dispatchEvent(again(event)));
    }
    prepared
      .catch(() => undefined)
      .then((answers) => {
        this.#prepared = answers;
        const waiting = this.#waiting ?? [];
        this.#waiting = undefined;
        for (const message of waiting) this.postMessage(message);
      });
  }

  postMessage(message: Message): void {
    if (this.#waiting) {
      this.#waiting.push(message);
      return;
    }
    const again = this.#through && message.kind === RUN;
    const answer = again ? undefined : this.#answer(message);
    if (answer === undefined) {
      this.warm();
      this.#behind.postMessage(message);
      return;
    }
    const { v, id } = message;
    const body = isObject(answer) && "run" in answer ? { ...answer, run: this.#run?.id } : answer;
    const data = { v, id, kind: "done", body, prepared: true };
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  /** Has the worker load its program and make the run that it was spared. */
  warm(): void {
    if (this.#through || this.#waiting) return;
    this.#through = true;
    // The page has its answer and drops this one.
    if (this.#run) this.#behind.postMessage(this.#run);
  }

  terminate(): void {
    this.#behind.terminate();
  }

  #answer(message: Message): unknown {
    const found = this.#prepared?.[key(message.kind, message.body, this.#run?.id)];
    if (found !== undefined && message.kind === RUN) this.#run = message;
    return found;
  }
}

/** An event can be dispatched once only; this is another one like it. */
export function again(event: Event): Event {
  if (event.type === "error") {
    return new ErrorEvent("error", { message: (event as ErrorEvent).message });
  }
  return new MessageEvent(event.type, { data: (event as MessageEvent).data });
}
