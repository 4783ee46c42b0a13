import { type Redact, runJob, type ScanAccess } from '../analysis/job.ts';
import { PIPELINE } from '../analysis/limits.ts';
import {
  AUDIT_KINDS,
  type AuditDetails,
  type AuditEntry,
  type AuditPlace,
  plainEvent,
} from '../model/audit.ts';
import type { PreReceiveAnswer, PushFacts, UnjudgedPush } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { type Principal, roleIncludes } from '../model/principal.ts';
import type { ScreenedPush } from '../rpc/contract.ts';
import type {
  AcceptedRow,
  ListAcceptedInput,
  ListEntriesInput,
  TrailStore,
} from '../store/contract/trail.ts';
import { operationId, type Requester, redactNamed, writeFailure } from './decisions.ts';

/** An entry of the trail as people read it; what proves its place stays with `cra audit`. */
export type ShownEntry = Omit<AuditEntry, 'v' | 'mono_ms' | 'prev' | 'tenant_id'>;

interface TrailPage<Row> {
  rows: Row[];
  next_cursor: string | null;
}

type Page = Pick<ListEntriesInput, 'limit' | 'cursor'>;

/** Reading the trail and what decisions accept, within the caller's tenant. */
export interface TrailReads {
  accepted(
    principal: Principal,
    asked: Page & Pick<ListAcceptedInput, 'repo' | 'endingBefore'>,
  ): Promise<TrailPage<AcceptedRow>>;
  /** Each as JSON: its RfcSummary (`rfc`) and whether its review is overdue. */
  emergencies(principal: Principal, asked: Page): Promise<TrailPage<string>>;
  /** Logins are for admins alone: PERMISSION_DENIED for others who ask for them. */
  entries(
    principal: Principal,
    asked: Page & { kind: string | null; rfcId: string | null },
  ): Promise<TrailPage<ShownEntry>>;
}

/** Creates it over a store. */
export function createTrailReads(
  trail: Pick<TrailStore, 'listAccepted' | 'listEmergencies' | 'listEntries'>,
): TrailReads {
  return {
    async accepted({ tenant_id }, asked) {
      const { accepted, next_cursor } = await trail.listAccepted({ tenant_id, ...asked });
      return { rows: accepted, next_cursor };
    },
    async emergencies({ tenant_id }, asked) {
      const { emergencies, next_cursor } = await trail.listEmergencies({ tenant_id, ...asked });
      const rows = emergencies.map(
        ({ summary, overdue }) => `{"rfc":${summary},"overdue":${overdue}}`,
      );
      return { rows, next_cursor };
    },
    async entries({ tenant_id, role }, { kind: name, rfcId: rfc_id, limit, cursor }) {
      const logins = roleIncludes(role, 'admin');
      const kind = AUDIT_KINDS.find((known) => known === name) ?? null;
      if (kind === 'login' && !logins) {
        throw new CraError('PERMISSION_DENIED', 'entries about logins are for admins alone');
      }
      const asked = { tenant_id, kind, logins, rfc_id, limit, cursor };
      const { entries, next_cursor } = await trail.listEntries(asked);
      return { rows: entries.map(shown), next_cursor };
    },
  };
}

function shown({ v, mono_ms, prev, tenant_id, ...entry }: AuditEntry): ShownEntry {
  return entry;
}

/** An operational event without a diff; texts may hold secrets. */
interface OpsEvent {
  action: string;
  description: string;
  command: string | null;
  repo: string | null;
  app: string | null;
  environment: string | null;
}

interface OpsLogOutcome {
  op_id: string;
  audit: AuditPlace;
  /** Whether an earlier request with this Idempotency-Key wrote it. */
  replayed: boolean;
}

/** The operations log: entries of the audit trail. */
export interface OpsLog {
  /** Writes one entry, durably. Rejects like `Decisions.decide`. */
  write(event: OpsEvent, requester: Requester): Promise<OpsLogOutcome>;
}

