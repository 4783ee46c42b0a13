import { type CancelFlag, isYield } from '../core/cancel-flag.ts';
import { openDiff, sealDiff } from '../core/seal.ts';
import type { AnalyzeRequest } from '../domain/analyze-request.ts';
import { CraError } from '../domain/errors.ts';
import type { RfcRecord } from '../domain/records.ts';
import { HTTP, STORE } from '../limits.ts';
import type { Analysis, AnalysisContext, AnalysisOutcome, Syntax } from '../rpc/contract.ts';
import type { Client, Implementation } from '../rpc/service.ts';
import { readAnalyzeBody } from './body.ts';
import { measure, runGates, type Scan } from './gates.ts';
import { answerText, draftRecord, finalRecord, recordText, refusedRecord } from './record.ts';
import type { ActiveRules, RulesCache } from './rules-cache.ts';

export interface AnalysisServiceOptions {
  rules: RulesCache;
  /** 32 bytes each. */
  fingerprintKey: Uint8Array;
  sealKey: Uint8Array;
  syntax: Client<typeof Syntax>;
  now(): Date;
}

/** Creates what a scan thread serves: one diff from body to record. */
export function createAnalysisService(
  options: AnalysisServiceOptions,
): Implementation<typeof Analysis> {
  const { fingerprintKey, sealKey, syntax } = options;

  const seal = (rfcId: string, diff: Uint8Array) =>
    sealDiff(diff, sealKey, rfcId, STORE.SEAL_CHUNK_BYTES);

  function gates(
    diff: Uint8Array,
    repoName: string,
    rules: ActiveRules,
    cancel: CancelFlag,
  ): Promise<Scan> {
    return runGates(diff, { rules, repoName, fingerprintKey, syntax }, cancel);
  }

  function finish(draft: RfcRecord, scan: Scan, rules: ActiveRules): RfcRecord {
    return finalRecord(draft, scan, rules.pipeline, options.now().toISOString());
  }

  return {
    async prepare({ revision, rules }) {
      options.rules.get(revision, rules);
      await syntax.inspect({ fragments: [], fingerprintKey });
      return { ready: true };
    },

    async analyze(input) {
      const rules = options.rules.get(input.rules_revision, input.rules);
      const { request, diff } = readRequest(input.body);
      try {
        const scan = await gates(diff, request.repo_name, rules, input.cancel);
        const draft = draftRecord(request, diff, scan.stats, input);
        return outcome(finish(draft, scan, rules), seal(input.rfc_id, diff), scan.timings);
      } catch (thrown) {
        if (!isYielded(thrown, input)) throw thrown;
        const draft = draftRecord(request, diff, measure(diff), input);
        return outcome(draft, seal(input.rfc_id, diff), NO_TIMINGS);
      }
    },

    async resume(input) {
      const rules = options.rules.get(input.rules_revision, input.rules);
      const { record, rules_revision } = input;
      const draft = { ...record, rules_revision, rev: record.rev + 1 };
      const sealed = { chunks: input.chunks, bytes: draft.stats.bytes };
      const diff = openDiff(sealed, sealKey, draft.rfc_id, HTTP.LARGE_BODY_BYTES_MAX);
      const scan = await gates(diff, draft.repo_name, rules, input.cancel);
      return outcome(finish(draft, scan, rules), null, scan.timings);
    },

    refuse(input) {
      const now = options.now().toISOString();
      if (input.record !== null) {
        const next = { ...input.record, rev: input.record.rev + 1 };
        return outcome(refusedRecord(next, input.finding, now), null, NO_TIMINGS);
      }
      if (input.body === null) throw new CraError('INVALID_ARGUMENT', 'neither body nor record');
      const { request, diff } = readRequest(input.body);
      // The parser is left out on purpose: it may be what ended the thread before.
      const stats = { files: 0, additions: 0, deletions: 0, bytes: diff.length };
      const draft = draftRecord(request, diff, stats, input);
      const refused = refusedRecord(draft, input.finding, now);
      return outcome(refused, seal(input.rfc_id, diff), NO_TIMINGS);
    },
  };
}

const NO_TIMINGS = { parseMs: 0, riskMs: 0, astMs: 0 };

function readRequest(body: Uint8Array): { request: AnalyzeRequest; diff: Uint8Array } {
  const request = readAnalyzeBody(body);
  return { request, diff: Buffer.from(request.diff, 'utf8') };
}

function isYielded(thrown: unknown, context: AnalysisContext): boolean {
  return thrown instanceof CraError && thrown.code === 'CANCELLED' && isYield(context.cancel);
}

function outcome(
  record: RfcRecord,
  diff: AnalysisOutcome['diff'],
  timings: AnalysisOutcome['timings'],
): AnalysisOutcome {
  return { record: recordText(record), answer: answerText(record), diff, timings };
}
