import { prepareRules } from '../../gates/patterns/compile.ts';
import type { CompiledRules } from '../../gates/patterns/compiled-rules.ts';
import type { Component } from '../../model/components.ts';
import { CraError } from '../../model/errors.ts';
import { type GateFinding, plainFinding } from '../../model/finding.ts';
import {
  type AcceptedFingerprint,
  emptyLists,
  type PipelineSettings,
  type PreparedKeywords,
  type RuleSet,
} from '../../model/rules.ts';

/** A revision of the rules as a thread uses it. */
export interface ActiveRules {
  compiled: CompiledRules;
  pipeline: PipelineSettings;
  accepted: readonly AcceptedFingerprint[];
  components: readonly Component[];
  /** Findings about these rules that go with every verdict. */
  notes: readonly GateFinding[];
}

export interface RulesCache {
  /**
   * The revision a job names, compiled. `rules` comes along when the thread said before that it
   * does not know it; without them FAILED_PRECONDITION with `details.rules_unknown` asks for them.
   */
  get(revision: string, rules: RuleSet | null): ActiveRules;
}

/** Jobs that started under the last revision still run while the new one comes in. */
const REVISIONS_KEPT = 2;

/** Creates an empty cache. `prepared` spares one revision most of its work, if not null. */
export function createRulesCache(prepared: PreparedKeywords | null = null): RulesCache {
  const kept = new Map<string, ActiveRules>();
  return {
    get(revision, rules) {
      const known = kept.get(revision);
      if (known !== undefined) return known;
      if (rules === null) {
        const message = 'this thread does not know the revision of the rules';
        throw new CraError('FAILED_PRECONDITION', message, { details: { rules_unknown: true } });
      }
      const { pipeline, accepted = [], components = [] } = rules;
      const notes = [...emptyNotes(rules), ...weakerNotes(rules)];
      const keywords = prepared?.revision === revision ? prepared.index : undefined;
      const settings = { pipeline, accepted, components, notes };
      const active = { compiled: prepareRules(rules, keywords), ...settings };
      kept.set(revision, active);
      const [oldest] = kept.keys();
      if (kept.size > REVISIONS_KEPT && oldest !== undefined) kept.delete(oldest);
      return active;
    },
  };
}

function emptyNotes(rules: RuleSet): GateFinding[] {
  const empty = emptyLists(rules);
  if (empty.length === 0) return [];
  const message = `the rules in force hold no ${empty.join(', no ')} (allow_empty): nothing of the kind is looked for, or blocks`;
  return [plainFinding({ id: 'rules-empty', gate: 'risk', severity: 'info', message })];
}

function weakerNotes({ pipeline }: RuleSet): GateFinding[] {
  if (pipeline.allow_weaker !== true) return [];
  const message =
    'the rules in force let modes lower vulnerabilities and private keys (allow_weaker)';
  return [plainFinding({ id: 'rules-weaker', gate: 'risk', severity: 'info', message })];
}
