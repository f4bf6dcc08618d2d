// SPDX-FileCopyrightText: 2026 The trainlint authors
// SPDX-License-Identifier: MIT

// Starts the extension against a stand-in for VS Code: which server it asks for, and how settings reach it.

const assert = require("assert");
const Module = require("module");
const os = require("os");

const set = { path: "trainlint", target: ["kaggle-t4x2"], trace: false };
const seen = { clients: [], sent: [], errors: [], commands: {}, changed: undefined };

const vscode = {
  workspace: {
    getConfiguration: () => ({ get: (name) => set[name] }),
    onDidChangeConfiguration: (told) => ((seen.changed = told), { dispose() {} }),
  },
  window: { showErrorMessage: (words) => seen.errors.push(words) },
  commands: { registerCommand: (name, run) => ((seen.commands[name] = run), { dispose() {} }) },
};

class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options, running: false });
    seen.clients.push(this);
  }
  async start() {
    if (this.server.command === "nowhere") throw new Error("ENOENT");
    this.running = true;
  }
  async stop() {
    this.running = false;
  }
  async sendNotification(method, params) {
    seen.sent.push([method, params]);
  }
}

const load = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);

const changes = (...names) => ({ affectsConfiguration: (name) => names.some((one) => one === name || one.startsWith(`${name}.`)) });

(async () => {
  const extension = require("./extension.js");
  const context = { subscriptions: [] };
  await extension.activate(context);
  const [first] = seen.clients;
  assert.deepStrictEqual([first.server.command, first.server.args], ["trainlint", ["lsp"]]);
  assert.strictEqual(first.server.options.cwd, os.homedir());
  assert.deepStrictEqual(first.options.initializationOptions, { target: ["kaggle-t4x2"], trace: false });
  assert.ok(first.options.documentSelector.some((one) => one.language === "yaml" && one.scheme === "file"));
  assert.ok(first.running);

  set.target = ["rtx-4090"];
  await seen.changed(changes("trainlint.target"));
  assert.deepStrictEqual(seen.sent.at(-1), [
    "workspace/didChangeConfiguration",
    { settings: { trainlint: { target: ["rtx-4090"], trace: false } } },
  ]);
  assert.strictEqual(seen.clients.length, 1);

  set.path = "nowhere";
  await seen.changed(changes("trainlint.path"));
  assert.ok(!first.running);
  assert.match(seen.errors.at(-1), /pip install 'trainlint\[lsp\]'/);

  set.path = "/opt/trainlint";
  await seen.commands["trainlint.restart"]();
  assert.ok(seen.clients.at(-1).running);
  await extension.deactivate();
  assert.ok(!seen.clients.at(-1).running);

  // who opens a folder must not thereby start a program of its choice
  const { configuration } = require("./package.json").contributes;
  assert.strictEqual(configuration.properties["trainlint.path"].scope, "machine");
  assert.strictEqual(configuration.properties["trainlint.trace"].scope, "machine");
  console.log("the extension starts, is told its settings, and stops");
})();
