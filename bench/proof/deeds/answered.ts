import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AuditPlace } from '../../../src/model/audit.ts';
import { createHttpClient, type HttpAnswer, type HttpClient } from '../http-client.ts';
import { type Deed, dataOf } from './deed.ts';
import { type Stored, toldRules } from './told.ts';

/** What was answered with 200 and is not in the database as it was answered, in words. */
export function lostDeeds(deeds: readonly Deed[], stored: Stored): string[] {
  return deeds.flatMap((deed) => {
    const { answer, kind, request } = deed;
    if (answer?.status !== 200) return [];
    const name = `${kind} ${request.path}`;
    const data = dataOf(answer);
    if (kind === 'rules') {
      const hash = createHash('sha256')
        .update(request.body ?? '')
        .digest('hex');
      return toldRules(stored).has(hash) ? [] : [`${name}: not in the trail`];
    }
    if (kind === 'bulk-override') return lostParts(name, data, stored);
    const place = data['audit'] as AuditPlace;
    const told = [...attemptsOf(String(data['op_id']), stored)].find(({ done }) => done !== null);
    if (told === undefined) return [`${name}: answered, but the trail does not tell of it`];
    if (isDeepStrictEqual(told.done, { chain: place.chain, seq: place.seq })) return [];
    return [`${name}: it stands elsewhere in the trail than was answered`];
  });
}

/** MongoDB calls a deed that is tried again after it was given up `op_id.2` and so on. */
function attemptsOf(opId: string, { deeds }: Stored) {
  const names = Array.from({ length: 9 }, (_, at) => (at === 0 ? opId : `${opId}.${at + 1}`));
  return names.map((name) => deeds.get(name)).filter((deed) => deed !== undefined);
}

/** Revisions of the rules and what the trail tells of them, where they differ. */
export async function rulesFaults(client: HttpClient, stored: Stored): Promise<string[]> {
  const told = toldRules(stored);
  const { text } = await client.get('rules/revisions');
  const { data } = JSON.parse(text) as { data: { text_sha256: string }[] };
  const hashes = data.map(({ text_sha256 }) => text_sha256);
  const faults = hashes.filter((hash) => !told.has(hash)).map((hash) => `rules ${hash}: not told`);
  if (told.size !== hashes.length) {
    faults.push(`${hashes.length} revisions of the rules, and ${told.size} told`);
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

function lostParts(name: string, data: Record<string, unknown>, { deeds }: Stored): string[] {
  const told = new Set(
    [...deeds.values()]
      .filter(({ kind, done }) => kind === 'override' && done !== null)
      .map(({ rfcId }) => rfcId),
  );
  return partsOf(data)
    .filter(({ ok, rfc_id }) => ok && !told.has(rfc_id))
    .map(({ rfc_id }) => `${name}: ${rfc_id} is not in the trail`);
}

const AT_A_TIME = 8;
const DEEDS_PER_ADDRESS = 20;

/** Sends every deed once more, or twice where it had no answer: the answers must be the same. */
export async function changedAnswers(
  port: number,
  deeds: readonly Deed[],
): Promise<{ repeats: number; faults: string[] }> {
  const rest = deeds.filter(({ kind }) => kind !== 'rules');
  const faults: string[] = [];
  const repeats = rest.length;
  const worker = async () => {
    for (let deed = rest.pop(); deed !== undefined; deed = rest.pop()) {
      // A few deeds from each address: there is a quota of ops-log.
      const block = Math.floor(rest.length / DEEDS_PER_ADDRESS);
      const client = createHttpClient(port, `127.${1 + (block >> 8)}.${block & 255}.9`);
      const before = deed.answer ?? (await client.send(deed.request));
      const after = await client.send(deed.request);
      if (!isSame(deed, before, after)) {
        faults.push(`${deed.kind} ${deed.request.path}: ${short(before)}, then ${short(after)}`);
      }
      client.close();
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return { repeats, faults };
}

/** Refused is refused; what a refusal says of the record may have changed. */
function isSame({ kind }: Deed, before: HttpAnswer, after: HttpAnswer): boolean {
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
