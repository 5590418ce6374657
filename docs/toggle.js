// The published book has a real button in place of mdBook's label (www/build/docs-page.mjs).
"use strict";
(() => {
  const toggle = document.getElementById("mdbook-sidebar-toggle");
  const anchor = document.getElementById("mdbook-sidebar-toggle-anchor");
  if (toggle?.tagName === "BUTTON" && anchor) toggle.addEventListener("click", () => anchor.click());
})();
