import {
  type ComponentMap,
  type ComponentVerdict,
  type EarlierMaps,
  isOfBranch,
  isPassing,
  keepsComponent,
} from '../model/components.ts';
import { unlessNotFound } from '../model/errors.ts';
import { baselineId, isPullRequestRef, repositoryKey } from '../model/push.ts';
import { acceptsHead, type RfcRecord } from '../model/records.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { PUSH_STORE } from '../store/limits.ts';
import { parseRecord } from '../store/stored-record.ts';
import type { Base, BaseSearch, Head } from './base.ts';
import { HEADS } from './limits.ts';
import { isHeadRejected, type RejectionReads } from './rejections.ts';

export interface ComponentSearch {
  source: Pick<BaseSearch['source'], 'ancestry'>;
  pushes: RejectionReads & Pick<PushStore, 'acceptedHeads' | 'refusedPushes'>;
  store: Pick<RecordStore, 'getRfc'>;
  /** The maps of RFCs that were judged by other rules; absent: they are not known. */
  earlier?: EarlierMaps;
}

/** The verdict of one push about a commit, or the baseline. */
export interface HeadVerdict {
  sha: string;
  ref: string | null;
  /** Null: the baseline. */
  rfc_id: string | null;
  /** Null: it is accepted, and was not read yet. */
  record: RfcRecord | null;
}

/** How a component stands by the verdict of a push; `unknown`: it does not say. */
export interface Standing {
  by: HeadVerdict;
  kind: 'accepted' | 'refused' | 'unknown';
  /** As the RFC lists it. */
  verdict: ComponentVerdict | null;
  /** Whether the RFC lists it, or stands for it as a whole; else it did not touch it. */
  isAbout: boolean;
}

/** Judged commits, each with its verdicts. */
export type Judged = readonly (readonly HeadVerdict[])[];

/** What verdicts say of components at the newest ancestors of a head. */
export interface KnownHeads {
  /** The newest ancestors, the head itself first. */
  shas: readonly string[];
  /** The newest of them that were judged, newest first, with their verdicts. */
  judged: Judged;
  /** All of them: heads of a long line may hide heads of another that it is merged with. */
  all(): Promise<Judged>;
  /** The ancestors of a commit among the newest of its own. */
  behind(sha: string): Promise<ReadonlySet<string>>;
  standing(by: HeadVerdict, id: string): Promise<Standing>;
}

/** Ancestors that are looked up at a time. */
const PAGE = HEADS.COMPONENT_HEADS_MAX;

/**
 * The judged commits among the newest ancestors of a head; else the base of the whole range. None:
 * the range of the whole repository says all, as where a webhook opens an adopted state again.
 */
export async function findKnownHeads(
  head: Head,
  base: Base,
  map: ComponentMap,
  search: ComponentSearch,
): Promise<KnownHeads> {
  const read = createReader(head.place.tenant_id, search);
  const load = async (by: HeadVerdict) => by.record ?? (await read(by.rfc_id));
  const rejections = new Map<string, Promise<boolean>>();
  const isRejected = (sha: string) => {
    const known = rejections.get(sha) ?? isHeadRejected(sha, head, search.pushes);
    rejections.set(sha, known);
    return known;
  };
  const ancestors = new Map<string, Promise<readonly string[]>>();
  const ancestorsOf = (sha: string) => {
    const known = ancestors.get(sha) ?? readAncestors(sha, head, search);
    ancestors.set(sha, known);
    return known;
  };
  const shas = base.isOpened ? [] : await ancestorsOf(head.sha);
  // Of a line no more of them are looked at: to read all costs more than the rest of the verdict.
  const newest: HeadVerdict[][] = [];
  let at = 0;
  for (; at < shas.length && newest.length < HEADS.COMPONENT_HEADS_MAX; at += PAGE) {
    newest.push(...(await findJudged(shas.slice(at, at + PAGE), head, search)));
  }
  const last = base.isOpened ? null : startOf(base);
  const judged = newest.length === 0 && last !== null ? [[last]] : newest;
  const { earlier = async () => null } = search;
  const components = new Map(map.components.map((one) => [one.id, one]));
  return {
    shas,
    judged,
    all: async () =>
      at < shas.length ? [...judged, ...(await findJudged(shas.slice(at), head, search))] : judged,
    behind: async (sha) => new Set(await ancestorsOf(sha)),
    async standing(by, id) {
      const record = await load(by);
      const none = { by, verdict: null, isAbout: true };
      if (record === null) {
        const isAccepted = by.rfc_id === null && !(await isRejected(by.sha));
        return { ...none, kind: isAccepted ? 'accepted' : 'unknown' };
      }
      const stateIn = async (of: RfcRecord) => {
        const component = components.get(id);
        const isJudged = component !== undefined && isOfBranch(component, of.branch);
        return componentState(of, { id, isJudged, isKept: await isKept(of, id, map, earlier) });
      };
      const state = await stateIn(record);
      const verdict = record.components?.find((one) => one.id === id) ?? null;
      const isAbout = verdict !== null || !state.isOwn;
      if (isSilent(record, id)) return { ...none, kind: 'unknown' };
      if (isPassing(state.status)) {
        // Its verdict was made before the rejection: the heads behind it tell.
        if (await isRejected(by.sha)) return { ...none, kind: 'unknown' };
        return { by, kind: 'accepted', verdict, isAbout };
      }
      if (!state.isOwn || verdict === null) return { ...none, kind: 'unknown' };
      // Somebody may have decided since about the RFC that judged it.
      const isOpen = verdict.same_as !== null && verdict.status !== 'REJECTED';
      const before = isOpen ? await read(verdict.same_as) : null;
      const isDecided = before !== null && acceptsComponent(before, await stateIn(before));
      return { by, kind: isDecided ? 'accepted' : 'refused', verdict, isAbout };
    },
  };
}

