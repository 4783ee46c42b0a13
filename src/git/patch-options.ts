/**
 * Options of every patch: its text depends on the commits alone, not on anybody's settings, and
 * no program of the repository's choice (external diff, textconv) makes it. Content that is binary
 * stays a marker: no gate could read the data of a binary patch.
 * https://git-scm.com/docs/diff-options
 */
export const PATCH_OPTIONS: readonly string[] = [
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--full-index',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
  '--ignore-submodules=none',
  '--diff-algorithm=default',
];

/**
 * Context for rules over several lines: an RSA key of 16,384 bits has 200 lines of PEM. It is
 * bounded, so that one long file costs no more than its changes.
 */
export const WIDE_CONTEXT = '--unified=400';
