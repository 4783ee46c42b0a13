import { buildRules, checkRuleSet } from '../src/gates/patterns/rules-text.ts';
import type { RulesJob } from '../src/model/rules.ts';
import { serveOneShot } from '../src/rpc/thread-entry.ts';
import { readBuiltInRules } from '../src/rulebook/active-rules.ts';

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Rules that kill or stall this process cost nothing else. */
serveOneShot((input) => {
  const job = input as RulesJob;
  const { rules: defaultRules } = readBuiltInRules();
  return job.kind === 'check'
    ? checkRuleSet(job.rules, defaultRules, cpuTime)
    : buildRules(job.source, defaultRules, cpuTime);
});
