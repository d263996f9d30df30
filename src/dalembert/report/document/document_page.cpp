#include "dalembert/report/document/document_page.hpp"

namespace dalembert::report {

std::string_view page_style() {
  return R"css(
:root {
  color-scheme: light dark;
  --paper: #fdfcf9; --ink: #1f2328; --quiet: #6b6f76; --hair: #dedad0; --faint: #f4f1ea;
  --accent: #7a3b1f; --note: #f7efe2; --note-edge: #b9772f; --error: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --ink: #dcdad4; --quiet: #94979c; --hair: #33373c; --faint: #1e2125;
    --accent: #e0a878; --note: #262019; --note-edge: #c58a4a; --error: #ff8a80;
  }
}
* { box-sizing: border-box; }
html { font-size: 106.25%; scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 "Iowan Old Style", "Palatino Linotype", Palatino, "Source Serif 4", Charter,
        "Bitstream Charter", "Noto Serif", Georgia, "Liberation Serif", serif;
  font-kerning: normal; text-rendering: optimizeLegibility; overflow-wrap: break-word;
}
.page { max-width: 48rem; margin: 0 auto; padding: 4rem 1.5rem 6rem; }
header { margin-bottom: 2.5rem; padding-bottom: 1.5rem; border-bottom: 1px solid var(--hair); }
h1, h2, h3, h4 { font-weight: 600; line-height: 1.25; text-wrap: balance; }
h1 { font-size: 2.1rem; letter-spacing: -0.01em; margin: 0; }
.subtitle { margin: 0.6rem 0 0; color: var(--quiet); font-style: italic; font-size: 1.1rem; }
h2 { font-size: 1.5rem; margin: 3.2rem 0 1rem; }
h3 { font-size: 1.18rem; margin: 2.2rem 0 0.7rem; }
h4 { font-size: 1rem; margin: 1.6rem 0 0.4rem; font-style: italic; }
h2, h3, h4 { display: flex; align-items: baseline; gap: 1rem; scroll-margin-top: 1.5rem; }
h2 a, h3 a, h4 a { flex: 1; color: inherit; text-decoration: none; min-width: 0; }
h2 a:hover, h3 a:hover, h4 a:hover { color: var(--accent); }
main > :first-child { margin-top: 0; }
.number { color: var(--quiet); font-weight: 400; font-style: normal; white-space: nowrap; }
h2 .number, h3 .number, h4 .number { font-size: 0.95rem; }
p { margin: 0 0 1rem; }
ul { margin: 0 0 1rem; padding-left: 1.4rem; }
li { margin: 0.2rem 0; }
li::marker { color: var(--quiet); }

/* Formulas. Each line is left side, relation, right side; the terms of the right side flow like
   words, and the number stands at the right edge beside the last of their lines. */
.katex { font-size: 1.1em; line-height: 1.25; }
.math { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.85em; }
.math.done { font-family: inherit; font-size: inherit; }
.formulas {
  display: grid; grid-template-columns: auto auto minmax(0, 1fr);
  row-gap: 0.75rem; align-items: baseline; margin: 1.3rem 0; padding-left: 2rem;
}
.formulas .left { text-align: right; white-space: nowrap; }
.formulas .relation { padding: 0 0.32em; min-height: 1px; }
.formulas .right { display: flex; flex-wrap: wrap; align-items: baseline; row-gap: 0.5rem;
  min-width: 0; --room: 5.2rem; }
.formulas.numbered .right { padding-right: var(--room); }
.formulas .number { flex: none; min-width: var(--room); margin: 0 calc(-1 * var(--room)) 0 auto;
  text-align: right; }
.formulas.whole { display: block; }
.formulas.whole .right { margin: 0 0 0.75rem; padding-left: 1.5rem; }
.formulas.whole .right > .math:first-child { margin-left: -1.5rem; }
.formulas .math { position: relative; max-width: 100%; padding: 0.15em 0; }
.formulas .math.wide { overflow-x: auto; overflow-y: hidden; scrollbar-width: thin;
  scrollbar-color: var(--hair) transparent; }
.formulas .math.done .katex { white-space: nowrap; }
.formulas .left .math { display: inline-block; vertical-align: baseline; overflow: visible; }
.katex-error { color: var(--error) !important; font-family: monospace; overflow-wrap: anywhere; }

.table { overflow-x: auto; margin: 1.3rem 0; }
table { border-collapse: collapse; min-width: 50%; font-size: 0.95rem; line-height: 1.45;
  font-variant-numeric: lining-nums tabular-nums; }
thead th { border-bottom: 1px solid var(--ink); font-weight: 600; text-align: left;
  vertical-align: bottom; }
table { border-top: 1px solid var(--ink); border-bottom: 1px solid var(--ink); }
td { border-bottom: 1px solid var(--hair); vertical-align: baseline; }
tbody tr:last-child td { border-bottom: 0; }
th, td { padding: 0.42rem 1.4rem 0.42rem 0; }
th:last-child, td:last-child { padding-right: 0.2rem; }

.note { margin: 1.5rem 0; padding: 0.8rem 1.1rem; background: var(--note);
  border-left: 3px solid var(--note-edge); border-radius: 0 4px 4px 0; }
.note p { margin: 0; }
.note .label { font-variant-caps: all-small-caps; letter-spacing: 0.06em; font-weight: 600;
  color: var(--note-edge); margin-right: 0.5em; }
pre { margin: 1.3rem 0; padding: 0.9rem 1.1rem; overflow-x: auto; background: var(--faint);
  border-radius: 4px; tab-size: 4; }
pre, pre code { font: 0.82rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono",
  "Liberation Mono", monospace; }
.noscript { color: var(--quiet); font-style: italic; }

nav { font-size: 0.9rem; line-height: 1.4; margin-bottom: 2.5rem; }
nav h2 { font-size: 0.85rem; font-variant-caps: all-small-caps; letter-spacing: 0.08em;
  color: var(--quiet); margin: 0 0 0.6rem; display: block; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: 0.42rem 0; }
nav li.inner { padding-left: 1.1rem; margin: 0.25rem 0; color: var(--quiet); }
nav a { color: inherit; text-decoration: none; }
nav a:hover, nav a:focus-visible { color: var(--accent); text-decoration: underline;
  text-underline-offset: 0.2em; text-decoration-thickness: 1px; }

@media (min-width: 72rem) {
  .page.with-contents {
    max-width: 70rem; display: grid; grid-template-columns: 15rem minmax(0, 45rem);
    column-gap: 5rem; align-items: start;
  }
  .page.with-contents > header { grid-column: 2; }
  .page.with-contents > nav { grid-column: 1; grid-row: 1 / span 2; position: sticky; top: 2.5rem;
    max-height: calc(100vh - 5rem); overflow-y: auto; margin: 0.4rem 0 0; padding-right: 1rem;
    scrollbar-width: thin; scrollbar-color: var(--hair) transparent; }
  .page.with-contents > main { grid-column: 2; }
}
@media (max-width: 40rem) {
  html { font-size: 100%; }
  .page { padding: 2rem 1.1rem 4rem; }
  h1 { font-size: 1.6rem; }
  h2 { font-size: 1.3rem; margin-top: 2.4rem; }
  .katex { font-size: 1.04em; }
  .formulas { padding-left: 0.6rem; }
  .formulas .right { --room: 4.3rem; }
  .formulas.stacked { display: block; }
  .formulas.stacked .left, .formulas.stacked .relation { display: inline; }
  .formulas.stacked .left::before { content: "\A"; white-space: pre; }
  .formulas.stacked .left:first-child::before { content: none; }
  .formulas.stacked .right { display: inline-flex; max-width: 100%; margin: 0.25rem 0;
    vertical-align: baseline; }
  th, td { padding-right: 1rem; }
}
@media print {
  :root { --paper: #fff; --ink: #000; --quiet: #444; --hair: #bbb; --faint: #f6f6f6;
    --note: #f6f6f6; --note-edge: #777; --accent: #000; }
  @page { margin: 22mm 20mm; }
  html { font-size: 10.5pt; }
  .page, .page.with-contents { display: block; max-width: none; padding: 0; }
  .page.with-contents > nav { position: static; max-height: none; }
  h2, h3, h4 { break-after: avoid; }
  .formulas .right, tr, .note, .katex { break-inside: avoid; }
  pre { white-space: pre-wrap; }
  .formulas .math.wide, .table { overflow: visible; }
}
)css";
}

std::string_view page_script() {
  return R"js(
(function () {
  "use strict";
  // Letters of other alphabets in a name are no mistake; everything else unusual is one.
  function strict(code) {
    return code === "unknownSymbol" || code === "unicodeTextInMathMode" ? "ignore" : "error";
  }
  document.querySelectorAll(".math").forEach(function (element) {
    var source = element.textContent;
    var latex = element.classList.contains("display") ? "\\displaystyle " + source : source;
    try {  // without throwOnError an unknown command would only turn red
      katex.render(latex, element, {throwOnError: true, strict: strict, trust: false});
    } catch (reason) {
      element.textContent = source;
      element.title = String(reason);
      element.classList.add("katex-error");
    }
    element.classList.add("done");
  });
  // What cannot be broken and does not fit may be moved sideways; a letter's overhang is no reason.
  function fit() {
    document.querySelectorAll(".formulas .math").forEach(function (element) {
      element.classList.toggle("wide", element.scrollWidth > element.clientWidth + 8);
    });
  }
  fit();
  window.addEventListener("resize", fit);
})();
)js";
}

}  // namespace dalembert::report
