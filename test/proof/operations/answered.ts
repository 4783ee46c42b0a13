import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  createHttpClient,
  type HttpAnswer,
  type HttpClient,
} from '../../../bench/daemon/http-client.ts';
import type { AuditPlace } from '../../../src/model/audit.ts';
import { dataOf, type Operation } from './operation.ts';
import { recordedRules, type Stored } from './stored.ts';

/** What was answered with 200 and is not in the database as it was answered, in words. */
export function lostOperations(operations: readonly Operation[], stored: Stored): string[] {
  return operations.flatMap((operation) => {
    const { answer, kind, request } = operation;
    if (answer?.status !== 200) return [];
    const name = `${kind} ${request.path}`;
    const data = dataOf(answer);
    if (kind === 'rules') {
      const hash = createHash('sha256')
        .update(request.body ?? '')
        .digest('hex');
      return recordedRules(stored).has(hash) ? [] : [`${name}: not in the trail`];
    }
    if (kind === 'bulk-override') return lostParts(name, data, stored);
    const place = data['audit'] as AuditPlace;
    const recorded = [...attemptsOf(String(data['op_id']), stored)].find(
      ({ done }) => done !== null,
    );
    if (recorded === undefined) return [`${name}: answered, but the trail does not hold it`];
    if (isDeepStrictEqual(recorded.done, { chain: place.chain, seq: place.seq })) return [];
    return [`${name}: it stands elsewhere in the trail than was answered`];
  });
}

/** MongoDB calls an operation that is tried again after it was given up `op_id.2` and so on. */
function attemptsOf(opId: string, { operations }: Stored) {
  const names = Array.from({ length: 9 }, (_, at) => (at === 0 ? opId : `${opId}.${at + 1}`));
  return names.map((name) => operations.get(name)).filter((operation) => operation !== undefined);
}

/** Differences between the revisions of the rules and the entries about them in the trail. */
export async function rulesFaults(client: HttpClient, stored: Stored): Promise<string[]> {
  const recorded = recordedRules(stored);
  const { text } = await client.get('rules/revisions');
  const { data } = JSON.parse(text) as { data: { text_sha256: string }[] };
  const hashes = data.map(({ text_sha256 }) => text_sha256);
  const faults = hashes
    .filter((hash) => !recorded.has(hash))
    .map((hash) => `rules ${hash}: not recorded`);
  if (recorded.size !== hashes.length) {
    faults.push(`${hashes.length} revisions of the rules, and ${recorded.size} recorded`);
  }
  return faults;
}

interface BulkPart {
  rfc_id: string;
  ok: boolean;
}

function partsOf(data: Record<string, unknown>): BulkPart[] {
  return data['results'] as BulkPart[];
}

function lostParts(name: string, data: Record<string, unknown>, { operations }: Stored): string[] {
  const recorded = new Set(
    [...operations.values()]
      .filter(({ kind, done }) => kind === 'override' && done !== null)
      .map(({ rfcId }) => rfcId),
  );
  return partsOf(data)
    .filter(({ ok, rfc_id }) => ok && !recorded.has(rfc_id))
    .map(({ rfc_id }) => `${name}: ${rfc_id} is not in the trail`);
}

const AT_A_TIME = 8;
const OPERATIONS_PER_ADDRESS = 20;

/** Sends every operation again, or twice if it had no answer: the answers must be the same. */
export async function changedAnswers(
  port: number,
  operations: readonly Operation[],
): Promise<{ repeats: number; faults: string[] }> {
  const rest = operations.filter(({ kind }) => kind !== 'rules');
  const faults: string[] = [];
  const repeats = rest.length;
  const worker = async () => {
    for (let operation = rest.pop(); operation !== undefined; operation = rest.pop()) {
      // A few operations from each address: there is a quota of ops-log.
      const block = Math.floor(rest.length / OPERATIONS_PER_ADDRESS);
      const client = createHttpClient(port, `127.${1 + (block >> 8)}.${block & 255}.9`);
      const before = operation.answer ?? (await client.send(operation.request));
      const after = await client.send(operation.request);
      if (!isSame(operation, before, after)) {
        faults.push(
          `${operation.kind} ${operation.request.path}: ${short(before)}, then ${short(after)}`,
        );
      }
      client.close();
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return { repeats, faults };
}

/** Refused is refused; what a refusal says of the record may have changed. */
function isSame({ kind }: Operation, before: HttpAnswer, after: HttpAnswer): boolean {
  const refusals = [404, 409];
  if (before.status !== 200) {
    return refusals.includes(before.status) && refusals.includes(after.status);
  }
  if (after.status !== 200) return false;
  if (kind !== 'bulk-override') return isDeepStrictEqual(dataOf(before), dataOf(after));
  const isOk = new Set(partsOf(dataOf(after)).flatMap(({ ok, rfc_id }) => (ok ? rfc_id : [])));
  return partsOf(dataOf(before)).every(({ ok, rfc_id }) => !ok || isOk.has(rfc_id));
}

function short({ status, text }: HttpAnswer): string {
  return `${status} ${text.slice(0, 160)}`;
}
