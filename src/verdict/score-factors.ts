import type { Feature } from './score-model.ts';

/** What a feature says, with its value, as the reason of a score. */
export function describeFeature(feature: Feature, value: number): string {
  return WORDS[feature](value);
}

const WORDS: Record<Feature, (value: number) => string> = {
  la: (value) => `${counted(value, 'non-blank line')} added`,
  nf: (value) => `${counted(value, 'file')} touched`,
  nd: (value) => `${counted(value, 'directory', 'directories')} touched`,
  ns: (value) => `${counted(value, 'top-level directory', 'top-level directories')} touched`,
  hunks: (value) => `${counted(value, 'place')} changed`,
  n_new: (value) => counted(value, 'new file'),
  nf_code: (value) => counted(value, 'code file'),
  nf_test: (value) => counted(value, 'test file'),
  nf_doc: (value) => counted(value, 'text or documentation file'),
  nf_dep: (value) => counted(value, 'build or dependency file'),
  nf_mig: (value) => counted(value, 'migration'),
  nf_cfg: (value) => counted(value, 'configuration file'),
  nf_other: (value) => counted(value, 'file of another kind', 'files of other kinds'),
  code_la: (value) => `${counted(value, 'line')} added to code`,
  test_la: (value) => `${counted(value, 'line')} added to tests`,
  h_rel_la: relativeSize,
  h_fixratio: (value) => `${Math.round(100 * value)} % of its files' earlier changes were fixes`,
  h_recent: (value) => `each of its files changed ${times(value)} in the last 200 changes`,
  h_gap: lastTouched,
};

function relativeSize(value: number): string {
  const than = value < 0 ? 'smaller' : 'larger';
  const deviations = Math.abs(value).toFixed(1);
  return `${than} than usual in this repository (${deviations} standard deviations)`;
}

function lastTouched(value: number): string {
  if (value < 0) return 'none of its files changed before';
  return `its files last changed ${counted(Math.round(Math.expm1(value)), 'change')} ago`;
}

function times(value: number): string {
  const text = value.toFixed(1);
  return text === '1.0' ? 'once' : `${text} times`;
}

/** "no file", "1 file", "2 files". */
function counted(count: number, one: string, many = `${one}s`): string {
  if (count === 0) return `no ${one}`;
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}
