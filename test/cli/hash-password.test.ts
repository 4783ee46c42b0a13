import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { createPasswordCheck } from '../../src/auth/admin-password.ts';
import { readPasswordHash } from '../../src/core/password-hash.ts';
import { fake } from '../../src/rules/fake.ts';

const PASSWORD = fake('pass-phrase ', 20);

/** Runs the command with this on standard input. */
async function hashPassword(input: string, ...args: string[]) {
  const cli = new URL('../../src/cli/main.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [cli, 'hash-password', ...args]);
  const out = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    out.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    out.stderr += chunk;
  });
  // It may end without reading.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { ...out, code };
}

test('cra hash-password prints a hash that the login takes, another one each time', async (t) => {
  const first = await hashPassword(`${PASSWORD}\n`);
  t.is(first.code, 0);
  t.regex(first.stdout, /^\$scrypt\$ln=17,r=8,p=1\$\S+\n$/);
  const known = readPasswordHash(first.stdout.trim());
  if (known === null) return t.fail();
  const check = createPasswordCheck(known);
  t.true(await check(PASSWORD));
  t.false(await check(`${PASSWORD}\n`));
  t.not((await hashPassword(PASSWORD)).stdout, first.stdout);
});

const REFUSED: [string, string, string[], RegExp][] = [
  ['a short password', 'short\n', [], /15 characters/],
  ['nothing', '', [], /15 characters/],
  ['two lines', `${PASSWORD}\n${PASSWORD}\n`, [], /one line/],
  ['more than a password', PASSWORD.repeat(100), [], /larger than 1024 bytes/],
];

for (const [title, input, args, message] of REFUSED) {
  test(`cra hash-password refuses ${title}`, async (t) => {
    const { code, stdout, stderr } = await hashPassword(input, ...args);
    t.is(code, 2);
    t.is(stdout, '');
    t.regex(stderr, message);
    t.false(stderr.includes(PASSWORD));
  });
}

test('cra hash-password takes no password as an argument', async (t) => {
  const { code, stdout } = await hashPassword('', PASSWORD);
  t.is(code, 2);
  t.true(stdout.startsWith('usage: cra hash-password'));
});
