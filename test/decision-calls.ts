import type { ExecutionContext } from 'ava';
import { openSqliteAuditSource } from '../src/store/sqlite/audit-log.ts';
import { openForWriting, storePaths } from '../src/store/sqlite/database.ts';
import { runCommand } from './cli/fixtures/command.ts';
import {
  type Answer,
  analyze,
  change,
  type DaemonProcess,
  newFile,
  request,
  startDaemonProcess,
  temporaryDir,
} from './daemon.ts';

export const AWS_KEY = ['AKIA', 'Z7QXN4M2LPKD3WVT'].join('');
/** A change that is BLOCKED for a secret. */
export const blocked = (n: number | string) =>
  change(newFile(`deploy/env-${n}.sh`, `export AWS_ACCESS_KEY_ID=${AWS_KEY}\n`));
/** A change that is PASSED. */
export const harmless = (n: number | string) => change(newFile(`docs/note-${n}.txt`, 'a line\n'));

/** A rule that no built-in rules file has. */
export const EXTRA_RULE = {
  id: 'risk-acme-kill-switch',
  description: 'The kill switch is touched',
  regex: 'KILL_SWITCH\\s*=',
  keywords: ['kill_switch'],
  severity: 'high',
  message: 'the kill switch changes',
  source: 'https://wiki.example/kill-switch',
  examples: { match: ['KILL_SWITCH = 1'], noMatch: ['kill_switches = 1'] },
};
/** A rules file with it. */
export const EXTRA_RULES = { version: 1, extends: 'default', risk_patterns: [EXTRA_RULE] };

export interface Sent {
  method?: string;
  token?: string;
  key?: string;
  /** `If-Match`. */
  rev?: number;
}

export interface Reply extends Answer {
  headers: Headers;
}

/** Sends a request; POST unless `sent` names another method. */
export async function send(daemon: DaemonProcess, path: string, body: unknown, sent: Sent = {}) {
  const headers: Record<string, string> = {};
  if (sent.token !== undefined) headers['Authorization'] = `Bearer ${sent.token}`;
  if (sent.key !== undefined) headers['Idempotency-Key'] = sent.key;
  if (sent.rev !== undefined) headers['If-Match'] = `"${sent.rev}"`;
  const init: RequestInit = { method: sent.method ?? 'POST', headers };
  if (body !== null) init.body = JSON.stringify(body);
  const response = await fetch(`${daemon.url}/${path}`, init);
  return {
    status: response.status,
    headers: response.headers,
    body: await response.json(),
  } as Reply;
}

/** Posts a change; the id of its RFC. */
export async function submit(
  t: ExecutionContext,
  daemon: DaemonProcess,
  body: unknown,
): Promise<string> {
  const answer = await analyze(daemon.url, body);
  t.is(answer.status, 200);
  return answer.body.data.rfc_id;
}

/** A daemon with a BLOCKED RFC, and a connection of another process to its database. */
export async function startBlocked(t: ExecutionContext) {
  const dataDir = temporaryDir(t);
  const daemon = await startDaemonProcess(t, dataDir);
  const rfcId = await submit(t, daemon, blocked(1));
  const database = openForWriting(storePaths(dataDir).database);
  t.teardown(() => void database.close());
  return { daemon, rfcId, database };
}

export async function statusOf(daemon: DaemonProcess, rfcId: string): Promise<string> {
  return (await request(`${daemon.url}/rfc/${rfcId}`)).body.data.overall_status;
}

/** Every entry of the trail, as text. */
export async function entriesOf(dataDir: string): Promise<string[]> {
  const source = openSqliteAuditSource(dataDir);
  const texts: string[] = [];
  for (const chain of await source.chains()) {
    for await (const text of source.entries(chain)) texts.push(text);
  }
  await source.close();
  return texts;
}

/** What a daemon answers to a GET: status and data. */
export async function get(daemon: DaemonProcess, path: string) {
  const { status, body } = await request(`${daemon.url}/${path}`);
  return { status, data: body.data };
}

/** The trail as `cra audit verify` reads it from the database: exit code 0. */
export async function isInOrder(t: ExecutionContext, env: Record<string, string>, kinds: string[]) {
  const { code, stdout, stderr } = await runCommand(['audit', 'verify', '--json'], { env });
  t.is(code, 0, stdout + stderr);
  const { flaw, summary, warnings } = JSON.parse(stdout);
  t.deepEqual([flaw, summary.openIntents, warnings], [null, 0, []], stdout);
  const exported = await runCommand(['audit', 'export'], { env });
  const lines = exported.stdout.trim().split('\n');
  const told = lines.map((line) => JSON.parse(line)).filter(({ phase }) => SETTLED.has(phase));
  t.deepEqual(
    told.map(({ kind }) => kind).filter((kind) => !/boot|checkpoint/.test(kind)),
    kinds,
  );
}

const SETTLED = new Set(['whole', 'done']);
