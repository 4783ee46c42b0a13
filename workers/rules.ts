import { CraError } from '../src/domain/errors.ts';
import type { RuleSet } from '../src/domain/rules.ts';
import { compileRules } from '../src/gates/risk/compile.ts';
import { checkExamples } from '../src/gates/risk/examples.ts';
import { serveOneShot } from '../src/rpc/one-shot.ts';

/** Answers with the problems of a rule set: none means that it may become active. */
serveOneShot((input) => {
  try {
    return { problems: checkExamples(compileRules(input as RuleSet)) };
  } catch (thrown) {
    return { problems: [CraError.fromUnknown(thrown).message] };
  }
});
