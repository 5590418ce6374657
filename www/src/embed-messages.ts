// What an embed's frame and the element around it say to each other. Both check every message by
// who sent it, its shape and its size: anyone may post to a window.

/** From the frame to the element. */
export type FromFrame =
  | { type: "ready"; step: number; steps: number }
  | { type: "step"; step: number; steps: number }
  | { type: "resize"; height: number }
  | { type: "error"; code: string; message: string };

/** From the element to the frame. */
export type ToFrame =
  | { type: "goto"; step: number }
  | { type: "view"; view: string }
  | { type: "theme"; theme: string };

const whole = (value: unknown, most: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
const short = (value: unknown): value is string => typeof value === "string" && value.length < 500;

/** Most steps that a message may name. */
const STEPS = 1e9;

function fields(data: unknown): Record<string, unknown> | null {
  const object = typeof data === "object" && data !== null;
  return object && (data as { sealab?: unknown }).sealab === 1
    ? (data as Record<string, unknown>)
    : null;
}

/** `data` if it is a message from a frame. */
export function fromFrame(data: unknown): FromFrame | null {
  const m = fields(data);
  const right =
    m &&
    (m.type === "ready" || m.type === "step"
      ? whole(m.step, STEPS) && whole(m.steps, STEPS)
      : m.type === "resize"
        ? whole(m.height, 2e4)
        : m.type === "error" && short(m.code) && short(m.message));
  return right ? (m as FromFrame) : null;
}

/** `data` if it is a message to a frame. */
export function toFrame(data: unknown): ToFrame | null {
  const m = fields(data);
  const right =
    m &&
    (m.type === "goto"
      ? whole(m.step, STEPS)
      : m.type === "view"
        ? short(m.view)
        : m.type === "theme" && short(m.theme));
  return right ? (m as ToFrame) : null;
}