/** Creates the service. */
export function createOpsLog(options: {
  trail: Pick<TrailStore, 'appendEvent'>;
  redact: Redact;
}): OpsLog {
  const { trail, redact } = options;
  return {
    async write(given, requester) {
      const { repo, ...details } = await redactNamed({ ...given }, redact, requester);
      const { principal } = requester;
      const op_id = operationId('ops-log', requester);
      const event = plainEvent({
        kind: 'ops-log',
        op_id,
        principal,
        repo_name: repo,
        details,
      });
      const { chain, seq, replayed } = await trail.appendEvent({ event }).catch((thrown) => {
        throw writeFailure(thrown, op_id, requester);
      });
      return { op_id, audit: { chain, seq }, replayed };
    },
  };
}

/** Judges pushes before they are public. They make no RFC: what is refused never was there. */
export interface PreReceive {
  /**
   * Judges one push. Whatever is not allowed is in the trail when it is answered. Rejects with
   * RESOURCE_EXHAUSTED or UNAVAILABLE when no thread or trail could be had, INVALID_ARGUMENT for
   * the body, CANCELLED when the client has gone: the trail has no entry then.
   */
  judge(body: Uint8Array, requester: Requester): Promise<PreReceiveAnswer>;
  /** Writes that a hook had to decide by itself. Rejects like `Decisions.decide`. */
  unjudged(push: UnjudgedPush, requester: Requester): Promise<{ op_id: string }>;
}

interface PreReceiveOptions extends ScanAccess {
  trail: Pick<TrailStore, 'appendEvent'>;
  redact: Redact;
  baseUrl(): string;
}

/** Creates the service. */
export function createPreReceive(options: PreReceiveOptions): PreReceive {
  const { trail, redact } = options;

  async function write(
    route: string,
    { repo_name, reason, pusher, refs, refs_total }: PushFacts,
    details: AuditDetails,
    requester: Requester,
  ): Promise<{ op_id: string }> {
    const op_id = operationId(route, requester);
    const { principal } = requester;
    const event = plainEvent({
      kind: 'pre-receive',
      op_id,
      principal,
      actor: pusher,
      repo_name,
      reason,
      details: { ...details, refs, refs_total },
    });
    await trail.appendEvent({ event }).catch((thrown: unknown) => {
      throw writeFailure(thrown, op_id, requester);
    });
    return { op_id };
  }

  return {
    async judge(body, requester) {
      const { push, ...judged } = await screen(options, body, requester);
      const { verdict, let_through, why, findings, findings_total } = judged;
      if (verdict !== 'allowed') {
        if (requester.signal?.aborted === true) {
          throw new CraError('CANCELLED', 'the client went away');
        }
        const shown = findings.map(({ id, severity, commit, file, line }) => {
          return { id, severity, commit, file, line };
        });
        const details = { verdict, let_through, why, findings: shown, findings_total };
        await write('pre-receive', push, details, requester);
      }
      return { ...judged, more: `${options.baseUrl()}/cra#/audit?kind=pre-receive` };
    },

    async unjudged({ at, why, let_through, ...push }, requester) {
      const { repo_name, pusher, reason, refs } = push;
      const texts = [repo_name, why, pusher ?? '', reason ?? '', ...refs];
      const hidden = await redact(texts, requester);
      const [name = '', cause = '', person = '', given = '', ...names] = hidden;
      const facts = {
        repo_name: name,
        refs: names,
        refs_total: push.refs_total,
        pusher: pusher === null ? null : person,
        reason: reason === null ? null : given,
      };
      const details = { verdict: 'unjudged', let_through, why: cause, at };
      return write('pre-receive/unjudged', facts, details, requester);
    },
  };
}

async function screen(
  { admission, analysis, rules }: PreReceiveOptions,
  body: Uint8Array,
  { principal, remoteAddress, signal }: Requester,
): Promise<ScreenedPush> {
  const release = await admission.acquire({
    caller: `${principal.id}@${remoteAddress}`,
    bytes: body.byteLength,
    waitMs: PIPELINE.ADMISSION_WAIT_MS,
    signal,
  });
  const { tenant_id } = principal;
  try {
    return await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
      analysis.screen({ ...job, tenant_id, body }, call),
    );
  } catch (thrown) {
    const { code, message } = CraError.fromUnknown(thrown);
    if (code === 'INVALID_ARGUMENT' || code === 'CANCELLED') throw thrown;
    const sentence = `could not judge the push: ${message}`;
    throw new CraError('UNAVAILABLE', sentence, { cause: thrown });
  } finally {
    release();
  }
}
