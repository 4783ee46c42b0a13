import { REHEARSAL } from './paths.ts';

/** Files that nothing runs for real. */
export const TESTS = { description: 'tests, examples', paths: [REHEARSAL] };

/** Comments of most languages, of Terraform and of YAML. */
export const COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [String.raw`^\s*(?:#|//|\*)`],
} as const;
