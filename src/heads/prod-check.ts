import {
  type Component,
  type ComponentMap,
  componentMap,
  type EarlierMaps,
  isOfBranch,
  isPassing,
} from '../model/components.ts';
import { CraError, invalidField, unlessNotFound } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { baselineId, branchOf, type ProdFacts } from '../model/push.ts';
import { approveUrl, pinOf, type RfcRecord, readRecord } from '../model/records.ts';
import { awaitedSentence } from '../model/reports.ts';
import { commitId, type RfcStatus } from '../model/rfc.ts';
import type { ProdHead, ProdInput, ProdView, PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import {
  acceptsComponent,
  type ComponentState,
  componentState,
  isKept,
  isSilent,
} from './components.ts';
import { HEADS } from './limits.ts';
import { rejectionOf } from './rejections.ts';

/** The answer of `GET prod-check/<repo>` (spec, Production-check decision). */
export interface ProdDecision {
  allowed: boolean;
  /** The RFC that blocks, or the newest one where nothing does; so of riskScore and approveUrl. */
  rfcId: string;
  riskScore: number;
  reason: string;
  approveUrl: string;
  /** The newest RFC that is not SUPERSEDED. */
  latest_rfc_id: string;
}

/** Narrows the question; null: not by this. */
export interface ProdQuestion {
  repo: string;
  branch: string | null;
  sha: string | null;
  /** Id of a component that the repository has by the rules in force. */
  component?: string | null;
}

/**
 * Answers whether a repository may deploy: by its newest RFC that is not SUPERSEDED and, where it
 * is pushed by webhook, by the newest head of its default branch (or of the branch asked for),
 * which must be accepted: an RFC that somebody submitted clears no push. With a commit by the
 * newest RFC of that commit and, where it was pushed, by its newest push, which must be accepted;
 * when it is absent, by the newest of all if its decision is pinned to that commit. Where both
 * block, the answer names the push: as long as it does, approving the newer RFC changes nothing.
 * An RFC that refused its change does so, too, after its deletion. A commit that a person rejected
 * is refused until a person lets an RFC of that commit pass. An acceptance of a finding that has
 * ended refuses as well, until it is settled.
 * Of a component it answers the same by the RFCs that judged it: whole RFCs are not asked then but
 * for what they say of the component. Rejects with NOT_FOUND when there is no RFC, and with
 * INVALID_ARGUMENT when there is no such component.
 */
export type ProdCheck = (principal: Principal, question: ProdQuestion) => Promise<ProdDecision>;

/** What the records say of a deployment. */
export interface ProdVerdict extends ProdView {
  /** Why not, by an RFC that judged it; null: it may be deployed as far as RFCs go. */
  refusal: Refusal | null;
}

/** The same question, answered in parts. */
export interface ProdJudge {
  /** By the RFCs; rejects like `ProdCheck`. */
  judge(principal: Principal, question: ProdQuestion): Promise<ProdVerdict>;
  /** By the acceptance of a finding that has ended; null: all of the repository stand. */
  judgeEnd(principal: Principal, repo: string): Promise<Refusal | null>;
}

/** What the check reads. */
export interface ProdStores {
  pushes: Pick<
    PushStore,
    'prodView' | 'decisionsOfCommit' | 'pushesOfCommit' | 'deletedRefusal' | 'newestOfComponent'
  >;
  trail: Pick<TrailStore, 'endedAcceptance'>;
  records: Pick<RecordStore, 'getRfc'>;
}

/** Creates the check; `baseUrl` is the address of the service for people, without `/api/cra`. */
export function createProdCheck(
  stores: ProdStores,
  baseUrl: () => string,
  rules: () => { components?: readonly Component[] } = () => ({}),
  earlier: EarlierMaps = async () => null,
): ProdCheck {
  const { judge, judgeEnd } = createProdJudge(stores, rules, earlier);
  return async (principal, question) => {
    const { newest, refusal } = await judge(principal, question);
    return prodDecision(newest, refusal ?? (await judgeEnd(principal, question.repo)), baseUrl());
  };
}

/** The answer that parts come to. */
export function prodDecision(
  newest: ProdFacts,
  refusal: Refusal | null,
  baseUrl: string,
): ProdDecision {
  const { rfc_id, risk_score } = refusal?.by ?? newest;
  return {
    allowed: refusal === null,
    rfcId: rfc_id,
    riskScore: risk_score,
    reason: refusal?.reason ?? PERMITS[newest.overall_status] ?? '',
    approveUrl: approveUrl(baseUrl, rfc_id),
    latest_rfc_id: newest.rfc_id,
  };
}

/** Creates the parts of the check. */
export function createProdJudge(
  { pushes: store, trail, records }: ProdStores,
  rules: () => { components?: readonly Component[] },
  earlier: EarlierMaps,
): ProdJudge {
  const readRecord = createRecordReader(records, store);
  /** An RFC that came without its commit may have been approved for one. */
  async function ofCommit(input: ProdInput, sha: string): Promise<ProdView> {
    try {
      return await store.prodView({ ...input, commit_sha: sha });
    } catch (thrown) {
      if (!(thrown instanceof CraError) || thrown.code !== 'NOT_FOUND') throw thrown;
      const { newest } = await store.prodView(input);
      if (newest.pin === sha) return { newest, head: null };
      throw thrown;
    }
  }

  /** The finding counts again, whether or not a push has touched it since. */
  async function judgeEnd({ tenant_id }: Principal, repo: string): Promise<Refusal | null> {
    const { ended } = await trail.endedAcceptance({ tenant_id, repo_name: repo });
    if (ended === null) return null;
    const { rfc_id, rule, fingerprint, expires_at } = ended;
    const what = rule ?? `fingerprint ${fingerprint.slice(0, SHOWN_CHARS)}`;
    const { risk_score } = await readRecord(tenant_id, rfc_id);
    const reason = `the acceptance of ${what} by ${rfc_id} ended on ${expires_at}`;
    return { reason, by: { rfc_id, risk_score } };
  }

  async function awaitedOf(tenant_id: string, newest: ProdFacts): Promise<string | null> {
    if (newest.overall_status !== 'DRAFT') return null;
    return awaitedSentence(await readRecord(tenant_id, newest.rfc_id));
  }

  /** A verdict of before a rejection, or of a harmless diff, does not speak for the commit. */
  async function refusalOfCommits(
    { tenant_id, repo, sha, component }: RequestedCommit,
    { newest, head }: ProdView,
  ): Promise<Refusal | null> {
    const named = sha === null ? [newest.commit_sha, head?.commit_sha ?? null] : [sha];
    const shas = new Set(named.filter((one) => one !== null));
    if (shas.size === 0) return null;
    const record = await readRecord(tenant_id, newest.rfc_id);
    for (const each of shas) {
      const commit = { ...record, repo_name: repo, commit_sha: each };
      const names = [record.repo_name, record.repo_full_name ?? repo];
      const by = await rejectionOf(commit, store, { names, about: record, component });
      if (by === null) continue;
      const reason = `commit ${each} was rejected (${by.rfc_id}): decide about an RFC of that commit`;
      return { reason, by };
    }
    return null;
  }

  const judge: ProdJudge['judge'] = async ({ tenant_id }, question) => {
    const { repo, branch, sha: asked, component: id = null } = question;
    const input = { tenant_id, repo_name: repo, branch, commit_sha: null };
    const sha = asked === null ? null : commitId(asked);
    const component = askedComponent(id, repo, rules());
    const whole = await (sha === null ? store.prodView(input) : ofCommit(input, sha));
    const { newest, head } =
      component === null
        ? whole
        : await viewOfComponent(component, { ...input, commit_sha: sha }, whole, {
            readRecord,
            newestOfComponent: store.newestOfComponent,
            prodView: store.prodView,
            earlier,
          });
    const refusal =
      refusalOfHead(head, newest) ??
      refusalOf(newest, sha, await awaitedOf(tenant_id, newest)) ??
      (await refusalOfCommits({ tenant_id, repo, sha, component: id }, { newest, head }));
    return { newest, head, refusal };
  };
  return { judge, judgeEnd };
}

interface RequestedCommit {
  tenant_id: string;
  repo: string;
  sha: string | null;
  component: string | null;
}

/** A component that is asked for, and the map that it stands in. */
interface RequestedComponent {
  id: string;
  component: Component;
  map: ComponentMap;
}

function askedComponent(
  id: string | null,
  repo: string,
  rules: { components?: readonly Component[] },
): RequestedComponent | null {
  if (id === null) return null;
  const map = componentMap(rules, repo);
  const component = map?.components.find((one) => one.id === id);
  if (map !== null && component !== undefined) return { id, component, map };
  throw invalidField('component', 'the rules in force name no such component of this repository');
}

/** The same view as if the component were all of the repository. */
async function viewOfComponent(
  component: RequestedComponent,
  input: ProdInput,
  view: ProdView,
  { readRecord, newestOfComponent, prodView, earlier }: ComponentReads,
): Promise<ProdView> {
  const stateOf = async (record: RfcRecord) => {
    const { id } = component;
    const isJudged = isOfBranch(component.component, record.branch);
    const known = { id, isJudged, isKept: await isKept(record, id, component.map, earlier) };
    return { ...componentState(record, known), isKept: known.isKept };
  };
  const { tenant_id, repo_name, branch, commit_sha } = input;
  const stateIn = async (rfc_id: string) => {
    const record = await readRecord(tenant_id, rfc_id);
    const own = await stateOf(record);
    if (own.isOwn && isSilent(record, component.id)) return await stateBehind(record, own);
    if (own.same_as === null || isPassing(own.status)) return { record, state: own };
    // If it was deleted and refused nothing, what was said of it since stands.
    const before = await readRecord(tenant_id, own.same_as).catch(unlessNotFound);
    const state = before === null ? own : { ...own, ...(await stateOf(before)) };
    // What was rejected stays so, whatever is decided about the RFC that judged it.
    const isFinal = own.status === 'REJECTED' && !isRefusal(state);
    return before === null || isFinal ? { record, state: own } : { record: before, state };
  };
  /** Of a rejected push that does not touch it: by what that depends on, while that stands. */
  const stateBehind = async (record: RfcRecord, own: Awaited<ReturnType<typeof stateOf>>) => {
    const behind = [record];
    const seen = new Set<string>();
    for (const { push } of behind) {
      for (const id of push?.rests_on ?? []) {
        if (id.startsWith(baselineId('')) || seen.has(id)) continue;
        const before = await readRecord(tenant_id, id).catch(unlessNotFound);
        // It was deleted, or there are too many to look at.
        if (before === null || seen.size === HEADS.COMPONENT_HEADS_MAX) {
          return { record, state: { ...own, status: record.overall_status } };
        }
        seen.add(id);
        const state = await stateOf(before);
        if (isSilent(before, component.id)) behind.push(before);
        else if (isRefusal(state)) return { record: before, state };
      }
    }
    return { record, state: own };
  };
  /**
   * Somebody may have let it pass since by an RFC that lists it as that one judged it, or may have
   * pushed a state without it. What is submitted says nothing of what it does not touch.
   */
  const decidedSince = async (judged: Awaited<ReturnType<typeof stateIn>>) => {
    if (!isRefusal(judged.state) || judged.state.status === 'REJECTED') return judged;
    const { newest, head } = await prodView({ ...input, branch: judged.record.branch });
    for (const rfc_id of new Set([newest.rfc_id, head?.rfc_id ?? newest.rfc_id])) {
      const { record, state } = await stateIn(rfc_id);
      const isListed = state.same_as === judged.record.rfc_id;
      const arePushes = record.push !== null && judged.record.push !== null;
      const isAbout = state.isOwn && (isListed || arePushes);
      if (isAbout && isPassing(state.status)) return { record, state };
    }
    return judged;
  };
  const isAny = branch === null && commit_sha === null;
  const asked = { tenant_id, repo_name, component: component.id };
  const touched = isAny ? (await newestOfComponent(asked)).rfc_id : null;
  const isWaiting = view.newest.overall_status === 'DRAFT';
  const judged = isWaiting || touched === null ? null : await stateIn(touched);
  const last = judged === null ? null : await decidedSince(judged);
  // Of a component that was another one then it says no more than what it refuses.
  const isOfNow = last !== null && (last.state.isKept || isRefusal(last.state));
  const { record, state } = isOfNow ? last : await stateIn(view.newest.rfc_id);
  const newest: ProdFacts = {
    ...view.newest,
    rfc_id: record.rfc_id,
    commit_sha: record.commit_sha,
    overall_status: state.status,
    risk_score: state.risk_score,
    pin: state.isDecided ? pinOf(record) : null,
  };
  if (view.head === null) return { newest, head: null };
  const of = await stateIn(view.head.rfc_id);
  const { rfc_id } = of.record;
  const isAccepted = acceptsComponent(of.record, of.state);
  const head = { ...view.head, rfc_id, isAccepted, risk_score: of.state.risk_score };
  return { newest, head };
}

/** Reads records as they are stored, or what their deletion left; NOT_FOUND. */
function createRecordReader(
  { getRfc }: Pick<RecordStore, 'getRfc'>,
  { deletedRefusal }: Pick<PushStore, 'deletedRefusal'>,
) {
  return async (tenant_id: string, rfc_id: string): Promise<RfcRecord> => {
    try {
      return await readRecord({ tenant_id, rfc_id }, { getRfc });
    } catch (thrown) {
      if (CraError.fromUnknown(thrown).code !== 'NOT_FOUND') throw thrown;
      const { record } = await deletedRefusal({ tenant_id, rfc_id });
      if (record === null) throw thrown;
      return record;
    }
  };
}

function isRefusal({ isOwn, status }: ComponentState): boolean {
  return isOwn && !isPassing(status);
}

/** What the view of a component is read with. */
interface ComponentReads extends Pick<PushStore, 'prodView' | 'newestOfComponent'> {
  readRecord: ReturnType<typeof createRecordReader>;
  earlier: EarlierMaps;
}

/** Of a fingerprint. */
const SHOWN_CHARS = 12;

const PERMITS: Partial<Record<RfcStatus, string>> = {
  PASSED: 'the newest change passed all gates',
  APPROVED: 'the newest change was approved',
  OVERRIDDEN: 'the newest change was blocked, and overridden',
};

const REFUSES: Partial<Record<RfcStatus, string>> = {
  DRAFT: 'the analysis of the newest change has not ended',
  BLOCKED: 'the newest change is blocked',
  REJECTED: 'the newest change was rejected',
};

/** Why a repository may not deploy, and the RFC to decide about. */
export interface Refusal {
  reason: string;
  /** The analysis has not ended. */
  isWaiting?: boolean;
  by: { rfc_id: string; risk_score: number };
}

/** By the newest RFC; null: it allows the deployment. */
function refusalOf(newest: ProdFacts, sha: string | null, awaited: string | null): Refusal | null {
  const { overall_status, pin, commit_sha } = newest;
  const refused =
    awaited === null ? REFUSES[overall_status] : `the newest change waits for ${awaited}`;
  if (refused !== undefined) {
    const ending = ', and its RFC deleted: submit or push the change again to have it decided';
    const reason = newest.deleted === true ? `${refused}${ending}` : refused;
    return { reason, isWaiting: overall_status === 'DRAFT', by: newest };
  }
  if (PERMITS[overall_status] === undefined) {
    throw new CraError('INTERNAL', `an RFC that is ${overall_status} counts for no deployment`);
  }
  if (pin === null || (sha ?? commit_sha) === pin) return null;
  // A decision that is pinned to a commit counts for that commit alone.
  return { reason: `the decision counts for commit ${pin} alone; ask with ?sha=`, by: newest };
}

/** By a pushed head: the newest RFC need not have judged it. */
function refusalOfHead(head: ProdHead | null, newest: ProdFacts): Refusal | null {
  if (head === null || head.isAccepted || head.rfc_id === newest.rfc_id) return null;
  const reason = `the newest push of ${branchOf(head.ref)} (${head.rfc_id}) is not accepted`;
  return { reason, isWaiting: head.overall_status === 'DRAFT', by: head };
}
