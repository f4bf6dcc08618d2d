// SPDX-FileCopyrightText: 2026 The trainlint authors
// SPDX-License-Identifier: MIT

// Starts `trainlint lsp` and hands it the settings; everything else is the server's.

const os = require("os");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["yaml", "json", "jsonc", "toml", "shellscript", "markdown"];

let client;

function settings() {
  const all = vscode.workspace.getConfiguration("trainlint");
  return { target: all.get("target"), trace: all.get("trace") };
}

async function start() {
  const command = vscode.workspace.getConfiguration("trainlint").get("path");
  // not in the workspace: on some systems a program is looked for where one stands first
  const server = { command, args: ["lsp"], options: { cwd: os.homedir() } };
  client = new LanguageClient("trainlint", "trainlint", server, {
    documentSelector: LANGUAGES.flatMap((language) => [
      { scheme: "file", language },
      { scheme: "untitled", language },
    ]),
    initializationOptions: settings(),
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(
      `trainlint does not start (${error.message}): install it with pip install 'trainlint[lsp]', ` +
        `or say where it is in the setting trainlint.path`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("trainlint.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("trainlint.path")) {
        await stop();
        await start();
      } else if (event.affectsConfiguration("trainlint")) {
        await client?.sendNotification("workspace/didChangeConfiguration", { settings: { trainlint: settings() } });
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
