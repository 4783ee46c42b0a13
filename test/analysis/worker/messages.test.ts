import test from 'ava';
import { messageFindings } from '../../../src/analysis/worker/messages.ts';
import { createCancelFlag } from '../../../src/core/cancel-flag.ts';
import { gateTools, type RunOptions } from './gates-run.ts';

const COMMIT = 'a'.repeat(40);
const TAG = 'b'.repeat(64);
const TOKEN = 'tok_12345678';
const AUTHOR = 'author Ann <ann@example.com> 1700000000 +0000';

/** An object as `git cat-file --batch` writes it; one character a byte. */
function object(id: string, kind: string, text: string): Buffer {
  return Buffer.from(`${id} ${kind} ${text.length}\n${text}\n`, 'latin1');
}

function commit(message: string, id = COMMIT): Buffer {
  return object(id, 'commit', `tree ${COMMIT}\nparent ${COMMIT}\n${AUTHOR}\n\n${message}`);
}

function find(objects: Buffer, options?: RunOptions) {
  return messageFindings(objects, gateTools(options), createCancelFlag());
}

const hidden: readonly [what: string, objects: Buffer, where: string][] = [
  ['a commit message', commit(`Add key\n\nkey = ${TOKEN}\n`), 'commit aaaaaaaaaaaa'],
  ['a message without a last line break', commit(`key = ${TOKEN}`), 'commit aaaaaaaaaaaa'],
  ['the text behind a NUL', commit(`Add\0key = ${TOKEN}\n`), 'commit aaaaaaaaaaaa'],
  ['a line that looks like a diff', commit(`@@ -1 +1 @@\n-x\n+${TOKEN}\n`), 'commit aaaaaaaaaaaa'],
  ['a line that looks like an object', commit(`${TAG} tag 9\n${TOKEN}\n`), 'commit aaaaaaaaaaaa'],
  ['the second of two commits', Buffer.concat([commit('x\n', TAG), commit(TOKEN)]), 'commit aaaa'],
  [
    'an annotated tag',
    object(TAG, 'tag', `object ${COMMIT}\ntype commit\ntag v1\ntagger A <a>\n\n${TOKEN}\n`),
    'annotated tag bbbbbbbbbbbb',
  ],
  ['the name of an author', object(COMMIT, 'commit', `author ${TOKEN} <a>\n\n`), 'commit aaaa'],
];

for (const [what, objects, where] of hidden) {
  test(`a secret in ${what} is high, and names the object`, async (t) => {
    const [finding, ...others] = await find(objects);
    t.deepEqual(others, []);
    t.like(finding, { id: 'secret-token', severity: 'high', file: null, line: null });
    t.true(finding?.message.includes(`in the message of ${where}`), finding?.message);
    t.false(JSON.stringify(finding).includes(TOKEN));
  });
}

test('a message without a secret has no finding, whatever else the rules match', async (t) => {
  t.deepEqual(await find(commit('DROP TABLE users;\n')), []);
  t.deepEqual(await find(Buffer.alloc(0)), []);
});

test('a marker in a message suppresses nothing; an accepted fingerprint does', async (t) => {
  const objects = commit(`# cra-ignore secret-*: old\nkey = ${TOKEN} # cra-ignore secret-*: old\n`);
  const [open] = await find(objects);
  t.is(open?.suppressed, null);
  const [accepted] = await find(objects, {
    findAccepted: async ({ fingerprints: [fingerprint = ''] }) => ({
      accepted: [{ fingerprint, reason: 'a dead token' }],
    }),
  });
  t.truthy(accepted?.suppressed);
});

test('of an object that was cut nothing is taken for the next one', async (t) => {
  const cut = commit(`${COMMIT} commit 20\n${TOKEN}\n`).subarray(0, -30);
  t.deepEqual(await find(cut), []);
});
