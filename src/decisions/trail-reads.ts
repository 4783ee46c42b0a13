import { AUDIT_KINDS, type AuditEntry } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { type Principal, roleIncludes } from '../model/principal.ts';
import type {
  AcceptedRow,
  ListAcceptedInput,
  ListEntriesInput,
  TrailStore,
} from '../store/contract/trail.ts';

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
    query: Page & Pick<ListAcceptedInput, 'repo' | 'endingBefore'>,
  ): Promise<TrailPage<AcceptedRow>>;
  /** Each as JSON: its RfcSummary (`rfc`) and whether its review is overdue. */
  emergencies(principal: Principal, query: Page): Promise<TrailPage<string>>;
  /** Logins are for admins alone: PERMISSION_DENIED for others who ask for them. */
  entries(
    principal: Principal,
    query: Page & { kind: string | null; rfcId: string | null },
  ): Promise<TrailPage<ShownEntry>>;
}

/** Creates it over a store. */
export function createTrailReads(
  trail: Pick<TrailStore, 'listAccepted' | 'listEmergencies' | 'listEntries'>,
): TrailReads {
  return {
    async accepted({ tenant_id }, query) {
      const { accepted, next_cursor } = await trail.listAccepted({ tenant_id, ...query });
      return { rows: accepted, next_cursor };
    },
    async emergencies({ tenant_id }, query) {
      const { emergencies, next_cursor } = await trail.listEmergencies({ tenant_id, ...query });
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
      const query = { tenant_id, kind, logins, rfc_id, limit, cursor };
      const { entries, next_cursor } = await trail.listEntries(query);
      return { rows: entries.map(shown), next_cursor };
    },
  };
}

function shown({ v, mono_ms, prev, tenant_id, ...entry }: AuditEntry): ShownEntry {
  return entry;
}
