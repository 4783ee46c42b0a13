import { CraError, type StatusCode } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import type { Analysis, ShowCodeInput, ShownCode } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { type RulesSource, runJob } from './job.ts';
import { CODE } from './limits.ts';
import type { Admission } from './scan-pool.ts';

/**
 * The code around the findings of an RFC as JSON (`data` of the answer), without secrets.
 * NOT_FOUND for an id that the tenant does not have. What cannot be shown is an answer, too:
 * `available: false` with the reason.
 */
export type ReadCode = (
  principal: Principal,
  rfcId: string,
  signal: AbortSignal,
) => Promise<string>;

export interface CodeOptions {
  store: Pick<RecordStore, 'getRfc' | 'getDiff'>;
  /** Where diffs of pushes are made again. */
  source: Pick<Client<typeof Source>, 'diff'>;
  admission: Admission;
  analysis: Client<typeof Analysis>;
  rules: RulesSource;
}

/** Creates it over the scan pool; its jobs are admitted like those of analyze. */
export function createCodeReader(options: CodeOptions): ReadCode {
  const { store, source, admission, analysis, rules } = options;

  async function show(
    caller: string,
    input: Pick<ShowCodeInput, 'record' | 'diff' | 'sealed'>,
    signal: AbortSignal,
  ): Promise<ShownCode> {
    const bytes = input.diff?.length ?? input.sealed?.bytes ?? 0;
    const release = await admission.acquire({ caller, bytes, waitMs: CODE.DEADLINE_MS, signal });
    try {
      return await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
        analysis.showCode({ ...job, ...input }, call),
      );
    } finally {
      release();
    }
  }

  async function read(
    caller: string,
    key: { tenant_id: string; rfc_id: string },
    signal: AbortSignal,
  ) {
    const { json: record } = await store.getRfc(key);
    const sealed = await store.getDiff(key).catch(unlessNotFound);
    const shown = await show(caller, { record, diff: null, sealed }, signal);
    if (shown.wants === null) return shown.json;
    const made = await source.diff(shown.wants, { signal });
    return (await show(caller, { record, diff: made.diff, sealed: null }, signal)).json;
  }

  return async (principal, rfc_id, gone) => {
    const late = AbortSignal.timeout(CODE.DEADLINE_MS);
    const key = { tenant_id: principal.tenant_id, rfc_id };
    try {
      const json = await read(principal.id, key, AbortSignal.any([gone, late]));
      return json ?? unavailable(rfc_id, 'the diff could not be made again');
    } catch (thrown) {
      const reason = late.aborted ? 'it took too long; try again' : reasonOf(thrown);
      if (gone.aborted || reason === null) throw thrown;
      return unavailable(rfc_id, reason);
    }
  };
}

function unlessNotFound(thrown: unknown): null {
  if (thrown instanceof CraError && thrown.code === 'NOT_FOUND') return null;
  throw thrown;
}

/** What git says, or that a thread could not do it; null: another failure, or no such RFC. */
function reasonOf(thrown: unknown): string | null {
  if (!(thrown instanceof CraError)) return null;
  if (typeof thrown.details['reason'] === 'string') return thrown.details['reason'];
  return thrown.details['thread_lost'] === true || UNREADABLE.has(thrown.code)
    ? 'the diff could not be read'
    : null;
}

/** Of a text that is not a diff, or whose seal is broken. */
const UNREADABLE: ReadonlySet<StatusCode> = new Set(['INVALID_ARGUMENT', 'DATA_LOSS']);

function unavailable(rfc_id: string, reason: string): string {
  return JSON.stringify({ rfc_id, available: false, reason, blocks: [], left_out: 0 });
}
