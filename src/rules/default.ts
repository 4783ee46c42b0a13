import type { RuleSet } from '../model/rules.ts';
import { documentPatterns } from './documents.ts';
import { riskPatterns } from './risk.ts';
import { secretPatterns } from './secrets.ts';
import { vulnerabilityPatterns } from './vulnerabilities.ts';

/** The rules of a service that was given none. */
export const defaultRules: RuleSet = {
  version: 1,
  secret_patterns: secretPatterns,
  risk_patterns: [...riskPatterns, ...documentPatterns],
  vulnerability_patterns: vulnerabilityPatterns,
  allowlists: [
    {
      description: 'references to a value that stands elsewhere, and strings of one character',
      regexes: [
        String.raw`^\$\{?\w+\}?$`,
        String.raw`^\$?\{\{.*\}\}$`,
        String.raw`^%\w+%$`,
        '^<[^>]*>$',
        String.raw`^(?:x+|X+|\*+|\.+|0+|-+|_+)$`,
      ],
    },
  ],
  pipeline: { block_severities: ['critical', 'high'], block_score: null },
};
