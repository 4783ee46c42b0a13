import { setImmediate as turn } from 'node:timers/promises';
import type { DeployReport, Outcome } from '../model/deploy.ts';
import { DEPLOYS, orderAfter, placeOf } from '../model/deploy.ts';
import { CraError } from '../model/errors.ts';
import { CALIBRATION, type ScoredChange, scoreGroupOf } from '../model/score.ts';
import type { ReportStore } from '../store/contract/deploys.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { readReports } from './ledger.ts';
import { outcomesSince } from './outcomes.ts';

/** A change of which it is known what became of it. */
export interface LabelledChange extends ScoredChange {
  isFailure: boolean;
}

export interface Labels {
  /** The oldest first. */
  changes: LabelledChange[];
  /** Whether all RFCs and reports of the time were read. */
  isWhole: boolean;
  /** Groups of whose reports some were not read: their failures may stand as fine. */
  unread: ReadonlySet<string>;
}

export interface LabelReads {
  deploys: Pick<ReportStore, 'nextPlace' | 'reportsBelow'>;
  records: Pick<RecordStore, 'listScores'>;
}

/**
 * The labelled changes of a tenant in the last `CALIBRATION.DAYS_MAX` days. One is a failure when
 * an outcome says so. It is fine when a statement says so, or when it came to a default branch or
 * ran somewhere at least `SETTLED_DAYS` ago and no failure was reported. Throws the reason of
 * the signal before the next read.
 */
export async function labelledChanges(
  tenant_id: string,
  nowMs: number,
  { deploys, records, signal }: LabelReads & { signal: AbortSignal },
): Promise<Labels> {
  const from = new Date(nowMs - CALIBRATION.DAYS_MAX * DAY_MS).toISOString();
  const settled = new Date(nowMs - CALIBRATION.SETTLED_DAYS * DAY_MS).toISOString();
  const known = await readLedger(tenant_id, { from, nowMs, signal }, deploys);
  const scored = await readScores(tenant_id, { from, signal }, records);
  const labelled = new Map<string, LabelledChange>();
  for (const [index, change] of scored.changes.entries()) {
    // All of them take some ten ms; requests are served in between.
    if (index % 1_000 === 0) await turn();
    const names = namesOf(change);
    const isFailure = names.some((name) => known.failed.has(name));
    const isSettled =
      change.created_at <= settled &&
      (change.is_landed || names.some((name) => known.ran.has(name)));
    const isFine = isSettled || names.some((name) => known.fine.has(name));
    if (!isFailure && !isFine) continue;
    // One commit is one change: its push counts, else its newest RFC.
    const key = names[0] ?? change.rfc_id;
    const other = labelled.get(key);
    if (other === undefined || (change.is_landed && !other.is_landed)) {
      labelled.set(key, { ...change, isFailure });
    }
  }
  await turn();
  const changes = [...labelled.values()].sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  const groups = known.hasMore ? changes.map(({ repo_name }) => scoreGroupOf(repo_name)) : [];
  const unread = new Set([...known.unread, ...groups]);
  return { changes, isWhole: !known.hasMore && unread.size === 0 && scored.isWhole, unread };
}

const DAY_MS = 24 * 3_600_000;

/** What outcomes call a change: its commit, where it has one, and its RFC. */
function namesOf({ repo_name, commit_sha, rfc_id }: ScoredChange): string[] {
  return commit_sha === null ? [rfc_id] : [commitName(repo_name, commit_sha), rfc_id];
}

function commitName(repo: string, sha: string): string {
  return `${repo.toLowerCase()} ${sha}`;
}

interface Ledger {
  failed: Set<string>;
  fine: Set<string>;
  ran: Set<string>;
  /** Groups with a place of more than `DEPLOYS.READ_MAX` reports. */
  unread: Set<string>;
  /** There are further places, of any group. */
  hasMore: boolean;
}

async function readLedger(
  tenant_id: string,
  { from, nowMs, signal }: { from: string; nowMs: number; signal: AbortSignal },
  deploys: LabelReads['deploys'],
): Promise<Ledger> {
  const ledger: Ledger = {
    failed: new Set(),
    fine: new Set(),
    ran: new Set(),
    unread: new Set(),
    hasMore: false,
  };
  let after = '';
  for (let looked = 0; looked < DEPLOYS.PLACES_LOOKED_MAX; looked += 1) {
    signal.throwIfAborted();
    const { place } = await deploys.nextPlace({ tenant_id, after });
    if (place === null) return ledger;
    after = place;
    const { repo } = placeOf(place);
    const read: Parameters<typeof readReports>[0] = (page) => {
      signal.throwIfAborted();
      return deploys.reportsBelow({ tenant_id, place, ...page });
    };
    const reports = readReports(read, orderAfter(new Date(nowMs).toISOString()));
    try {
      const outcomes = await outcomesSince(reports, from);
      for (const outcome of outcomes) noteOutcome(ledger, repo, outcome);
      await noteRuns(ledger, repo, reports, from);
    } catch (thrown) {
      const { code } = CraError.fromUnknown(thrown);
      if (code !== 'FAILED_PRECONDITION') throw thrown;
      ledger.unread.add(scoreGroupOf(repo));
    }
  }
  return { ...ledger, hasMore: true };
}

function noteOutcome(ledger: Ledger, repo: string, outcome: Outcome): void {
  const { sha, rfc_id, kind, is_failure } = outcome;
  const names = [...(sha === null ? [] : [commitName(repo, sha)]), ...(rfc_id ? [rfc_id] : [])];
  for (const name of names) {
    if (is_failure) ledger.failed.add(name);
    else if (kind === 'fine') ledger.fine.add(name);
  }
}

async function noteRuns(
  { ran }: Ledger,
  repo: string,
  reportAt: (index: number) => Promise<DeployReport | null>,
  from: string,
): Promise<void> {
  for (let index = 0; ; index += 1) {
    const report = await reportAt(index);
    if (report === null || report.at < from) return;
    if (report.result === 'succeeded') ran.add(commitName(repo, report.sha));
  }
}

async function readScores(
  tenant_id: string,
  { from, signal }: { from: string; signal: AbortSignal },
  records: LabelReads['records'],
): Promise<{ changes: ScoredChange[]; isWhole: boolean }> {
  const changes: ScoredChange[] = [];
  let cursor: string | null = null;
  for (let count = 0; count < CALIBRATION.RFCS_MAX; count += CALIBRATION.READ_PAGE) {
    signal.throwIfAborted();
    const page: Awaited<ReturnType<typeof records.listScores>> = await records.listScores({
      tenant_id,
      limit: CALIBRATION.READ_PAGE,
      cursor,
    });
    const within = page.scores.filter(({ created_at }) => created_at >= from);
    changes.push(...within);
    cursor = page.next_cursor;
    const isOlder = within.length < page.scores.length;
    if (cursor === null || isOlder) return { changes, isWhole: true };
  }
  return { changes, isWhole: false };
}
