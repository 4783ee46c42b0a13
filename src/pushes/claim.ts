import { joinSignals } from '../core/deadline.ts';
import type { Semaphore } from '../core/semaphore.ts';
import { ageOf, isJudgedHead, namesRange } from '../heads/adoption.ts';
import { CraError } from '../model/errors.ts';
import type { Baseline } from '../model/push.ts';
import type { RfcRecord } from '../model/records.ts';
import { type Client, cancellable } from '../rpc/service.ts';
import type { Source, SyncOutput } from '../rpc/source-contract.ts';
import type { PushClaim } from '../store/contract/pushes.ts';
import { blockOtherHost, judgePush, type Rest } from './judgement.ts';
import type { JudgementOptions, PushOptions } from './judgement-options.ts';
import { PUSHES } from './limits.ts';
import { ClaimedPush } from './push-record.ts';
import { acceptSweep } from './sweep.ts';

export interface ClaimOptions extends JudgementOptions {
  /** Name of this daemon, the same after a restart. */
  owner: string;
  /** Bounds how many pushes are judged at the same time. */
  judging: Semaphore;
  /** Fires when a newer push of the ref has come; absent: nobody says so. */
  superseded?: AbortSignal;
  /** A push has a verdict, was superseded or put off. */
  onSettled(rfcId: string): void;
}

/**
 * Takes a claim to its end: asks the host where the ref is, supersedes what is not judged, judges
 * the rest. Rejects with ABORTED when a record was changed meanwhile, and with whatever the store
 * or a thread fails with: the claim's lease runs out then, and it is claimed again.
 */
export async function processPush(
  claim: PushClaim,
  signal: AbortSignal,
  options: ClaimOptions,
): Promise<void> {
  const { pushes, judging } = options;
  const { repo_key } = claim.place;
  const source = remembering(cancellable<typeof Source>(options.source, signal));
  const own = { ...options, source, signal };
  const { baseline, nameHost } = await findBaseline(claim, options);
  const { push } = claim.record;
  const owner = baseline?.host ?? nameHost;
  let claimed = new ClaimedPush(claim.record, repo_key, pushes);
  if (owner !== null && owner !== push?.host) return await blockOtherHost(claimed, owner, options);
  try {
    const sync = await syncClaim(claim, own);
    const record = await settleClaim(claim, sync, baseline, own);
    if (record === null) return;
    // Many may wait for slow hosts; few have their diffs in memory.
    claimed = new ClaimedPush(record, repo_key, pushes);
    const judge = () => judgePush(claimed, sync, baseline, own);
    const rest = await judging.use(claimed.push.host, judge);
    if (rest !== null) await finish(claimed, rest, own);
  } catch (thrown) {
    // Attempts count daemons that died; this one stops in order.
    if (signal.aborted) await claimed.putOff({ waiting_for: STOPPED }, 0);
    throw thrown;
  }
}

/** The newest ancestors of a commit stay the same: the base and components both look at them. */
function remembering(source: Client<typeof Source>): Client<typeof Source> {
  const known = new Map<string, ReturnType<typeof source.ancestry>>();
  return {
    ...source,
    ancestry(input, call) {
      if (input.skip > 0) return source.ancestry(input, call);
      const key = `${input.from} ${input.limit}`;
      const page = known.get(key) ?? source.ancestry(input, call);
      known.set(key, page);
      page.catch(() => known.delete(key));
      return page;
    },
  };
}

const STOPPED = 'the daemon that judged it has stopped';

/**
 * Gate 3 of a push, which ends when a newer push of the ref comes: it costs money and minutes. That
 * one is claimed next, and supersedes this one, or has it judged where the host has its head.
 */
async function finish(
  claimed: ClaimedPush,
  rest: Rest,
  { signal, superseded = signal }: Pick<PushOptions, 'signal'> & Pick<ClaimOptions, 'superseded'>,
): Promise<void> {
  const until = joinSignals([signal, superseded]);
  try {
    await rest(until.signal);
  } catch (thrown) {
    if (signal.aborted || !superseded.aborted) throw thrown;
    await claimed.putOff({ waiting_for: NEWER_PUSH }, 0);
  } finally {
    until.clear();
  }
}

const NEWER_PUSH = 'a newer push of this ref has come';

/** The baseline of the claim's repository, also where it was kept by its name until now. */
async function findBaseline(
  { place, record }: PushClaim,
  { pushes }: Pick<ClaimOptions, 'pushes'>,
): Promise<{ baseline: Baseline | null; nameHost: string | null }> {
  const { tenant_id, repo_key } = place;
  const named = { tenant_id, repo_key, repo_name: record.repo_name };
  const found = await pushes.findBaseline(named);
  const host = record.push?.host ?? '';
  if (found.baseline === null && found.nameHost === host) {
    const { bound } = await pushes.bindRepository({ ...named, host });
    if (bound) return await findBaseline({ place, record } as PushClaim, { pushes });
  }
  return { baseline: found.baseline, nameHost: found.nameHost };
}

/** What the host has of the claimed ref; a source that fails has nothing, and says why. */
async function syncClaim(
  { place, record }: PushClaim,
  { source, signal }: Pick<PushOptions, 'source' | 'signal'>,
): Promise<SyncOutput> {
  const { push, repo_name: repo_full_name, commit_sha } = record;
  const wants = commit_sha === null ? [] : [commit_sha];
  const input = { host: push?.host ?? '', repo_full_name, wants, refs: [place.ref] };
  try {
    return await source.sync(input);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const { details, message } = CraError.fromUnknown(thrown);
    const problem = typeof details['reason'] === 'string' ? details['reason'] : message;
    return { refs: null, missing: wants, problem };
  }
}

