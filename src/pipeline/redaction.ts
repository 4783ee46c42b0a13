import { CraError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { PIPELINE } from '../limits.ts';
import type { Analysis } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Admission } from './admission.ts';
import { isThreadLost, type RulesSource, runJob } from './job.ts';

/** Who wants texts of theirs to be stored. */
export interface Author {
  principal: Principal;
  remoteAddress: string;
  signal: AbortSignal | null;
}

/**
 * Hides the secrets in texts on a scan thread; as many texts, in order. Rejects with
 * RESOURCE_EXHAUSTED when no thread becomes free in time, and with UNAVAILABLE when the thread
 * fails: whatever the texts are for must not happen then.
 */
export type Redact = (texts: readonly string[], author: Author) => Promise<string[]>;

/** Creates it over the scan pool; its jobs are admitted like those of analyze. */
export function createRedact(options: {
  admission: Admission;
  analysis: Client<typeof Analysis>;
  rules: RulesSource;
}): Redact {
  const { admission, analysis, rules } = options;
  return async (texts, { principal, remoteAddress, signal }) => {
    const release = await admission.acquire({
      caller: `${principal.id}@${remoteAddress}`,
      bytes: texts.reduce((sum, text) => sum + text.length, 0),
      waitMs: PIPELINE.ADMISSION_WAIT_MS,
      signal,
    });
    try {
      const answer = await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
        analysis.redact({ ...job, texts: [...texts] }, call),
      );
      return answer.texts;
    } catch (thrown) {
      throw isThreadLost(thrown) ? unavailable(thrown) : thrown;
    } finally {
      release();
    }
  };
}

function unavailable(cause: unknown): CraError {
  const message = 'the texts could not be searched for secrets, so nothing was changed';
  return new CraError('UNAVAILABLE', message, { cause });
}
