// Files: what is kept from the page, and what is brought into it. Loaded when the first is wanted.

/** Largest file that is read, in bytes: beyond it no text is a scenario any more. */
const FILE_MAX = 64 << 20;
/** How much finer than the screen a PNG is. */
const SCALE = 2;
/** Longest side that browsers draw, in pixels. */
const SIDE_MAX = 16_000;

/** Told of every file that is opened: what it is, its name and text, or why not. */
export type Heard = (kind: "scenario" | "maps" | "fault", name: string, text: string) => void;

/** Offers `text` as a file. */
export function saveText(name: string, type: string, text: string): void {
  save(name, new Blob([text], { type }));
}

/** Offers a picture, given as SVG text, as a PNG file. */
export async function savePng(name: string, svg: string): Promise<void> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const scale = Math.min(SCALE, SIDE_MAX / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("the picture is too large for a PNG; take the SVG");
    save(name, blob);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // After the browser has taken it up.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Asks for a file. */
export function pick(heard: Heard): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".seal,.strace,.txt,.log,.maps,.smaps,text/plain";
  input.onchange = () => {
    const file = input.files?.[0];
    if (file) read(file, heard);
  };
  input.click();
}

/** Takes files that are dropped anywhere on the page. */
export function takeDropped(heard: Heard): void {
  const holdsFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
  });
  // Before the editor, which would write the file's text where it was dropped.
  addEventListener(
    "drop",
    (event) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      event.stopPropagation();
      read(file, heard);
    },
    { capture: true },
  );
}

async function read(file: File, heard: Heard): Promise<void> {
  if (file.size > FILE_MAX) {
    heard("fault", file.name, `${file.name} is larger than ${FILE_MAX >> 20} MiB.`);
    return;
  }
  try {
    const text = await file.text();
    if (text.includes("\0")) heard("fault", file.name, `${file.name} is not a text.`);
    else heard(looksLikeMaps(text) ? "maps" : "scenario", file.name, text);
  } catch {
    heard("fault", file.name, `${file.name} could not be read.`);
  }
}

/** Whether a text is /proc/PID/maps, smaps or pmap's: then it is where a process starts. */
export function looksLikeMaps(text: string): boolean {
  const head = text.slice(0, 4_000);
  return (
    /^\s*[0-9a-f]{4,16}-[0-9a-f]{4,16} [r-][w-][x-][ps] /m.test(head) ||
    /^\s*Address\s+(Kbytes|Perm)/m.test(head)
  );
}