type SettleOptions = Pick<
  ClaimOptions,
  'pushes' | 'owner' | 'times' | 'now' | 'source' | 'onSettled'
>;

/** Supersedes the other pushes of a claim; resolves with the push that is judged, or null. */
async function settleClaim(
  claim: PushClaim,
  { refs, missing }: SyncOutput,
  baseline: Baseline | null,
  options: SettleOptions,
): Promise<RfcRecord | null> {
  const { record, older, place } = claim;
  const { pushes, owner } = options;
  const target = chooseTarget(claim, refs);
  const { tenant_id } = record;
  const at = options.now().toISOString();
  const isHere = missing.length === 0;
  const late = await latePushes(claim, isHere, baseline?.sha ?? null, options);
  const supersede = async (others: { rfc_id: string; rev: number }[], by: string | null) => {
    const superseded = others
      .filter(({ rfc_id }) => !late.has(rfc_id))
      .map(({ rfc_id, rev }) => ({ rfc_id, rev }));
    if (superseded.length === 0) return;
    await pushes.supersedePushes({ tenant_id, pushes: superseded, by, at });
    for (const { rfc_id } of superseded) options.onSettled(rfc_id);
  };
  if (target.kind === 'claimed') {
    await supersede(older, record.rfc_id);
    return record;
  }
  if (late.has(record.rfc_id)) return record;
  if (target.kind === 'older') {
    const { rfc_id, rev: expectedRev } = target;
    const leaseMs = PUSHES.LEASE_MS;
    const taken = await pushes.takePush({ tenant_id, rfc_id, expectedRev, owner, leaseMs });
    await supersede([record, ...older.filter((each) => each.rfc_id !== rfc_id)], rfc_id);
    return taken.record;
  }
  const { graceMs } = options.times;
  if (target.kind === 'elsewhere' && ageOf(record, options.now()) < graceMs) {
    // The webhook of the newer head may be on its way, for as long as this one is young.
    const claimed = new ClaimedPush(record, place.repo_key, pushes);
    await claimed.putOff({ waiting_for: NEWER_HEAD }, graceMs);
    return null;
  }
  await supersede([record, ...older], null);
  if (target.kind === 'elsewhere') await takeUpHead(claim, target.head, options);
  return null;
}

const NEWER_HEAD = 'the host has a newer head of this ref, whose webhook has not come yet';

/**
 * The pushes of a claim that are judged, each in its turn, although the host has moved on from
 * them: their ranges lie within the adopted state, so that no later push shows them.
 */
async function latePushes(
  { record, older, place }: PushClaim,
  isHere: boolean,
  baseline: string | null,
  { pushes, source }: Pick<SettleOptions, 'pushes' | 'source'>,
): Promise<ReadonlySet<string>> {
  const late = new Set<string>();
  const { repo_name: repo_full_name, commit_sha, push } = record;
  // Behind a commit that is not there lies nothing that was adopted, as far as git can tell.
  const shas = older.map((each) => each.commit_sha);
  if (isHere && commit_sha !== null) shas.push(commit_sha);
  if (baseline === null || push === null || shas.length === 0) return late;
  const { tenant_id, repo_key, ref } = place;
  const { accepted } = await pushes.newestAccepted({ tenant_id, repo_key, refs: [ref] });
  const known = accepted.map(({ sha }) => sha).filter((sha) => sha !== baseline);
  const repository = { host: push.host, repo_full_name };
  const within = await source.ancestorsAmong({ ...repository, head: baseline, shas, known });
  for (const sha of within.shas) {
    const { records } = await pushes.pushesOfCommit({ tenant_id, repo_key, sha });
    if (records.some(isJudgedHead)) continue;
    for (const each of records) {
      if (each.push !== null && namesRange(each.push, each.ref ?? '')) late.add(each.rfc_id);
    }
  }
  return late;
}

/**
 * Makes a push of a head that the host has and that no webhook announced. The store makes none
 * where the ref stands by a push that is known: to send an old webhook again would judge again what
 * people decided. Nor where one has come since the host was asked, which is claimed next.
 */
async function takeUpHead(
  { record, place }: PushClaim,
  head: string,
  { pushes, now }: Pick<SettleOptions, 'pushes' | 'now'>,
): Promise<void> {
  const { tenant_id, repo_key, ref } = place;
  const { pushes: known } = await pushes.newestPushes({ tenant_id, repo_key, refs: [ref] });
  if (known[0]?.commit_sha === head) return;
  const found = { repo_key, ref, sha: head, previous: record.rfc_id };
  await acceptSweep(record, found, { pushes, now });
}

/** What becomes of a claimed ref, once it is known where the host has that ref. */
type Target =
  /** Judge the claimed push: it is the head, or the host does not say. */
  | { kind: 'claimed' }
  /** Judge this older one: pushes came out of order. */
  | { kind: 'older'; rfc_id: string; rev: number }
  /** The host has another head, of which no push waits here. */
  | { kind: 'elsewhere'; head: string }
  /** The host has no such ref any more. */
  | { kind: 'gone' };

/**
 * Chooses which push of a claim is judged: the host's word on the ref counts, not the order in
 * which webhooks came. `refs`: where the host has them; null when it was not reached.
 */
function chooseTarget(
  { place, record, older }: PushClaim,
  refs: Readonly<Record<string, string>> | null,
): Target {
  if (refs === null) return { kind: 'claimed' };
  const head = refs[place.ref];
  if (head === undefined) return { kind: 'gone' };
  if (head === record.commit_sha) return { kind: 'claimed' };
  const found = older.find(({ commit_sha }) => commit_sha === head);
  if (found === undefined) return { kind: 'elsewhere', head };
  return { kind: 'older', rfc_id: found.rfc_id, rev: found.rev };
}
