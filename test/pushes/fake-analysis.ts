import { createReviewer } from '../../src/analysis/review.ts';
import { createAdmission } from '../../src/analysis/scan-pool.ts';
import { CraError } from '../../src/model/errors.ts';
import { type GateFinding, plainFinding } from '../../src/model/finding.ts';
import { type RfcRecord, recordText } from '../../src/model/records.ts';
import type { GateResult, RfcStatus } from '../../src/model/rfc.ts';
import type { RunnerOptions } from '../../src/pushes/runner.ts';
import type { Analysis, AnalysisOutcome } from '../../src/rpc/contract.ts';
import type { Client } from '../../src/rpc/service.ts';
import { nameFindings } from '../../src/verdict/verdict.ts';
import type { WordDiff } from './fake-host.ts';
import { unserved } from './unserved.ts';

/** Gates over the words of a FakeHost: a word that begins with `bad` blocks. */
export function wordGates(): Client<typeof Analysis> {
  return {
    ...unserved<Client<typeof Analysis>>([
      'prepare',
      'analyze',
      'resume',
      'redact',
      'readDelivery',
    ]),
    wantedFiles: async () => ({ wants: [] }),
    async judge({ record, diff, notes }) {
      const text = Buffer.from(diff).toString();
      const { added, passed } = JSON.parse(text || NOTHING) as WordDiff;
      const words = new Set([...added, ...passed]);
      const bad = [...words].filter((word) => word.startsWith('bad'));
      // The blocks of the service itself stand beside what the words say.
      const own = notes.filter(({ severity }) => severity === 'critical').map(({ id }) => id);
      const isBad = bad.length + own.length > 0;
      return outcome(record, isBad ? 'BLOCKED' : 'PASSED', [...bad, ...own]);
    },
    async refuse({ record, finding }) {
      if (record === null) throw new Error('pushes have records');
      return outcome(record, 'BLOCKED', [finding.id]);
    },
  };
}

const NOTHING = '{"added":[],"passed":[]}';

function outcome(
  record: RfcRecord,
  overall_status: RfcStatus,
  blocking: readonly string[] = [],
): AnalysisOutcome {
  const { push } = record;
  const findings = nameFindings(record.rfc_id, blocking.map(wordFinding));
  const status = overall_status === 'PASSED' ? ('pass' as const) : ('fail' as const);
  const final = {
    ...record,
    gates: { ...record.gates, ast: PASSED, risk: { ...PASSED, status, findings } },
    overall_status,
    queue: null,
    push: push === null ? null : { ...push, phase: null },
    rev: record.rev + 1,
  };
  const timings = { gates: [] };
  return { record: recordText(final), answer: '', diff: null, timings };
}

const PASSED: GateResult = {
  status: 'pass',
  findings: [],
  skip_reason: null,
  suppressed_count: 0,
  duration_ms: 1,
};

/** Words have fingerprints; what the service itself says of a change has none. */
function wordFinding(word: string): GateFinding {
  const fingerprint = word.startsWith('bad') ? word : '';
  const id = fingerprint === '' ? word : 'secret-word';
  return plainFinding({ id, gate: 'risk', severity: 'high', message: word, fingerprint });
}

/** Of a service without a model. */
export const NO_REVIEWER = createReviewer({
  settings: { tiers: [], budgets: { rfc: null, day: null, month: null, tenants: {} } },
  store: {} as never,
  analysis: {} as never,
  rules: {} as never,
  admission: createAdmission(1),
  key: new Uint8Array(32),
  owner: 'daemon-1',
  records: {} as never,
  retryMs: 1,
  now: () => new Date(),
});

/** Gates that leave their verdict to gate 3, whose first reviews hang until they are cancelled. */
export class HangingReviews {
  readonly begun: Promise<void>;
  /** Reviews that were cancelled. */
  readonly ended: string[] = [];
  private begin: () => void = () => undefined;
  private left: number;

  constructor(count: number) {
    this.left = count;
    this.begun = new Promise((resolve) => {
      this.begin = resolve;
    });
  }

  get parts(): Pick<RunnerOptions, 'analysis' | 'reviewer'> {
    const gates = wordGates();
    const draft = async (...input: Parameters<typeof gates.judge>) => {
      const judged = await gates.judge(...input);
      const { push, queue } = input[0].record;
      const open = { overall_status: 'DRAFT' as const, push, queue };
      return {
        ...judged,
        record: recordText({ ...JSON.parse(judged.record.json), ...open }),
      };
    };
    const reviewer: RunnerOptions['reviewer'] = {
      ...NO_REVIEWER,
      isConfigured: true,
      acquire: async () => () => undefined,
      review: async ({ record }, signal) => {
        this.left -= 1;
        if (this.left >= 0) await this.hang(record.rfc_id, signal);
        const over = { overall_status: 'PASSED' as const, queue: null, rev: record.rev + 1 };
        const final = recordText({ ...record, ...over });
        return { record: final, answer: '', diff: null, timings: { gates: [] } };
      },
    };
    return { analysis: { ...gates, judge: draft }, reviewer };
  }

  private hang(rfcId: string, signal: AbortSignal): Promise<never> {
    this.begin();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        this.ended.push(rfcId);
        reject(new CraError('CANCELLED', 'the review was cancelled'));
      });
    });
  }
}
