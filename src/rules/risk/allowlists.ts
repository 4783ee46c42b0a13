import type { Allowlist } from '../../model/rules.ts';
import { REHEARSAL } from './paths.ts';

/** Files that nothing runs for real. */
export const TESTS = { description: 'tests, examples', paths: [REHEARSAL] };

/** Comments of most languages, of Terraform and of YAML. */
export const COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [String.raw`^\s*(?:#|//|\*)`],
} as const;

/**
 * The same for what shells and timetables read: `//usr/bin/curl` is a path there, and `*` is the
 * first field of a line of cron, or the names of all files.
 */
export const SCRIPT_COMMENTS: readonly Allowlist[] = [
  {
    description: 'comments',
    regexTarget: 'line',
    regexes: [String.raw`^\s*(?:#|//(?:$|[^\w.-]|[\w.-]+(?:$|[^\w./-])))`],
  },
  {
    description: 'comments of several lines, in languages that have them',
    condition: 'AND',
    paths: [
      String.raw`(?i)\.(?:[cm]?[jt]sx?|java|kts?|groovy|gradle|scala|c|cc|cpp|h|hpp|cs|go|rs|php|swift|dart|s?css|less|vue|svelte)$`,
    ],
    regexTarget: 'line',
    regexes: [String.raw`^\s*\*`],
  },
];
