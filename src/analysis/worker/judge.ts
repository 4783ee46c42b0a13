import { createHash } from 'node:crypto';
import { type GateFinding, plainFinding } from '../../model/finding.ts';
import { redactLines } from '../../redaction/redact.ts';
import type { AnalysisOutcome, JudgeInput } from '../../rpc/contract.ts';
import type { ChangeRisk } from '../../verdict/score.ts';
import { startAssessment } from './change-shape.ts';
import { createGateTools, readChange, runGates } from './gates.ts';
import { historyFindings, messageFindings } from './history.ts';
import { finalRecord, gateTimes, NO_TIMINGS, outcome } from './record.ts';
import type { AnalysisServiceOptions } from './service.ts';

/**
 * Creates `Analysis.judge`: a push from the diff that git gave to its outcome. Its diff is not
 * kept, as the mirror can make it again.
 */
export function createJudge(
  options: AnalysisServiceOptions,
): (input: JudgeInput) => Promise<AnalysisOutcome> {
  const toolsFor = createGateTools(options);
  return async (input) => {
    const rules = options.rules.get(input.rules_revision, input.rules);
    const { record, diff, notes, cancel } = input;
    const known = {
      ...record,
      diff_hash: createHash('sha256').update(diff).digest('hex'),
      // The host's words, which may hold secrets; the log of the mirror has them in full.
      commit_message: redactLines(input.message, rules.compiled, cancel),
      rules_revision: input.rules_revision,
      rev: record.rev + 1,
    };
    const tools = toolsFor(record, rules, input.files);
    const times = () => ({ now: options.now().toISOString(), reviews: input.reviews });
    const past = async (shown: readonly GateFinding[]) => [
      ...(input.history === null ? [] : await historyFindings(input.history, shown, tools, cancel)),
      ...(await messageFindings(input.messages, tools, cancel)),
    ];
    if (diff.length === 0) {
      const findings = [...notes, noChanges(), ...rules.notes, ...(await past([]))];
      const draft = { ...known, stats: NO_CHANGES };
      const scan = { findings, timings: NO_TIMINGS };
      return outcome(finalRecord(draft, NO_RISK, scan, rules.pipeline, times()), null, null, {});
    }
    const change = readChange(diff);
    const origin = { ...known, commit_message: input.message };
    const { entry, risk } = startAssessment(origin, change.measure, options.history);
    const { findings, timings } = await runGates(change, tools, cancel);
    const all = [...notes, ...findings, ...(await past(findings))];
    const draft = { ...known, stats: change.stats };
    const scan = { findings: all, timings };
    return outcome(
      finalRecord(draft, await risk, scan, rules.pipeline, times()),
      entry,
      null,
      gateTimes(timings),
    );
  };
}

const NO_CHANGES = { files: 0, additions: 0, deletions: 0, bytes: 0 };
const NO_RISK: ChangeRisk = { chance: 0, factors: [] };

/** The trees are the same, which git proves. */
function noChanges(): GateFinding {
  const message = 'the push changes no file';
  return plainFinding({ id: 'no-changes', gate: 'risk', severity: 'info', message });
}
