import type { Severity } from '../../model/finding.ts';
import type { Allowlist, Pattern, PatternTarget } from '../../model/rules.ts';

const CWE = 'CWE-798';
const FIX = 'Revoke it, issue a new one, and read it from the environment or a secret store.';

/** What people type where a token belongs; nobody's random token holds one. */
const MADE_UP: Allowlist = {
  description: 'sequences and words that stand for a value',
  regexes: [
    '(?i)0123456789|01234567-89ab|1234567890|9876543210|abcdefghij|xxxxxx|(?:example|sample|dummy|placeholder|redacted|changeme|insert|replace|your)[_.-]?(?:key|token|secret|here|value|api|pass)',
    String.raw`(?i)example$|^example|\.\.\.|^your[_.-]`,
  ],
};

/**
 * A rule for credentials of one vendor. `what` names the credential ("Stripe live key") within
 * title and message; `match` and `noMatch` are the examples. Severity is high if not given:
 * critical is for wide power over other people's property, medium for what is public by design.
 */
export function token(fields: {
  id: string;
  what: string;
  regex: string;
  keywords: string[];
  source: string;
  match: string[];
  noMatch: string[];
  severity?: Severity;
  entropy?: number;
  secretGroup?: number;
  allowlists?: Allowlist[];
  path?: string;
  target?: PatternTarget;
}): Pattern {
  const { what, match, noMatch, severity = 'high', allowlists = [], ...pattern } = fields;
  return {
    ...pattern,
    description: `Hard-coded ${what}`,
    severity,
    message: `Anybody who can read the repository, or its history, can use this ${what}.`,
    fix: FIX,
    cwe: CWE,
    allowlists: [...allowlists, MADE_UP],
    examples: { match, noMatch },
  };
}
