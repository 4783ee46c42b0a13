import { flawsOfShown } from '../../audit/records-check.ts';
import type { ProdJudge } from '../../heads/prod-check.ts';
import type { AuditPlace, ProvenEntry } from '../../model/audit.ts';
import { CraError, invalidField, unlessNotFound } from '../../model/errors.ts';
import type { ChangeReview, DeployRangeReview } from '../../model/evidence.ts';
import { RFCS } from '../../model/limits.ts';
import type { Principal } from '../../model/principal.ts';
import { carriedFrom, type RfcRecord } from '../../model/records.ts';
import { commitId } from '../../model/rfc.ts';
import type { RecordStore } from '../../store/contract/records.ts';
import type { TrailStore } from '../../store/contract/trail.ts';
import { TRAIL } from '../../store/limits.ts';
import type { DeployLedger } from '../ledger.ts';
import { judgeRange, type RangeReads } from '../range.ts';
import type { StatementSigner } from './envelope.ts';
import { digestOf, rangeStatement, reviewStatement, summaryStatement } from './statement.ts';

/** Bounds of a bundle. */
const EVIDENCE = {
  /** Entries of the trail about one RFC. */
  ENTRIES_MAX: 1_000,
  /** RFCs, with the RFCs whose decisions they carry. */
  RFCS_MAX: 500,
  /** Reads of a record that changes meanwhile. */
  READS_MAX: 5,
} as const;

/** Makes evidence: bundles of signed statements (docs/reference/evidence.md). */
export interface Evidence {
  /**
   * About an RFC and the RFCs whose decisions it carries. `showEntries` false: the entries of the
   * trail are proven without their texts. NOT_FOUND; FAILED_PRECONDITION while there is no verdict;
   * UNAVAILABLE while the newest entries of another daemon have no checkpoint; DATA_LOSS where
   * record and trail differ: nothing is signed then.
   */
  ofRfc(principal: Principal, rfcId: string, showEntries: boolean): Promise<string>;
  /**
   * About the commits between two, and every RFC that speaks for one of them; about the RFC of a
   * commit without a second one (`from` and `environment` null). Rejects like `ofRfc`, and with
   * FAILED_PRECONDITION where the commits cannot be listed or the deploys of an environment are
   * not known.
   */
  ofCommits(
    principal: Principal,
    question: EvidenceQuestion,
    showEntries: boolean,
  ): Promise<string>;
}

/** Between which commits; null: not given. */
export interface EvidenceQuestion {
  repo: string;
  component: string | null;
  /** The newest commit; null: what runs in the environment. */
  sha: string | null;
  /** The commit before the range; null: what ran in the environment before `sha`. */
  from: string | null;
  environment: string | null;
}

export interface EvidenceParts extends ProdJudge {
  records: Pick<RecordStore, 'getRfc' | 'getState'>;
  trail: Pick<TrailStore, 'listEntries' | 'proveEntries'>;
  range: RangeReads;
  ledger: Pick<DeployLedger, 'running'>;
  signer: StatementSigner;
  /** Address of the service for people, without `/api/cra`. */
  baseUrl(): string;
  version: string;
  now(): Date;
}

