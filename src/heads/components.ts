import { type ComponentMap, type ComponentVerdict, isPassing } from '../model/components.ts';
import { baselineId, repositoryKey } from '../model/push.ts';
import { acceptsHead, type RfcRecord } from '../model/records.ts';
import { PUSHES } from '../pushes/limits.ts';
import { PUSH_STORE } from '../store/contract/limits.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { parseRecord } from '../store/stored-record.ts';
import type { Base, BaseSearch, Head } from './base.ts';

export interface ComponentSearch {
  source: Pick<BaseSearch['source'], 'ancestry' | 'isAncestor'>;
  pushes: Pick<PushStore, 'acceptedHeads' | 'refusedPushes'>;
  store: Pick<RecordStore, 'getRfc'>;
}

/** A commit for which it is known which components are accepted there. */
export interface ComponentStart {
  sha: string;
  /** The push that says so; null: all are accepted, as the baseline is. */
  record: RfcRecord | null;
  /**
   * The newest commit among the ancestors of the head at which a component is accepted that is
   * refused at the start; undefined: it is not among those that were looked through.
   */
  acceptedAt(id: string): Promise<string | undefined>;
  /** Whether an RFC accepts a component now: somebody may have decided about it since. */
  isAcceptedBy(rfcId: string, id: string): Promise<boolean>;
}

/**
 * The newest commit among the ancestors of a head for which verdicts say how each component stands:
 * a push that was judged by the same map, or an accepted head, at which all components of another
 * map are accepted, too. Null: the range of the whole repository says it; so where a merge brought
 * the newest commit, which lacks what the newest one of the same ref has.
 */
export async function findComponentStart(
  head: Head,
  base: Base,
  map: ComponentMap,
  search: ComponentSearch,
): Promise<ComponentStart | null> {
  if (base.isOpened) return null;
  const found = await findJudged(head, map, search);
  const read = createReader(head.place.tenant_id, search);
  const accepts = async ({ record, rfc_id }: JudgedHead, id: string) => {
    const judged = record ?? (await read(rfc_id));
    if (judged === null) return true;
    const { component_map, components = [], overall_status } = judged;
    if (component_map !== map.key) return isPassing(overall_status);
    return components.every((one) => one.id !== id || isPassing(one.status));
  };
  if (await isMerged(head, found, search)) return null;
  const newest = found.filter(({ sha }) => sha === found[0]?.sha);
  const start = newest.find((one) => one.ref === head.ref) ?? newest[0] ?? startOf(base);
  if (start === null) return null;
  return {
    sha: start.sha,
    record: start.record ?? (await read(start.rfc_id)),
    async acceptedAt(id) {
      const older = found.slice(found.indexOf(start) + 1, PUSHES.COMPONENT_HEADS_MAX);
      for (const one of older) if (await accepts(one, id)) return one.sha;
      return undefined;
    },
    async isAcceptedBy(rfcId, id) {
      const one = found.find(({ rfc_id }) => rfc_id === rfcId);
      return one !== undefined && (await accepts(one, id));
    },
  };
}

/** Whether the newest commit came by a merge: it lacks what the newest one of the same ref has. */
async function isMerged(
  { repository, ref }: Head,
  found: readonly JudgedHead[],
  { source }: Pick<ComponentSearch, 'source'>,
): Promise<boolean> {
  const [newest] = found;
  const own = found.find((one) => one.ref === ref);
  if (newest === undefined || own === undefined || own.sha === newest.sha) return false;
  const pair = { ...repository, one: own.sha, other: newest.sha };
  const { is_ancestor } = await source.isAncestor(pair);
  return !is_ancestor;
}

/** A commit of a push that was judged; without `rfc_id` the baseline. */
interface JudgedHead {
  sha: string;
  ref: string | null;
  rfc_id: string | null;
  /** Null: it is accepted, and was not read yet. */
  record: RfcRecord | null;
}

