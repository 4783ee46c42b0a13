import type { RuleSet } from '../src/domain/rules.ts';
import { checkRuleSet } from '../src/gates/risk/rule-check.ts';
import { serveOneShot } from '../src/rpc/one-shot.ts';

/** Answers with the problems of a rule set: none means that it may become active. */
serveOneShot((input) => checkRuleSet(input as RuleSet));
