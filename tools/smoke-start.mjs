#!/usr/bin/env node
/**
 * Does what a newcomer does: `npm start`, health, a diff, the RFC; then SIGTERM, a second start,
 * and the RFC again. Uses a free port and a new data directory. Exits with 1 and says why.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const START_MS_MAX = 300_000;
const DIFF = `diff --git a/src/notes.txt b/src/notes.txt
index 257cc56..3bd1f0e 100644
--- a/src/notes.txt
+++ b/src/notes.txt
@@ -1 +1,2 @@
 foo
+bar
`;

const dataDir = mkdtempSync(join(tmpdir(), 'cra-smoke-'));
try {
  await smoke();
  console.log('smoke-start: passed');
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

async function smoke() {
  const first = await start();
  assert.equal((await ask(`${first.url}/health`)).status, 'ok');
  const change = { repo_name: 'acme/shop', branch: 'main', commit_message: 'notes', diff: DIFF };
  const { data } = await ask(`${first.url}/analyze`, JSON.stringify(change));
  assert.match(data.rfc_id, /^RFC-[0-9A-F]+$/);
  assert.equal(data.overall_status, 'PASSED');
  assert.equal((await ask(`${first.url}/rfc/${data.rfc_id}`)).data.repo_name, 'acme/shop');
  await first.stop();
  // What the first start has built.
  const second = await start('--ignore-scripts');
  assert.equal((await ask(`${second.url}/rfc/${data.rfc_id}`)).data.rfc_id, data.rfc_id);
  await second.stop();
}

async function ask(url, body) {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body });
  const text = await response.text();
  assert.equal(response.status, 200, `${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Starts the service by `npm start`; it is up when it says on which port it listens. */
async function start(...options) {
  const env = { ...process.env, SERVICE_PORT: '0', SERVICE_DATA_DIR: dataDir };
  const npm = spawn('npm', ['start', ...options], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(npm, 'exit');
  const { port, pid } = await listening(npm);
  return {
    url: `http://127.0.0.1:${port}/api/cra`,
    async stop() {
      process.kill(pid, 'SIGTERM');
      const [code, signal] = await exited;
      assert.equal(code, 0, `npm start ended with ${signal ?? code}`);
    },
  };
}

function listening(npm) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      npm.kill();
      reject(new Error(`not listening after ${START_MS_MAX} ms`));
    }, START_MS_MAX);
    npm.once('exit', (code) => reject(new Error(`npm start ended with ${code}`)));
    createInterface({ input: npm.stdout }).on('line', (line) => {
      console.log(line);
      if (!line.startsWith('{')) return;
      const entry = JSON.parse(line);
      if (entry.msg !== 'listening') return;
      clearTimeout(late);
      resolve({ port: entry.port, pid: entry.pid });
    });
  });
}