/** Judged pushes among the newest ancestors of a head, and itself, newest first. */
async function findJudged(
  { repository, place, sha: from }: Head,
  map: ComponentMap,
  { source, pushes }: ComponentSearch,
): Promise<JudgedHead[]> {
  const limit = PUSH_STORE.HEADS_PER_CALL_MAX;
  const { shas } = await source.ancestry({ ...repository, from, skip: 0, limit });
  const [{ accepted }, { records }] = await Promise.all([
    pushes.acceptedHeads({ ...place, shas }),
    pushes.refusedPushes({ tenant_id: place.tenant_id, shas }),
  ]);
  const refused = records.filter((record) => {
    const isHere = repositoryKey(record) === place.repo_key && record.push?.waiting_for == null;
    return isHere && record.overall_status !== 'DRAFT' && record.component_map === map.key;
  });
  return shas.flatMap((sha): JudgedHead[] => [
    ...refused
      .filter((one) => one.commit_sha === sha)
      .map((record) => ({ sha, ref: record.ref, rfc_id: record.rfc_id, record })),
    ...accepted.filter((one) => one.sha === sha).map((one) => ({ ...one, record: null })),
  ]);
}

/** The base of the whole range, where no commit nearer to the head is known. */
function startOf({ sha, restsOn }: Base): JudgedHead | null {
  if (sha === null) return null;
  const rfc_id = restsOn.find((id) => id !== baselineId(sha)) ?? null;
  return { sha, ref: null, rfc_id, record: null };
}

/** Reads each record once. */
function createReader(tenant_id: string, { store }: Pick<ComponentSearch, 'store'>) {
  const known = new Map<string, Promise<RfcRecord>>();
  const read = async (rfc_id: string) => {
    const { json } = await store.getRfc({ tenant_id, rfc_id });
    return parseRecord(Buffer.from(json).toString());
  };
  return (rfcId: string | null): Promise<RfcRecord> | null => {
    if (rfcId === null) return null;
    const record = known.get(rfcId) ?? read(rfcId);
    known.set(rfcId, record);
    return record;
  };
}

/** The verdict on a range. */
export interface JudgedRange {
  /** Its components have no base yet. */
  record: RfcRecord;
  /** Components that files move to from others: with renames the diff hides what these bring. */
  movesTo: readonly string[];
}

/** The range of the whole repository, and of which push it is. */
export interface PartedRange extends JudgedRange {
  head: Pick<Head, 'ref'>;
  base: Base;
}

/** What the components of a push are, and what these verdicts rest on. */
export interface PartedVerdict {
  key: string;
  components: ComponentVerdict[];
  restsOn: string[];
}

/**
 * The verdicts of the components that a push touches, each over the range since its own newest
 * accepted head. From `start` on, a component that is accepted there has the range from there, and
 * one that is refused there the range from where it was accepted last. One that is refused
 * there and was not touched since stands as it stood (`same_as`): it is judged once.
 *
 * `judge` judges the range from a commit (null: the empty tree) to the head. A component that files
 * move to has its verdict from the range without renames.
 */
