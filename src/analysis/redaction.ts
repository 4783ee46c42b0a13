import { PIPELINE } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import type { Analysis } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Admission } from './admission.ts';
import { type RulesSource, runJob } from './job.ts';

/** The caller whose texts are to be stored. */
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

export interface RedactOptions {
  admission: Admission;
  analysis: Client<typeof Analysis>;
  rules: RulesSource;
}

/** Creates it over the scan pool; its jobs are admitted like those of analyze. */
export function createRedact(options: RedactOptions): Redact {
  const { admission, analysis, rules } = options;
  return async (texts, { principal, remoteAddress, signal }) => {
    const ticket = {
      caller: `${principal.id}@${remoteAddress}`,
      bytes: texts.reduce((sum, text) => sum + text.length, 0),
      waitMs: PIPELINE.ADMISSION_WAIT_MS,
      signal,
    };
    const release = await admission.acquire(ticket).catch((thrown: unknown) => {
      throw unchanged(thrown);
    });
    try {
      const answer = await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
        analysis.redact({ ...job, texts: [...texts] }, call),
      );
      return answer.texts;
    } catch (thrown) {
      throw unchanged(thrown);
    } finally {
      release();
    }
  };
}

/** The failure as callers see it; nothing was stored yet in any case. */
function unchanged(thrown: unknown): CraError {
  const { code, message } = CraError.fromUnknown(thrown);
  const cause = thrown;
  if (code === 'CANCELLED') return new CraError(code, message, { cause });
  if (code === 'RESOURCE_EXHAUSTED') {
    return new CraError(code, `${message}; nothing was changed`, { cause });
  }
  const sentence = 'could not search the texts for secrets, so nothing was changed';
  return new CraError('UNAVAILABLE', sentence, { cause });
}