/** Creates it. */
export function createEvidence(parts: EvidenceParts): Evidence {
  const { judge, judgeEnd, signer, ledger } = parts;
  async function ofRfc(principal: Principal, rfcId: string, showEntries: boolean) {
    const bundle = createBundle(parts, principal, showEntries);
    await bundle.add(rfcId);
    return bundle.text();
  }

  return {
    ofRfc,
    async ofCommits(principal, { repo, component, environment, ...asked }, showEntries) {
      const about = { repo, branch: null, component };
      if (asked.sha !== null && asked.from === null && environment === null) {
        const { newest, refusal } = await judge(principal, { ...about, sha: asked.sha });
        return await ofRfc(principal, (refusal?.by ?? newest).rfc_id, showEntries);
      }
      const { from, to } = await endsOf(
        principal,
        { repo, component, environment, ...asked },
        ledger,
      );
      const judged = await judgeRange(principal, { repo, component, from, to }, parts.range);
      const { commits, rfcs, rfcs_total, refusals, unjudged, unseen } = judged;
      if (unseen > 0) {
        const message = `${unseen} of ${commits} commits were not looked at`;
        throw new CraError('FAILED_PRECONDITION', `${message}: ask for a shorter range`);
      }
      if (rfcs_total > rfcs.length) {
        const message = `${rfcs_total} RFCs speak for these commits, more than ${rfcs.length}`;
        throw new CraError('FAILED_PRECONDITION', `${message}: ask for a shorter range`);
      }
      // The last commit need not be the head of an accepted push.
      const last = await judge(principal, { ...about, sha: to }).catch(unlessNotFound);
      const bundle = createBundle(parts, principal, showEntries);
      const ids = [
        ...(last === null ? [] : [last.newest.rfc_id]),
        ...rfcs.map((one) => one.rfc_id),
      ];
      const shown: DeployRangeReview['rfcs'] = [];
      for (const rfc_id of new Set(ids)) {
        const { rfc, digest: review } = await bundle.add(rfc_id);
        const { commit_sha, overall_status } = rfc;
        shown.push({ rfc_id, commit_sha: commit_sha ?? to, overall_status, review });
      }
      const end = last === null ? null : (last.refusal ?? (await judgeEnd(principal, repo)));
      const held = [
        { commit_sha: to, refusal: end },
        ...refusals.map(({ commit_sha, verdict: { refusal } }) => ({ commit_sha, refusal })),
      ];
      const { made_at, service } = bundle.head();
      const predicate: DeployRangeReview = {
        made_at,
        service,
        repo,
        component,
        environment,
        from,
        to,
        commits,
        rfcs: shown,
        refusals: held.flatMap(({ commit_sha, refusal }) =>
          refusal === null
            ? []
            : [{ commit_sha, rfc_id: refusal.by.rfc_id, reason: refusal.reason }],
        ),
        unjudged: last === null ? [to, ...unjudged] : unjudged,
      };
      bundle.lines.unshift(signer.seal(JSON.stringify(rangeStatement(predicate))));
      return bundle.text();
    },
  };
}

/** The two commits: as asked for, or by the deploys of the environment. */
async function endsOf(
  principal: Principal,
  { repo, component, environment, sha, from }: EvidenceQuestion,
  ledger: EvidenceParts['ledger'],
): Promise<{ from: string; to: string }> {
  if (environment === null) {
    if (sha === null || from === null)
      throw invalidField('sha', 'is required, or environment in its place');
    return { from: commitId(from), to: commitId(sha) };
  }
  const place = { environment, repo, component };
  const running = await ledger.running(principal, place);
  const unknown = (what: string) =>
    new CraError(
      'FAILED_PRECONDITION',
      `no report says what ran in ${environment} ${what}: give from`,
    );
  if (running === null) throw unknown('last');
  const to = sha === null ? running.sha : commitId(sha);
  if (from !== null) return { from: commitId(from), to };
  if (to !== running.sha) return { from: running.sha, to };
  const until = new Date(Date.parse(running.since) - 1).toISOString();
  const before = await ledger.running(principal, place, until);
  if (before === null) throw unknown('before');
  return { from: before.sha, to };
}

/** An RFC whose review stands in a bundle. */
interface Added {
  rfc: RfcRecord;
  /** SHA-256 of the envelope of the review, hex. */
  digest: string;
}

/** A bundle that grows: an RFC stands in it once, behind the RFCs whose decisions it carries. */
function createBundle(parts: EvidenceParts, principal: Principal, showEntries: boolean) {
  const { signer, baseUrl, version, now } = parts;
  const added = new Map<string, Promise<Added>>();
  const lines: string[] = [];
  const head = () => ({
    made_at: now().toISOString(),
    service: { uri: baseUrl(), version },
  });

  async function seal(rfcId: string, above: readonly string[]): Promise<Added> {
    const { rfc, entries } = await readWhole(principal.tenant_id, rfcId, parts);
    const carried: ChangeReview['carried'] = [];
    const within = [...above, rfcId];
    for (const rfc_id of carriedFrom(rfc)) {
      // Only a record that somebody edited carries its own decision.
      if (within.includes(rfc_id)) throw differing(rfcId);
      const other = await add(rfc_id, within).catch(unlessNotFound);
      carried.push({ rfc_id, review: other?.digest ?? null });
    }
    const review = reviewStatement({
      ...head(),
      rfc,
      refusal: await refusalOf(principal, rfc, parts),
      carried,
      entries: entries.map((entry) => ({ ...entry, text: showEntries ? entry.text : null })),
    });
    const sealed = signer.seal(JSON.stringify(review));
    lines.push(sealed, signer.seal(JSON.stringify(summaryStatement(review, sealed))));
    return { rfc, digest: digestOf(sealed) };
  }

  function add(rfcId: string, above: readonly string[] = []): Promise<Added> {
    const known = added.get(rfcId);
    if (known !== undefined) return known;
    if (added.size === EVIDENCE.RFCS_MAX) {
      const message = `the evidence is about more than ${EVIDENCE.RFCS_MAX} RFCs`;
      throw new CraError('FAILED_PRECONDITION', `${message}: ask for less`);
    }
    const adding = seal(rfcId, above);
    added.set(rfcId, adding);
    return adding;
  }

  return { add, head, lines, text: () => lines.map((line) => `${line}\n`).join('') };
}

