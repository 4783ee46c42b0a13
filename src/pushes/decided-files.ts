import { isDeepStrictEqual } from 'node:util';
import { HEADS } from '../heads/limits.ts';
import type { DecidedFiles, TreeFile } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import type { Finding } from '../model/finding.ts';
import { SOURCE } from '../model/limits.ts';
import { repositoryKey } from '../model/push.ts';
import { acceptsPush, type RfcRecord, readRecord } from '../model/records.ts';
import { OWN_MARKER } from '../model/rules.ts';
import type { RangeOptions } from './judgement-options.ts';
import type { PushPlace } from './push-record.ts';

/**
 * Where the markers of the base of a range come from: the adopted state of the repository, and the
 * newest pushes that a person let pass and whose findings name the markers that they bring, each
 * with those files before and after it. A marker that none of them brought came with a push that
 * nobody decided about. What cannot be read proves nothing. Empty where the base has no markers.
 */
export async function readDecidedFiles(
  claimed: PushPlace,
  files: readonly TreeFile[],
  options: RangeOptions,
): Promise<DecidedFiles[]> {
  const ofBase = files.filter(({ side, bytes }) => side === 'base' && bytes !== null);
  if (ofBase.length === 0) return [];
  const { foreign_markers: foreign = [] } = options.rules.rules.pipeline;
  const marked = ofBase.filter(({ path, bytes }) => {
    const isAttributes = /(?:^|\/)\.gitattributes$/.test(path);
    return isAttributes || foreign.length > 0 || Buffer.from(bytes ?? []).includes(OWN_MARKER);
  });
  if (marked.length === 0) return [];
  const { baseline } = await options.pushes.findBaseline({
    ...claimed.place,
    repo_name: claimed.record.repo_name,
  });
  const decided: DecidedFiles[] = [];
  let left = marked;
  if (baseline !== null && baseline.sha !== null) {
    const range = { base: null, head: baseline.sha };
    const after = await readSide(claimed, range, 'head', marked, options);
    decided.push({ before: [], after });
    left = marked.filter((file) => !after.some((one) => hasSameContent(one, file)));
  }
  if (left.length === 0) return decided;
  for (const record of await decidedPushes(claimed, options)) {
    const named = new Set(record.gates.risk.findings.filter(isOfMarks).map(({ file }) => file));
    const own = left.filter(({ path }) => named.has(path));
    const { push, commit_sha: head } = record;
    if (own.length === 0 || push === null || head === null) continue;
    const range = { base: push.base, head };
    const after = await readSide(claimed, range, 'head', own, options);
    const before = push.base === null ? [] : await readSide(claimed, range, 'base', own, options);
    // What could not be read of one end may have stood there.
    const isKnown = ({ path }: TreeFile) =>
      push.base === null || before.some((one) => one.path === path && isWhole(one));
    decided.push({ before, after: after.filter(isKnown) });
  }
  return decided;
}

/** Findings that show a person which markers a change brings. */
function isOfMarks({ id }: Finding): boolean {
  return id === 'marker-added' || id === 'generated-mark-added';
}

function isWhole({ state }: TreeFile): boolean {
  return state === 'read' || state === 'missing';
}

interface Range {
  base: string | null;
  head: string;
}

/** The newest pushes of the repository that a person let pass. */
async function decidedPushes(
  { place, record: { tenant_id, repo_name } }: PushPlace,
  { pushes, store }: RangeOptions,
): Promise<RfcRecord[]> {
  const limit = HEADS.CARRY_DECISIONS_MAX;
  const { records } = await pushes.overriddenPushes({ ...place, limit });
  const asked = { tenant_id, status: 'APPROVED', repo: repo_name, limit, cursor: null } as const;
  const listed = JSON.parse((await store.listRfcs(asked)).json) as { rfc_id: string }[];
  const approved: RfcRecord[] = [];
  for (const { rfc_id } of listed) {
    approved.push(await readRecord({ tenant_id, rfc_id }, store));
  }
  const isJudged = ({ push }: RfcRecord) => push !== null && push.base_kind !== null;
  const isOwn = (record: RfcRecord) => repositoryKey(record) === place.repo_key;
  return [...records, ...approved.filter(isOwn)].filter(acceptsPush).filter(isJudged);
}

/** Files at one end of a range; what the repository does not have there is left out. */
async function readSide(
  { repository }: PushPlace,
  range: Range,
  side: TreeFile['side'],
  files: readonly TreeFile[],
  { source }: RangeOptions,
): Promise<TreeFile[]> {
  const wants = files.map(({ path }) => ({ side, path }));
  const asked = { ...repository, ...range, wants, bytes_max: SOURCE.BLOBS_BYTES_MAX };
  try {
    return (await source.blobs(asked)).files;
  } catch (thrown) {
    const { code, details } = CraError.fromUnknown(thrown);
    if (code === 'CANCELLED' || typeof details['reason'] !== 'string') throw thrown;
    return [];
  }
}

function hasSameContent(one: TreeFile, other: TreeFile): boolean {
  return one.path === other.path && isDeepStrictEqual(one.bytes, other.bytes);
}