export async function judgeComponents(
  { head, base, record, movesTo }: PartedRange,
  start: ComponentStart | null,
  map: ComponentMap,
  judge: (base: string | null, withoutRenames: boolean) => Promise<JudgedRange>,
): Promise<PartedVerdict> {
  const ranges = new Map<string | null, Promise<ComponentVerdict[]>>();
  const judgeFrom = async (from: string | null): Promise<ComponentVerdict[]> => {
    const judged = from === base.sha ? { record, movesTo } : await judge(from, false);
    const { components = [] } = judged.record;
    if (judged.movesTo.length === 0) return components;
    const { components: bare = [] } = (await judge(from, true)).record;
    const isTarget = ({ id }: ComponentVerdict) => judged.movesTo.includes(id);
    return [...components.filter((one) => !isTarget(one)), ...bare.filter(isTarget)];
  };
  /** Null: too many components have ranges of their own. */
  const verdictsFrom = async (from: string | null): Promise<ComponentVerdict[] | null> => {
    if (!ranges.has(from) && ranges.size >= PUSHES.COMPONENT_RANGES_MAX) return null;
    const own = ranges.get(from) ?? judgeFrom(from);
    ranges.set(from, own);
    return (await own).map((one) => ({ ...one, base: from }));
  };
  const from = start === null ? base.sha : start.sha;
  const touched = (await verdictsFrom(from)) ?? [];
  const refused = refusedAt(start, map);
  const components = touched.filter(({ id }) => !refused.has(id));
  const changed = new Set(touched.map(({ id }) => id));
  for (const before of refused.values()) {
    const { id } = before;
    const isStanding = !changed.has(id) && start?.record?.ref === head.ref;
    const same_as = isStanding ? (before.same_as ?? start?.record?.rfc_id ?? null) : null;
    if (same_as !== null && (await start?.isAcceptedBy(same_as, id))) continue;
    const own = isStanding
      ? null
      : await verdictsFrom((await start?.acceptedAt(id)) ?? before.base);
    if (own === null) components.push({ ...before, same_as });
    else components.push(...own.filter((one) => one.id === id));
  }
  const order = new Map(map.components.map(({ id }, index) => [id, index]));
  components.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
  return { key: map.key, components, restsOn: restsOn(start) };
}

/** The components that a push refuses, which is the start of others. */
function refusedAt(start: ComponentStart | null, map: ComponentMap): Map<string, ComponentVerdict> {
  const { component_map, components = [] } = start?.record ?? {};
  if (component_map !== map.key) return new Map();
  return new Map(components.filter((one) => !isPassing(one.status)).map((one) => [one.id, one]));
}

/** A rejected push is never judged again: what it rested on may fall all the same. */
function restsOn(start: ComponentStart | null): string[] {
  if (start === null) return [];
  const { sha, record } = start;
  if (record === null) return [baselineId(sha)];
  return record.overall_status === 'REJECTED' ? (record.push?.rests_on ?? []) : [record.rfc_id];
}

/** How a component stands by an RFC, as prod-check asks. */
export interface ComponentState {
  status: RfcRecord['overall_status'];
  risk_score: number;
  /** Whether the decision about the RFC is what lets it pass. */
  isDecided: boolean;
  /** The RFC that judged it. */
  same_as: string | null;
}

/**
 * How a component stands by an RFC: by its own verdict; accepted where the RFC was judged by this
 * map and has none, as nothing of the component is open then; else as the whole RFC stands.
 */
export function componentState(
  record: RfcRecord,
  component: { id: string; isJudged: boolean },
  map: ComponentMap,
): ComponentState {
  const { overall_status, risk_score, component_map, components = [], push } = record;
  const isOpen = overall_status === 'DRAFT' || overall_status === 'SUPERSEDED';
  const isUnseen = push !== null && push.waiting_for !== null;
  if (isOpen || isUnseen || component_map !== map.key || !component.isJudged) {
    const isDecided = !['PASSED', 'BLOCKED'].includes(overall_status);
    return { status: overall_status, risk_score, isDecided, same_as: null };
  }
  const own = components.find(({ id }) => id === component.id);
  if (own === undefined)
    return { status: 'PASSED', risk_score: 0, isDecided: false, same_as: null };
  const { status, same_as } = own;
  const isDecided = status === 'OVERRIDDEN' || status === 'APPROVED';
  return { status, risk_score: own.risk_score, isDecided, same_as };
}

/** Whether a push lets a component pass that it judged, or all of it. */
export function acceptsComponent(record: RfcRecord, state: ComponentState): boolean {
  const { push, commit_sha } = record;
  if (push === null || push.waiting_for !== null || !isPassing(state.status)) return false;
  return !state.isDecided || acceptsHead({ ...record, overall_status: state.status, commit_sha });
}
