import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { retry } from '../core/retry.ts';
import { readServer } from '../daemon/config/reader.ts';
import type {
  PreReceiveAnswer,
  PreReceiveFinding,
  PreReceiveRequest,
  PushFacts,
  UnjudgedPush,
} from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { isSuppressible } from '../model/finding.ts';
import { adviceFor, parseEnvelope, type Refusal, refusalText, whyNoAnswer } from './no-answer.ts';
import { CLI, printable, readAll } from './terminal.ts';

/**
 * Posts JSON to an endpoint of the service and resolves with `data` of the answer. Rejects with
 * UNAVAILABLE when no answer comes, FAILED_PRECONDITION when it refuses: `details.status`, and
 * `details.code` as the service names it.
 */
export type Post = (endpoint: string, body: object, idempotencyKey: string) => Promise<unknown>;

/** Creates it for the service at an address. Throws INVALID_ARGUMENT for an invalid address. */
export function postTo(server: string, token: string, signal: AbortSignal): Post {
  const address = readServer(server);
  const { base, socketPath } = address;
  return async (endpoint, body, idempotencyKey) => {
    const bytes = Buffer.from(JSON.stringify(body));
    if (bytes.length > CLI.DIFF_BYTES_MAX) {
      throw new CraError('OUT_OF_RANGE', `it brings more than ${CLI.DIFF_BYTES_MAX} bytes`);
    }
    const headers = {
      'content-type': 'application/json',
      'content-length': bytes.length,
      'idempotency-key': idempotencyKey,
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    };
    const url = new URL(`api/cra/${endpoint}`, base);
    const request = base.protocol === 'https:' ? (await import('node:https')).request : httpRequest;
    try {
      const message = await new Promise<IncomingMessage>((done, failed) => {
        const to = { method: 'POST', agent: false, headers, signal, socketPath };
        const sent = request(url, to, done);
        sent.on('error', failed).end(bytes);
      });
      const reply = await readAll(message, CLI.COMMIT_HEAD_BYTES_MAX, 'the reply');
      return readEnvelope(message, reply, (refusal) => adviceFor(refusal, token !== '', address));
    } catch (thrown) {
      if (thrown instanceof CraError) throw thrown;
      const message = `the service does not answer: ${whyNoAnswer(thrown, address)}`;
      throw new CraError('UNAVAILABLE', message, { cause: thrown });
    }
  };
}

/** Asks until the service has a thread for the push, or the time is over. */
export function ask(
  post: Post,
  request: PreReceiveRequest,
  id: string,
  signal: AbortSignal,
): Promise<unknown> {
  return retry(() => post('pre-receive', request, id), {
    delayMs: (error) => (isBusy(error) ? BUSY_MS : null),
    signal,
  });
}

/** Whether the service had no thread for the push; it has not recorded it either. */
export function isBusy(thrown: unknown): boolean {
  return thrown instanceof CraError && thrown.details['code'] === 'RESOURCE_EXHAUSTED';
}

/** The wait between two attempts. */
const BUSY_MS = 250;

function readEnvelope(
  reply: IncomingMessage,
  bytes: Buffer,
  advise: (refusal: Refusal) => string,
): unknown {
  const { statusCode: status = 0 } = reply;
  const envelope = parseEnvelope(bytes);
  if (status === 200 && envelope['ok'] === true) return envelope['data'];
  const message = `the service answers ${refusalText(reply, bytes, advise)}`;
  const details = { status, code: String(envelope['code'] ?? '') };
  throw new CraError('FAILED_PRECONDITION', message, { details });
}

/** Notes of one repository that wait; further ones are not written. */
const LEFT_MAX = 10_000;
/** Of one push, which waits for them. */
const DELIVERED_MAX = 20;

/**
 * Notes a push that the service could not be asked about. It is a file of its own, there as a
 * whole or not at all, and stays until a later push delivers it. Where the group may write in the
 * repository, it may write notes and deliver them. `onProblem` gets the reason when it cannot be
 * written.
 */
export function writeLeft(
  spool: string,
  id: string,
  push: UnjudgedPush,
  onProblem: (problem: string) => void,
): void {
  try {
    if (mkdirSync(spool, { recursive: true, mode: 0o700 }) !== undefined) {
      chmodSync(spool, 0o700 | (statSync(dirname(spool)).mode & GROUP));
    }
    if (readdirSync(spool).length >= LEFT_MAX) throw new Error(`${LEFT_MAX} pushes wait already`);
    const path = join(spool, `${id}.json`);
    writeFileSync(`${path}.new`, JSON.stringify(push), { mode: 0o600, flush: true });
    chmodSync(`${path}.new`, 0o600 | (statSync(spool).mode & GROUP & 0o666));
    renameSync(`${path}.new`, path);
  } catch (thrown) {
    onProblem((thrown as Error).message);
  }
}

