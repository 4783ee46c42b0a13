import { type DryRun, type DryRunOptions, dryRun } from '../analysis/dry-run.ts';
import type { Principal } from '../model/principal.ts';
import type { RulesKeeper } from './rules-keeper.ts';

/** What rules would make of recent changes, and the revision that they would be. */
export interface DryRunReport extends DryRun {
  revision: string;
}

/**
 * Tries rules on the newest `limit` RFCs of the caller's tenant. INVALID_ARGUMENT names what is
 * wrong with them. Nothing is stored.
 */
export type RulesDryRun = (
  principal: Principal,
  text: string,
  limit: number,
  signal: AbortSignal | null,
) => Promise<DryRunReport>;

/** Creates it; one runs at a time, as each takes a thread for long. */
export function createRulesDryRun(
  keeper: Pick<RulesKeeper, 'build'>,
  options: DryRunOptions,
): RulesDryRun {
  let last: Promise<unknown> = Promise.resolve();
  return (principal, text, limit, signal) => {
    const run = async (): Promise<DryRunReport> => {
      // A caller that waited behind others may be gone.
      signal?.throwIfAborted();
      const { rules, revision } = await keeper.build(text);
      const result = await dryRun(options, principal.tenant_id, { rules, revision }, limit, signal);
      return { revision, ...result };
    };
    const mine = last.then(run);
    last = mine.catch(() => undefined);
    return mine;
  };
}
