import test from 'ava';
import { randomness } from '../../../src/gates/patterns/randomness.ts';

const WORDS = ['correct-horse-battery', 'getApiKeyFromConfig', 'client_credentials', 'hunter2'];
const RANDOM = ['q8Zr2Lw5Nn7Yt1Vb3Kc6', 'xqmztplkvb', 'f8Jn2kdF', '7c9e01d4b35fa826'];

for (const text of WORDS) {
  test(`randomness is low for the words ${text}`, (t) => {
    t.true(randomness(Buffer.from(text)) < 0.3, `${randomness(Buffer.from(text))}`);
  });
}

for (const text of RANDOM) {
  test(`randomness is high for ${text}`, (t) => {
    t.true(randomness(Buffer.from(text)) > 0.5, `${randomness(Buffer.from(text))}`);
  });
}

test('randomness counts nothing where there are no neighbours to judge', (t) => {
  for (const text of ['', 'a', '1234567890', '....', 'a-b-c', '\u00e4\u00f6\u00fc']) {
    t.is(randomness(Buffer.from(text)), 0, text);
  }
});

test('randomness favours a mixture of letters, digits and signs', (t) => {
  t.true(randomness(Buffer.from('Winter-2024')) < 0.42);
  t.true(randomness(Buffer.from('Winter2024!')) > randomness(Buffer.from('Winter2024')));
});
