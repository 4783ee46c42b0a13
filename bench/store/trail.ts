import { newChain, place } from '../../src/audit/chain.ts';
import type { AuditEvent } from '../../src/model/audit.ts';
import type { DecisionRequest } from '../../src/model/decision.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import type { TrailStore } from '../../src/store/contract/trail.ts';
import { decisionEvent } from '../../src/store/steps/decision.ts';
import { measure } from '../harness.ts';
import type { Cell } from '../report.ts';
import type { RawRows, RawTrail } from './raw-trail.ts';
import type { Insert } from './sample.ts';
import { type Run, rate, timed } from './timed.ts';

export const TRAIL_COLUMNS = [
  'write',
  'in flight',
  '1/s',
  'p50, ms',
  'p99, ms',
  'CPU, us each',
  'raw, 1/s',
  'ratio',
];

const IN_FLIGHT = [1, 64, 256];

export interface TrailOptions {
  trail: TrailStore;
  /** Records that the store holds, none decided yet. */
  inserts: readonly Insert[];
  /** What the database does alone with so many records and these rows. */
  openRaw(records: number, rows: RawRows): Promise<RawTrail> | RawTrail;
  /** Time of one case. */
  ms: number;
}

/** Decisions and events beside the raw database with equal rows in equal batches. */
export async function measureTrail({ trail, inserts, openRaw, ms }: TrailOptions) {
  const first = inserts[0]?.record;
  if (first === undefined) throw new RangeError('no records to decide about');
  const record = JSON.parse(first.json) as RfcRecord;
  const request = requestOf(record);
  const event = eventOf(record, request);
  const entry = place(newChain('bench'), event, { nowMs: Date.now(), monoMs: 0 }).text;
  const output = JSON.stringify(request);
  const raw = await openRaw(inserts.length, { ...first, entry, output });
  const rows: Cell[][] = [];
  const share = Math.ceil(inserts.length / IN_FLIGHT.length);
  for (const [n, depth] of IN_FLIGHT.entries()) {
    const records = inserts.slice(n * share, (n + 1) * share);
    const decisions = await timed(depth, { countMax: records.length, ms }, (index) =>
      trail.decide({
        tenant_id: record.tenant_id,
        rfc_id: records[index]?.record.rfc_id ?? '',
        op_id: `decision-${depth}-${index}`,
        request_hash: 'bench',
        expectedRev: null,
        request,
      }),
    );
    const besideDecisions = await measure(() => raw.decideAll(decisions.count, depth));
    rows.push(['decision', depth, ...cells(decisions, besideDecisions.wallMs)]);
    const appends = await timed(depth, { countMax: Number.POSITIVE_INFINITY, ms }, (index) =>
      trail.appendEvent({ event: { ...event, op_id: `event-${depth}-${index}` } }),
    );
    const besideAppends = await measure(() => raw.appendAll(appends.count, depth));
    rows.push(['audit append', depth, ...cells(appends, besideAppends.wallMs)]);
  }
  raw.close();
  return rows;
}

function cells(run: Run, rawMs: number): Cell[] {
  const perSecond = rate(run);
  const rawPerSecond = rate({ count: run.count, wallMs: rawMs });
  const cpuUs = (run.cpuMs * 1000) / run.count;
  return [perSecond, run.p50, run.p99, cpuUs, rawPerSecond, perSecond / rawPerSecond];
}

function requestOf({ submitted_by, created_at }: RfcRecord): DecisionRequest {
  return {
    action: 'approve',
    principal: submitted_by,
    actor: 'Bench',
    reason: 'The change was looked at by two people and may go out tonight',
    at: created_at,
    commit_sha: null,
    repo_full_name: null,
    accept_findings: false,
  };
}

/** An event as large as the entry of a decision. */
function eventOf(record: RfcRecord, request: DecisionRequest): AuditEvent {
  const next = { ...record, overall_status: 'APPROVED', rev: record.rev + 1 } as const;
  const kept = { acceptance: 'keep', accepts: [] } as const;
  const plan = { opId: 'bench-0000000', request, record, json: '', next, ...kept };
  return { ...decisionEvent(plan, 0), kind: 'ops-log' };
}
