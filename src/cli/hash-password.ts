import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { AUTH } from '../auth/limits.ts';
import { hashPassword } from '../auth/login.ts';
import { CraError } from '../model/errors.ts';
import { readAll } from './terminal.ts';

/**
 * `cra hash-password`: prints the hash of a password that is typed in, or is on standard input.
 * Never an argument: every user of the machine sees arguments.
 */
export async function run(args: string[]): Promise<number> {
  if (args.length > 0) {
    process.stdout.write(HASH_HELP);
    return args[0] === '--help' || args[0] === '-h' ? 0 : 2;
  }
  const password = process.stdin.isTTY ? await typed() : await piped();
  if ([...password].length < AUTH.PASSWORD_CHARS_MIN) {
    const message = `the password must have ${AUTH.PASSWORD_CHARS_MIN} characters or more`;
    throw new CraError('INVALID_ARGUMENT', message);
  }
  process.stdout.write(`${await hashPassword(password)}\n`);
  return 0;
}

const HASH_HELP = `usage: cra hash-password

Reads a password from the terminal, without showing it, or from standard input, and prints the
hash for SERVICE_ADMIN_PASSWORD_HASH. Put that in single quotes in shells: it has dollar signs.
`;

/** Standard input, without the line break that ends it. */
async function piped(): Promise<string> {
  const bytes = await readAll(process.stdin, AUTH.PASSWORD_BYTES_MAX, 'the password');
  const text = bytes.toString('utf8').replace(/\r?\n$/, '');
  if (/[\r\n]/.test(text)) {
    throw new CraError('INVALID_ARGUMENT', 'the password must be one line');
  }
  return text;
}

async function typed(): Promise<string> {
  const password = await ask('Password: ');
  if (password === (await ask('Once more: '))) return password;
  throw new CraError('INVALID_ARGUMENT', 'the two passwords differ: run the command again');
}

/** Asks without an echo. */
async function ask(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const interrupted = new AbortController();
  lines.once('SIGINT', () => interrupted.abort());
  lines.once('close', () => interrupted.abort());
  try {
    return await lines.question('', { signal: interrupted.signal });
  } catch {
    throw new CraError('CANCELLED', 'no password was given');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
