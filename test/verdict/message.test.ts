import test from 'ava';
import type { MessageHints } from '../../src/verdict/features.ts';
import { readMessage } from '../../src/verdict/message.ts';

const NONE: MessageHints = { fix: 0, revert: 0, refactor: 0, feature: 0, trivial: 0 };

const MESSAGES: readonly (readonly [string, Partial<MessageHints>])[] = [
  ['', {}],
  ['Raise the limit', {}],
  ['Fix a crash in the parser', { fix: 1 }],
  ['Raise the limit\n\nFixes #12: a race', { fix: 1 }],
  ['Prefix the keys', {}],
  ['Revert "Enable TLS"', { revert: 1, feature: 1 }],
  ['Clean up the loader', { refactor: 1 }],
  ['Add retries', { feature: 1 }],
  ['Raise the limit\n\nAdd retries, rename things, typo', {}],
  ['typo in docs', { trivial: 1 }],
];

for (const [message, hints] of MESSAGES) {
  test(`readMessage of ${JSON.stringify(message)}`, (t) => {
    t.deepEqual(readMessage(message), { ...NONE, ...hints });
  });
}
