import { flawsOfShown } from '../../audit/records-check.ts';
import type { ProdJudge } from '../../heads/prod-check.ts';
import type { AuditPlace, ProvenEntry } from '../../model/audit.ts';
import { CraError, unlessNotFound } from '../../model/errors.ts';
import type { ChangeReview } from '../../model/evidence.ts';
import { RFCS } from '../../model/limits.ts';
import type { Principal } from '../../model/principal.ts';
import { carriedFrom, type RfcRecord } from '../../model/records.ts';
import type { RecordStore } from '../../store/contract/records.ts';
import type { TrailStore } from '../../store/contract/trail.ts';
import { TRAIL } from '../../store/limits.ts';
import type { StatementSigner } from './envelope.ts';
import { digestOf, reviewStatement, summaryStatement } from './statement.ts';

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
}

export interface EvidenceParts extends ProdJudge {
  records: Pick<RecordStore, 'getRfc' | 'getState'>;
  trail: Pick<TrailStore, 'listEntries' | 'proveEntries'>;
  signer: StatementSigner;
  /** Address of the service for people, without `/api/cra`. */
  baseUrl(): string;
  version: string;
  now(): Date;
}

/** Creates it. */
export function createEvidence(parts: EvidenceParts): Evidence {
  return {
    async ofRfc(principal, rfcId, showEntries) {
      const bundle = createBundle(parts, principal, showEntries);
      await bundle.add(rfcId);
      return bundle.text();
    },
  };
}

/** A bundle that grows: an RFC stands in it once, behind the RFCs whose decisions it carries. */
function createBundle(parts: EvidenceParts, principal: Principal, showEntries: boolean) {
  const { signer, baseUrl, version, now } = parts;
  /** Digests of the reviews, by RFC; null while a review is made. */
  const reviews = new Map<string, string | null>();
  const lines: string[] = [];

  /** Adds an RFC; resolves with the SHA-256 of the envelope of its review. */
  async function add(rfcId: string): Promise<string | null> {
    const known = reviews.get(rfcId);
    if (known !== undefined) return known;
    if (reviews.size === EVIDENCE.RFCS_MAX) {
      const message = `the evidence is about more than ${EVIDENCE.RFCS_MAX} RFCs`;
      throw new CraError('FAILED_PRECONDITION', `${message}: ask for less`);
    }
    reviews.set(rfcId, null);
    const { rfc, entries } = await readWhole(principal.tenant_id, rfcId, parts);
    const carried: ChangeReview['carried'] = [];
    for (const rfc_id of carriedFrom(rfc)) {
      carried.push({ rfc_id, review: await add(rfc_id).catch(unlessNotFound) });
    }
    const review = reviewStatement({
      made_at: now().toISOString(),
      service: { uri: baseUrl(), version },
      rfc,
      refusal: await refusalOf(principal, rfc, parts),
      carried,
      entries: entries.map((entry) => ({ ...entry, text: showEntries ? entry.text : null })),
    });
    const sealed = signer.seal(JSON.stringify(review));
    lines.push(sealed, signer.seal(JSON.stringify(summaryStatement(review, sealed))));
    const digest = digestOf(sealed);
    reviews.set(rfcId, digest);
    return digest;
  }

  return { add, lines, text: () => lines.map((line) => `${line}\n`).join('') };
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
    const message = `${rfc_id} shows something that the audit trail does not say`;
    const cause = new Error(flaw);
    throw new CraError('DATA_LOSS', `${message}: run cra audit verify`, { cause });
  }
  throw new CraError('ABORTED', `${rfc_id} changes all the time: ask again`);
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
