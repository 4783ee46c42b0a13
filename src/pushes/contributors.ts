import { unlessNotFound } from '../model/errors.ts';
import { addressDigest } from '../model/principal.ts';
import type { RepositoryPlace } from '../model/push.ts';
import type { RfcRecord } from '../model/records.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { parseRecord } from '../store/stored-record.ts';
import { PUSHES } from './limits.ts';

/**
 * Who contributed to a range, as digests of e-mail addresses (`addressDigest`): authors and
 * committers of its commits, and pushers of one of these commits in an earlier push, also
 * where that was superseded, or deleted while it refused. `objects`: the commits as
 * `DiffOutput.messages` has them, newest first. What hosts and git say of people is a claim, so
 * it serves refusals alone. `isWhole`: the range begins at the empty tree; the authors of all the
 * past do not count then, as nobody would be left.
 */
export async function contributorsOf(
  { objects, isWhole }: { objects: Uint8Array; isWhole: boolean },
  place: RepositoryPlace,
  pushes: Pick<PushStore, 'pushesOfCommit'>,
): Promise<string[]> {
  const { ids, addresses } = readObjects(
    Buffer.from(objects.buffer, objects.byteOffset, objects.byteLength),
  );
  const found = new Set(isWhole ? [] : addresses.map(addressDigest));
  const asked = ids.slice(0, PUSHES.CONTRIBUTED_COMMITS_MAX);
  for (let at = 0; at < asked.length; at += PUSHES.CONTRIBUTED_AT_ONCE) {
    const some = asked.slice(at, at + PUSHES.CONTRIBUTED_AT_ONCE);
    const known = await Promise.all(some.map((sha) => pushes.pushesOfCommit({ ...place, sha })));
    for (const { records } of known) for (const one of records) addPusher(found, one);
  }
  return [...found].slice(0, PUSHES.CONTRIBUTORS_MAX);
}

/** Who contributed to what components of a push stand by, judged by earlier RFCs (`same_as`). */
export async function contributorsBehind(
  { components = [], tenant_id }: RfcRecord,
  { getRfc }: Pick<RecordStore, 'getRfc'>,
): Promise<string[]> {
  const found = new Set<string>();
  for (const rfc_id of new Set(components.map(({ same_as }) => same_as))) {
    const read = rfc_id === null ? null : await getRfc({ tenant_id, rfc_id }).catch(unlessNotFound);
    if (read === null) continue;
    const before = parseRecord(Buffer.from(read.json).toString());
    addPusher(found, before);
    for (const one of before.push?.contributors ?? []) found.add(one);
  }
  return [...found];
}

/** The record with more contributors. */
export function withContributors(record: RfcRecord, more: readonly string[]): RfcRecord {
  const { push } = record;
  if (push === null || more.length === 0) return record;
  const all = [...new Set([...(push.contributors ?? []), ...more])];
  return { ...record, push: { ...push, contributors: all.slice(0, PUSHES.CONTRIBUTORS_MAX) } };
}

function addPusher(found: Set<string>, { submitted_by: { email } }: RfcRecord): void {
  if (email !== undefined) found.add(addressDigest(email));
}

const LF = 0x0a;
const HEADER = /^([0-9a-f]{40,64}) \w+ (\d+)$/;
const PERSON = /^(?:author|committer|tagger) .*<([^<>]*)> /gm;

/** The ids of objects as `git cat-file --batch` writes them, and the addresses in their headers. */
function readObjects(bytes: Buffer): { ids: string[]; addresses: string[] } {
  const ids: string[] = [];
  const addresses = new Set<string>();
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LF, at);
    const [, id, size] = HEADER.exec(bytes.toString('latin1', at, end)) ?? [];
    if (end === -1 || id === undefined || size === undefined) break;
    ids.push(id);
    const start = end + 1;
    const object = bytes.subarray(start, start + Number(size));
    const stop = object.indexOf('\n\n');
    const head = object.toString('utf8', 0, stop === -1 ? object.length : stop);
    for (const [, address = ''] of head.matchAll(PERSON)) addresses.add(address);
    at = start + Number(size) + 1;
  }
  return { ids, addresses: [...addresses].filter((address) => address !== '') };
}