/** Whether a record was judged by a map in which a component was what it is by this one. */
export async function isKept(
  record: RfcRecord,
  id: string,
  map: ComponentMap,
  earlier: EarlierMaps,
): Promise<boolean> {
  if (record.component_map === map.key) return true;
  const before = record.component_map === undefined ? null : await earlier(record);
  return before !== null && before.key === record.component_map && keepsComponent(before, map, id);
}

async function readAncestors(
  from: string,
  { repository }: Head,
  { source }: Pick<ComponentSearch, 'source'>,
): Promise<readonly string[]> {
  const limit = PUSH_STORE.HEADS_PER_CALL_MAX;
  return (await source.ancestry({ ...repository, from, skip: 0, limit })).shas;
}

/** The verdicts about commits that have some, in the order of the commits. */
async function findJudged(
  shas: readonly string[],
  { place }: Head,
  { pushes }: Pick<ComponentSearch, 'pushes'>,
): Promise<HeadVerdict[][]> {
  const [{ accepted }, { records }] = await Promise.all([
    pushes.acceptedHeads({ ...place, shas: [...shas] }),
    pushes.refusedPushes({ tenant_id: place.tenant_id, shas: [...shas] }),
  ]);
  const refused = records.filter((record) => {
    const isHere = repositoryKey(record) === place.repo_key && record.push?.waiting_for == null;
    if (isPullRequestRef(record.ref)) return false;
    return isHere && record.overall_status !== 'DRAFT' && record.component_map !== undefined;
  });
  const bySha = new Map<string, HeadVerdict[]>();
  const add = (one: HeadVerdict) => bySha.set(one.sha, [...(bySha.get(one.sha) ?? []), one]);
  for (const record of refused) {
    add({ sha: record.commit_sha ?? '', ref: record.ref, rfc_id: record.rfc_id, record });
  }
  for (const one of accepted) add({ ...one, record: null });
  return shas.flatMap((sha) => {
    const own = bySha.get(sha);
    return own === undefined ? [] : [own];
  });
}

/** The base of the whole range, where no commit nearer to the head is known. */
function startOf({ sha, dependsOn }: Base): HeadVerdict | null {
  if (sha === null) return null;
  const rfc_id = dependsOn.find((id) => id !== baselineId(sha)) ?? null;
  return { sha, ref: null, rfc_id, record: null };
}

/** Reads each record once; null when absent or deleted. */
function createReader(tenant_id: string, { store }: Pick<ComponentSearch, 'store'>) {
  const known = new Map<string, Promise<RfcRecord | null>>();
  const parse = ({ json }: { json: Uint8Array }) => parseRecord(Buffer.from(json).toString());
  const read = (rfc_id: string) => store.getRfc({ tenant_id, rfc_id }).then(parse, unlessNotFound);
  return (rfcId: string | null): Promise<RfcRecord | null> => {
    if (rfcId === null) return Promise.resolve(null);
    const record = known.get(rfcId) ?? read(rfcId);
    known.set(rfcId, record);
    return record;
  };
}

/** How a component stands by an RFC, as prod-check asks. */
export interface ComponentState {
  status: RfcRecord['overall_status'];
  risk_score: number;
  /** Whether the decision about the RFC is what lets it pass. */
  isDecided: boolean;
  /** The RFC that judged it. */
  same_as: string | null;
  /** Whether the RFC says it of the component; else the whole RFC stands for it. */
  isOwn: boolean;
}

/**
 * How a component stands by an RFC: by its own verdict; accepted where the RFC was judged by a map
 * that has the component as it is now (`isKept`), and lists it not, as nothing of it is open then;
 * else as the whole RFC stands. What an RFC of any map refuses by name stays refused.
 */
export function componentState(
  record: RfcRecord,
  component: { id: string; isJudged: boolean; isKept: boolean },
): ComponentState {
  const { overall_status, risk_score, components = [], push } = record;
  const isOpen = overall_status === 'DRAFT' || overall_status === 'SUPERSEDED';
  const isUnseen = push !== null && push.waiting_for !== null;
  const own = components.find(({ id }) => id === component.id);
  const isKnown = component.isKept || (own !== undefined && !isPassing(own.status));
  if (isOpen || isUnseen || !component.isJudged || !isKnown) {
    const isDecided = !['PASSED', 'BLOCKED'].includes(overall_status);
    return { status: overall_status, risk_score, isDecided, same_as: null, isOwn: false };
  }
  if (own === undefined)
    return { status: 'PASSED', risk_score: 0, isDecided: false, same_as: null, isOwn: true };
  const { status, same_as } = own;
  const isDecided = status === 'OVERRIDDEN' || status === 'APPROVED';
  return { status, risk_score: own.risk_score, isDecided, same_as, isOwn: true };
}

/**
 * Whether a rejected RFC does not list a component: it is not judged again, so it says nothing of
 * what was revoked behind it since.
 */
export function isSilent({ overall_status, components }: RfcRecord, id: string): boolean {
  const isListed = components?.some((one) => one.id === id) ?? true;
  return overall_status === 'REJECTED' && !isListed;
}

/** Whether a push lets a component pass that it judged, or all of it. */
export function acceptsComponent(record: RfcRecord, state: ComponentState): boolean {
  const { push, commit_sha } = record;
  if (push === null || push.waiting_for !== null || !isPassing(state.status)) return false;
  return !state.isDecided || acceptsHead({ ...record, overall_status: state.status, commit_sha });
}
