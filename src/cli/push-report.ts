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
import { readServer } from '../daemon/config/client.ts';
import type { UnjudgedPush } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { CLI, printable, readAll } from './terminal.ts';

/**
 * Posts JSON to an endpoint of the service and resolves with `data` of the answer. Rejects with
 * UNAVAILABLE when no answer comes, FAILED_PRECONDITION when it refuses: `details.status`, and
 * `details.code` as the service names it.
 */
export type Post = (endpoint: string, body: object, idempotencyKey: string) => Promise<unknown>;

/** Creates it for the service at an address. Throws INVALID_ARGUMENT for one that is not valid. */
export function postTo(server: string, token: string, signal: AbortSignal): Post {
  const { base, socketPath } = readServer(server);
  return async (endpoint, body, idempotencyKey) => {
    const bytes = Buffer.from(JSON.stringify(body));
    if (bytes.length > CLI.DIFF_BYTES_MAX) {
      throw new CraError('OUT_OF_RANGE', `it brings more than ${CLI.DIFF_BYTES_MAX} bytes`);
    }
    const headers = {
      ...{ 'content-type': 'application/json', 'content-length': bytes.length },
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
      return readEnvelope(message, await readAll(message, CLI.COMMIT_HEAD_BYTES_MAX, 'the reply'));
    } catch (thrown) {
      if (thrown instanceof CraError) throw thrown;
      const { code, message } = thrown as NodeJS.ErrnoException;
      const why = printable(code ?? message);
      throw new CraError('UNAVAILABLE', `the service does not answer: ${why}`, { cause: thrown });
    }
  };
}

function readEnvelope({ statusCode: status = 0 }: IncomingMessage, bytes: Buffer): unknown {
  let envelope: Record<string, unknown> = {};
  try {
    envelope = Object(JSON.parse(bytes.toString('utf8'))) as Record<string, unknown>;
  } catch {
    // Of something else than the service.
  }
  if (status === 200 && envelope['ok'] === true) return envelope['data'];
  const said = typeof envelope['error'] === 'string' ? `: ${envelope['error']}` : '';
  const message = printable(`the service answers ${status}${said}`);
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
