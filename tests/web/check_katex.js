// Renders formulas with KaTeX and tells which ones it refuses. Reads {lenient, formulas: [{latex, display}]} as JSON from
// the standard input, writes the refused ones with the reasons as JSON.
"use strict";
const fs = require("fs");
const katex = require(process.env.KATEX || "/usr/share/javascript/katex/katex.min.js");
const { lenient, formulas } = JSON.parse(fs.readFileSync(0, "utf8"));
// Lenient: letters of any alphabet may occur, as on our own pages.
const foreign = ["unknownSymbol", "unicodeTextInMathMode"];
const strict = lenient ? (code) => (foreign.includes(code) ? "ignore" : "error") : "error";
const refused = [];
for (const { latex, display } of formulas) {
  try {
    katex.renderToString(latex, {
      displayMode: display,
      throwOnError: true,
      strict,
      trust: false,
      macros: {
        "\\fitted": (context) => ({ tokens: context.consumeArgs(2)[1], numArgs: 0 }),
        "\\charactercode": "\\text{U+#1}",
      },
    });
  } catch (reason) {
    refused.push({ latex, reason: String(reason) });
  }
}
process.stdout.write(JSON.stringify(refused));