/** A repository for several accounts has its group on all files (`core.sharedRepository`). */
const GROUP = 0o2070;

/**
 * Delivers what was noted. The id of a push is its Idempotency-Key, so that two hooks may deliver
 * it at once and the trail has it once. What the service does not take now stays. Never rejects.
 */
export async function deliverLeft(spool: string, post: Post): Promise<void> {
  let asked = 0;
  for (const name of listLeft(spool)) {
    const path = join(spool, name);
    const push = readLeft(path);
    // Of another account perhaps: it must not keep the others here.
    if (push === null) continue;
    asked += 1;
    try {
      await post('pre-receive/unjudged', push, name.slice(0, -SUFFIX.length));
      quietly(() => rmSync(path, { force: true }));
    } catch (thrown) {
      const status = thrown instanceof CraError ? thrown.details['status'] : undefined;
      // A later push tries again, but not for what the service will never take.
      if (status !== 400) return;
      quietly(() => renameSync(path, `${path}.refused`));
    }
    if (asked === DELIVERED_MAX) return;
  }
}

const SUFFIX = '.json';

function listLeft(spool: string): string[] {
  return quietly(() => readdirSync(spool).filter((name) => name.endsWith(SUFFIX))) ?? [];
}

function readLeft(path: string): UnjudgedPush | null {
  return quietly(() => JSON.parse(readFileSync(path, 'utf8')) as UnjudgedPush) ?? null;
}

/** What a step gives; undefined: it failed, and the push must not. */
function quietly<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

/** What the verdicts of an answer say about the push; of `unjudged` its `fail` does. */
const LETS_THROUGH = new Map([
  ['allowed', true],
  ['bypassed', true],
  ['refused', false],
]);

/** Whatever is not an answer of a cra service, whole and in one sense, judges nothing. */
export function readAnswer(data: unknown): PreReceiveAnswer {
  const { verdict = '', let_through, findings } = Object(data) as Partial<PreReceiveAnswer>;
  const expected = verdict === 'unjudged' ? let_through : LETS_THROUGH.get(verdict);
  if (typeof let_through !== 'boolean' || let_through !== expected || !Array.isArray(findings)) {
    throw new CraError('UNKNOWN', 'the server did not answer like a cra service');
  }
  return data as PreReceiveAnswer;
}

/** Writes a judgement for the person who pushes; gives the exit code. */
export function report(answer: PreReceiveAnswer, { reason }: PushFacts): number {
  const { verdict, let_through, why, findings, findings_total: total, more, may_bypass } = answer;
  if (verdict === 'allowed') return 0;
  if (verdict === 'unjudged') say(unjudgedLine(why ?? '', let_through));
  if (verdict === 'bypassed') say('this push would be refused; the reason given lets it through');
  if (verdict === 'refused') {
    say(`this push is refused: ${total} ${total === 1 ? 'finding' : 'findings'}`);
    for (const finding of findings.slice(0, SHOWN_MAX)) say(`  ${findingLine(finding)}`);
    if (total > SHOWN_MAX) say(`  and ${total - SHOWN_MAX} more`);
    say('take them out of every commit (git rebase), and revoke secrets that others could read');
    if (findings.some(({ id }) => isSuppressible(id))) {
      say('harmless? submit the change (cra analyze --server URL): a person can accept it there');
    }
    if (may_bypass) say('you may push all the same: git push -o cra.reason="why"');
    else if (reason !== null) say('a reason of yours does not bypass this');
  }
  say(`more: ${more}`);
  return let_through ? 0 : 1;
}

/** Findings that a terminal shows. */
const SHOWN_MAX = 5;

function findingLine(finding: PreReceiveFinding): string {
  const { id, commit, file, line, excerpt, title, message } = finding;
  const where = file === null ? '' : `${file}:${line ?? '-'} `;
  const of = commit === '' ? '' : ` in ${commit.slice(0, 12)}`;
  const shown = excerpt ?? (title === undefined ? message : null);
  return `${where}${id}${of}: ${[title, shown].filter((text) => text != null).join(': ')}`;
}

/** The line about a push that was not judged. */
export function unjudgedLine(why: string, isOpen: boolean): string {
  const then = isOpen
    ? 'it goes through, and is judged once it is there'
    : 'it is refused: push again later';
  return `this push was not judged (${why}); ${then}`;
}

/** Writes a line to the person who pushes. */
export function say(line: string): void {
  process.stderr.write(`cra: ${printable(line)}\n`);
}
