import test from 'ava';
import { backtrackingOf } from '../../../src/gates/syntax/engine/backtracking.ts';

const EXPONENTIAL = [
  /^(a+)+$/,
  /^(a|a)*$/,
  /(a|aa)+$/,
  /^(?:\s*\w+\s*)*$/,
  /(\w+\s?)+$/,
  /(x+x+)+y/,
  /^(.*)*$/,
  /^(?:\\.|[^"])*"/,
  /^(?:[a-z]{1,3}){1,}$/,
  /^(A|[a-z])*(a|A)+(?:b|B)*$|^(?:a|a)+$/i,
];
const POLYNOMIAL = [
  /\s+$/,
  /^\s+|\s+$/,
  /".*"/,
  /<(\w+)[^>]*>/,
  /^\d+\.?\d+$/,
  / *, */,
  /a.*b.*c/s,
];
const LINEAR = [
  /^[a-z]+$/,
  /^(\d+)\.(\d+)$/,
  /^(?:[a-z]+\.)+[a-z]+$/,
  /^"[^"]*"$/,
  /^(\d{1,3})(,\d{3})*$/,
  /(.*)*/,
  /^(?:a|b)*c/,
  /^(?:\\.|[^"\\])*"/,
  /^rgb\(\s*(\d+)\s*,\s*(\d+)\s*\)$/,
  /\s+$/y,
];

test('backtrackingOf tells how many ways a text has to match', (t) => {
  const of = (all: readonly RegExp[]) =>
    all.map(({ source, flags }) => `${source} ${backtrackingOf(source, flags)}`);
  t.deepEqual(
    of(EXPONENTIAL),
    EXPONENTIAL.map(({ source }) => `${source} exponential`),
  );
  t.deepEqual(
    of(POLYNOMIAL),
    POLYNOMIAL.map(({ source }) => `${source} polynomial`),
  );
  t.deepEqual(
    of(LINEAR),
    LINEAR.map(({ source }) => `${source} null`),
  );
});

test('backtrackingOf ends within its bounds for hostile patterns', (t) => {
  const hostile = [
    '('.repeat(1_999),
    `${'(a*'.repeat(39)}${')*'.repeat(39)}$`,
    `^${'(?:.*.*.*){2,9}'.repeat(60)}$`,
    `${'(?:'.repeat(30)}a${'){2}'.repeat(30)}`,
    '[a'.repeat(900),
    '(?<a>b)\\k<a>+',
    'a{99999999}',
    '*a',
  ];
  const start = process.cpuUsage();
  for (const pattern of hostile) backtrackingOf(pattern);
  const { user } = process.cpuUsage(start);
  t.true(user < 2_000_000, `${user} us`);
});
