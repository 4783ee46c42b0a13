import { scryptSync } from 'node:crypto';
import test from 'ava';
import { createPasswordCheck } from '../../src/auth/admin-password.ts';
import { createOneTimeLink } from '../../src/auth/one-time-link.ts';
import { returnPath } from '../../src/auth/return-path.ts';
import { readPasswordHash } from '../../src/core/password-hash.ts';
import { AUTH } from '../../src/limits.ts';
import { hashOf } from './password-hash.ts';

test('createPasswordCheck knows the password, in any form of the same characters', async (t) => {
  const known = readPasswordHash(hashOf('pässword'));
  if (known === null) return t.fail();
  const check = createPasswordCheck(known);
  t.true(await check('pässword'));
  t.true(await check('pa\u0308ssword'));
  for (const wrong of ['', 'password', 'pässword ', 'x'.repeat(4_000)]) t.false(await check(wrong));
});

test('createPasswordCheck lets few wait and goes on afterwards', async (t) => {
  const known = readPasswordHash(hashOf('right'));
  if (known === null) return t.fail();
  const check = createPasswordCheck(known);
  const many = Array.from({ length: AUTH.PASSWORD_WAITING_MAX + 2 }, () => check('right'));
  const outcomes = await Promise.allSettled(many);
  t.is(outcomes.filter(({ status }) => status === 'rejected').length, 2);
  t.true(await check('right'));
});

test('readPasswordHash takes the format of others and refuses what is weak or odd', (t) => {
  const salt = Buffer.alloc(16, 7);
  const hash = scryptSync('x', salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 });
  const bare = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const text = (ln: number | string, r = 8, p = 1, end = bare(hash)) =>
    `$scrypt$ln=${ln},r=${r},p=${p}$${bare(salt)}$${end}`;
  t.deepEqual(readPasswordHash(text(15)), {
    logCost: 15,
    blockSize: 8,
    parallelism: 1,
    salt,
    hash,
  });
  const odd = [text(14), text(21), text(15, 9), text(15, 8, 0), text(15, 8, 5), text('1e1')];
  const none = ['', 'password', '$2b$12$abc', text(15, 8, 1, 'AAAA'), `${text(15)} `];
  for (const bad of [...odd, ...none]) t.is(readPasswordHash(bad), null, bad);
});

test('createOneTimeLink is good for once and for fifteen minutes', (t) => {
  let nowMs = 0;
  const link = createOneTimeLink(() => nowMs);
  t.is(link.token.length, 43);
  t.false(link.redeem(''));
  t.false(link.redeem(`${link.token}x`));
  nowMs = AUTH.ONE_TIME_LINK_MS - 1;
  t.true(link.redeem(link.token));
  t.false(link.redeem(link.token));
  const late = createOneTimeLink(() => nowMs);
  nowMs += AUTH.ONE_TIME_LINK_MS;
  t.false(late.redeem(late.token));
  t.not(late.token, link.token);
});

const PATHS: [string, boolean][] = [
  ['/cra#approve-RFC-1', true],
  ['/', true],
  ['/a?b=c&d=//e', true],
  ['', false],
  ['cra', false],
  ['//elsewhere.example', false],
  ['/\\elsewhere.example', false],
  ['/\t/elsewhere.example', false],
  ['/a\r\nSet-Cookie: x=y', false],
  ['https://elsewhere.example', false],
  ['javascript:alert(1)', false],
  ['/a b', false],
  ['/é', false],
  [`/${'a'.repeat(600)}`, false],
];

for (const [wanted, isKept] of PATHS) {
  test(`returnPath ${isKept ? 'keeps' : 'refuses'} ${JSON.stringify(wanted.slice(0, 40))}`, (t) => {
    t.is(returnPath(wanted), isKept ? wanted : '/cra');
  });
}
