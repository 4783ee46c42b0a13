import type { ExecutionContext } from 'ava';
import { openSqliteAuditSource } from '../src/store/sqlite/audit-source.ts';
import { type Answer, analyze, change, type DaemonProcess, newFile, request } from './daemon.ts';

export const AWS_KEY = ['AKIA', 'Z7QXN4M2LPKD3WVT'].join('');
/** A change that is BLOCKED for a secret. */
export const blocked = (n: number | string) =>
  change(newFile(`deploy/env-${n}.sh`, `export AWS_ACCESS_KEY_ID=${AWS_KEY}\n`));
/** A change that is PASSED. */
export const harmless = (n: number | string) => change(newFile(`docs/note-${n}.txt`, 'a line\n'));

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

/** Sends a request; POST unless told otherwise. */
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
