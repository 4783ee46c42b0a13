import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { ROUTES } from '../../src/http/api/all-routes.ts';
import { callPages, callsOf } from '../../src/http/openapi/document.ts';
import { createRouter } from '../../src/http/server/dispatch.ts';
import { temporaryDir } from '../daemon.ts';
import { makeCheckout, WEBHOOK_SECRET } from '../http/checkout-repository.ts';
import { startGuardedDaemon } from '../http/credentials.ts';
import { settle, settled } from '../http/volatile.ts';
import { pairIds, withAnswers } from './page.ts';

const PAGES = callPages(readFileSync('docs/reference/api.md', 'utf8')).map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}));
const PAGE = PAGES.map(({ text }) => text).join('');
/** Writes the answers into the page instead of comparing them. */
const SHALL_UPDATE = process.env['UPDATE_GOLDEN'] !== undefined;

/** Endpoints for browsers are in authentication.md. */
const ELSEWHERE = /^\/(?:api\/cra\/auth|cra)\b/;

test('the pages about the API have a call of every endpoint', (t) => {
  const route = createRouter(ROUTES);
  const called = new Set<string>();
  for (const { commands } of callsOf(PAGE)) {
    for (const [curl] of commands.replaceAll('\\\n', ' ').matchAll(/^curl [^|]*/gm)) {
      const path = /"\$CRA_URL([^"?]+)/.exec(curl)?.[1];
      const method = /-X (\w+)/.exec(curl)?.[1] ?? (/ -d /.test(curl) ? 'POST' : 'GET');
      if (path !== undefined) called.add(route(method, path).route.name);
    }
  }
  const missing = ROUTES.filter(({ name, path }) => !called.has(name) && !ELSEWHERE.test(path));
  t.deepEqual(
    missing.map(({ name }) => name),
    [],
  );
});

test('every call on the pages about the API is answered as it stands there', async (t) => {
  // Rules are tried in processes of their own, which take seconds on a busy machine.
  t.timeout(240_000);
  const daemon = await startGuardedDaemon(t, makeCheckout(temporaryDir(t)));
  const directory = temporaryDir(t);
  const env = {
    PATH: process.env['PATH'],
    CRA_URL: `http://127.0.0.1:${daemon.port}`,
    CRA_API_TOKEN: daemon.apiToken,
    CRA_OVERRIDE_TOKEN: daemon.overrideToken,
    CRA_JWT: await daemon.person('admin'),
    CRA_WEBHOOK_SECRET: WEBHOOK_SECRET,
  };
  const ids = new Map<string, string>();
  const real = (text: string) =>
    [...ids].reduce((done, [shown, id]) => done.replaceAll(shown, id), text);
  const answers: string[] = [];
  for (const { commands, answer } of callsOf(PAGE)) {
    const printed = await runShell(real(commands), directory, env);
    const text = answer?.kind === 'json' ? pretty(printed) : printed;
    answers.push(text);
    if (answer === null) continue;
    for (const [shown, id] of pairIds(answer.text, text)) {
      if (!ids.has(shown)) ids.set(shown, id);
    }
    if (SHALL_UPDATE) continue;
    if (answer.kind === 'json') {
      t.deepEqual(settled(JSON.parse(text)), settled(JSON.parse(answer.text)), commands);
    } else t.is(settle(text), settle(answer.text), commands);
  }
  t.true(answers.length > 25);
  if (!SHALL_UPDATE) return;
  for (const { path, text } of PAGES) {
    const own = answers.splice(0, callsOf(text).length);
    const page = withAnswers(text, own).replaceAll(env.CRA_URL, 'http://127.0.0.1:3011');
    writeFileSync(path, real(page));
  }
});

/** What the commands print. Rejects when one of them fails. */
async function runShell(
  commands: string,
  cwd: string,
  env: Record<string, string | undefined>,
): Promise<string> {
  const child = spawn('bash', ['-euc', commands], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`exit code ${code}: ${errors}\n${commands}`);
  return text;
}

function pretty(text: string): string {
  return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
}
