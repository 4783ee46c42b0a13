import { recordText } from '../../src/model/record-text.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import type { RfcStatus } from '../../src/model/rfc.ts';
import type { Analysis, AnalysisOutcome } from '../../src/rpc/contract.ts';
import type { Client } from '../../src/rpc/service.ts';
import type { WordDiff } from './fake-host.ts';
import { unserved } from './unserved.ts';

/** What a judgement of words saw, by RFC. */
export type SeenWords = Map<string, ReadonlySet<string>>;

/** Gates over the words of a FakeHost: a word that begins with `bad` blocks. */
export function wordGates(seen: SeenWords): Client<typeof Analysis> {
  return {
    ...unserved<Client<typeof Analysis>>([
      'prepare',
      'analyze',
      'resume',
      'redact',
      'readDelivery',
    ]),
    wantedFiles: async () => ({ wants: [] }),
    async judge({ record, diff }) {
      const text = Buffer.from(diff).toString();
      const { added, passed } = JSON.parse(text || NOTHING) as WordDiff;
      const words = new Set([...added, ...passed]);
      seen.set(record.rfc_id, words);
      const isBad = [...words].some((word) => word.startsWith('bad'));
      return outcome(record, isBad ? 'BLOCKED' : 'PASSED');
    },
    async refuse({ record }) {
      if (record === null) throw new Error('pushes have records');
      return outcome(record, 'BLOCKED');
    },
  };
}

const NOTHING = '{"added":[],"passed":[]}';

function outcome(record: RfcRecord, overall_status: RfcStatus): AnalysisOutcome {
  const { push } = record;
  const final = {
    ...record,
    overall_status,
    queue: null,
    push: push === null ? null : { ...push, phase: null },
    rev: record.rev + 1,
  };
  const timings = { parseMs: 0, riskMs: 0, astMs: 0 };
  return { record: recordText(final, null), answer: '', diff: null, timings };
}
