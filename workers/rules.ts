import type { RulesJob } from '../src/domain/rules.ts';
import { buildRules } from '../src/gates/risk/config/build.ts';
import { checkRuleSet } from '../src/gates/risk/rule-check.ts';
import { defaultRules } from '../src/gates/risk/rules/default.ts';
import { serveOneShot } from '../src/rpc/one-shot.ts';

/** Rules that kill or stall this process cost nothing else. */
serveOneShot((input) => {
  const job = input as RulesJob;
  return job.kind === 'check' ? checkRuleSet(job.rules) : buildRules(job.source, defaultRules);
});