/** A record with all entries about it, none of which is newer than it. */
async function readWhole(
  tenant_id: string,
  rfc_id: string,
  { records, trail }: Pick<EvidenceParts, 'records' | 'trail'>,
): Promise<{ rfc: RfcRecord; entries: ProvenEntry[] }> {
  const key = { tenant_id, rfc_id };
  for (let reads = 0; reads < EVIDENCE.READS_MAX; reads += 1) {
    const { json } = await records.getRfc(key);
    const rfc = JSON.parse(Buffer.from(json).toString()) as RfcRecord;
    requireVerdict(rfc);
    const places = await placesOf(key, trail);
    if ((await records.getState(key)).rev !== rfc.rev) continue;
    const entries = await prove(places, trail);
    const [flaw] = flawsOfShown(
      rfc,
      entries.map(({ text }) => text),
    );
    if (flaw === undefined) return { rfc, entries };
    throw differing(rfc_id, flaw);
  }
  throw new CraError('ABORTED', `${rfc_id} changes all the time: ask again`);
}

/** `flaw` is for the log: it may hold what somebody put into the record. */
function differing(rfcId: string, flaw = 'it carries its own decision'): CraError {
  const message = `${rfcId} shows something that the audit trail does not say`;
  const cause = new Error(flaw);
  return new CraError('DATA_LOSS', `${message}: run cra audit verify`, { cause });
}

function requireVerdict({ rfc_id, overall_status }: RfcRecord): void {
  if (overall_status !== 'DRAFT' && overall_status !== 'SUPERSEDED') return;
  const why =
    overall_status === 'DRAFT' ? 'its analysis has not ended' : 'a newer push replaced it';
  throw new CraError('FAILED_PRECONDITION', `${rfc_id} has no verdict: ${why}`);
}

/** Where the entries about an RFC stand, the oldest first. */
async function placesOf(
  key: { tenant_id: string; rfc_id: string },
  trail: Pick<TrailStore, 'listEntries'>,
): Promise<AuditPlace[]> {
  const places: AuditPlace[] = [];
  let cursor: string | null = null;
  do {
    const asked = { ...key, kind: null, logins: false, limit: RFCS.LIST_LIMIT_MAX, cursor };
    const page = await trail.listEntries(asked);
    places.push(...page.entries.map(({ chain, seq }) => ({ chain, seq })));
    cursor = page.next_cursor;
    if (places.length > EVIDENCE.ENTRIES_MAX) {
      const message = `the audit trail has more than ${EVIDENCE.ENTRIES_MAX} entries about it`;
      throw new CraError('FAILED_PRECONDITION', `${key.rfc_id}: ${message}, too many for evidence`);
    }
  } while (cursor !== null);
  return places.reverse();
}

async function prove(
  places: readonly AuditPlace[],
  trail: Pick<TrailStore, 'proveEntries'>,
): Promise<ProvenEntry[]> {
  const proven: ProvenEntry[] = [];
  for (let at = 0; at < places.length; at += TRAIL.PROVEN_MAX) {
    const part = places.slice(at, at + TRAIL.PROVEN_MAX);
    proven.push(...(await trail.proveEntries({ places: part })).entries);
  }
  return proven;
}

/** What prod-check says against the commit of a push: another RFC of it may refuse it. */
async function refusalOf(
  principal: Principal,
  { push, commit_sha, repo_name }: RfcRecord,
  { judge, judgeEnd }: ProdJudge,
): Promise<ChangeReview['refusal']> {
  if (push === null || commit_sha === null) return null;
  const asked = { repo: repo_name, branch: null, sha: commit_sha, component: null };
  const verdict = await judge(principal, asked).catch(unlessNotFound);
  if (verdict === null) return null;
  const refusal = verdict.refusal ?? (await judgeEnd(principal, repo_name));
  return refusal && { rfc_id: refusal.by.rfc_id, reason: refusal.reason };
}
