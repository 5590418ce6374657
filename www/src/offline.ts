// Starts the service worker, and says when a newer version of the page is ready. It never reloads by
// itself: what a person is writing stays.

export async function startOffline(script: string): Promise<void> {
  const container = navigator.serviceWorker;
  // Not there without a secure context, or in some private windows; then the page is just online.
  if (!container) return;
  const registration = await container.register(script);
  const offer = (next: ServiceWorker | null) => {
    // The first version has nobody to take over from.
    if (!next || !container.controller) return;
    const ready = () => next.state === "installed" && notice(next);
    next.addEventListener("statechange", ready);
    ready();
  };
  offer(registration.waiting);
  offer(registration.installing);
  registration.addEventListener("updatefound", () => offer(registration.installing));
}

function notice(next: ServiceWorker): void {
  if (document.querySelector(".update-notice")) return;
  const box = document.createElement("div");
  box.className = "update-notice";
  box.role = "status";
  const text = document.createElement("span");
  text.textContent = "A newer version of sealab is ready.";
  const take = button("Reload", () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), {
      once: true,
    });
    next.postMessage("take over");
  });
  const later = button("Later", () => box.remove());
  box.append(text, take, later);
  document.body.append(box);
}

function button(word: string, pressed: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "btn small";
  made.textContent = word;
  made.onclick = pressed;
  return made;
}
