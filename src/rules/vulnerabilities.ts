import type { Pattern } from '../model/rules.ts';
import { injectionPatterns } from './vulnerabilities/injection.ts';
import { requestInputPatterns } from './vulnerabilities/request-input.ts';
import { typedRequestInputPatterns } from './vulnerabilities/request-input-typed.ts';
import { tokenPatterns } from './vulnerabilities/tokens.ts';
import { transportPatterns } from './vulnerabilities/transport.ts';

/**
 * Grave mistakes that a single line proves, in languages that gate 2 doesn't read, and settings
 * of connections and tokens in all languages; where a value has to be followed from line to
 * line, a regex proves nothing. Always critical.
 */
export const vulnerabilityPatterns: readonly Pattern[] = [
  ...injectionPatterns,
  ...requestInputPatterns,
  ...typedRequestInputPatterns,
  ...transportPatterns,
  ...tokenPatterns,
];
