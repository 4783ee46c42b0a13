import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createKnownSecretFinder, digestSecrets } from '../../src/core/known-secrets.ts';
import { someOf } from '../some-cases.ts';

const TOKEN = ['cra', 'pV8s2-Kd0q_Z7mXw3TnYb5RfGh1LcJe9UoA4iE6'].join('_');
const KEY = Buffer.from('5d1f8e3a9b7c60421f0e9d8c7b6a59483726150493827160a5b4c3d2e1f00112', 'hex');
const PASSWORD = 'st4ging!Db';
const LONGER = 'webhook-secret-20-ch';
const WORDS = 'production-database-of-shops-1';
const NAMES = [TOKEN, KEY, PASSWORD, LONGER, WORDS, 'staging', 'stagingdb', 'staging1'];

const digests = digestSecrets(NAMES);
const find = createKnownSecretFinder(digests);
const hide = (text: string): string => {
  const bytes = Buffer.from(text);
  const marked = Buffer.from(bytes);
  for (const { start, end } of find(bytes)) marked.fill('#', start, end);
  return marked.toString();
};

const hex = KEY.toString('hex');
const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');
const percent = (text: string) =>
  [...text].map((char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** [how a secret stands in a text, text, what must not show]. */
const FOUND: readonly (readonly [how: string, text: string, part: string])[] = [
  ['alone', TOKEN, TOKEN.slice(0, 6)],
  ['in a sentence', `the token ${TOKEN} leaked`, TOKEN.slice(4, 12)],
  ['in double quotes', `"${TOKEN}"`, TOKEN.slice(4, 12)],
  ['in single quotes', `token='${TOKEN}';`, TOKEN.slice(4, 12)],
  ['within a longer run', `abc${TOKEN}def`, TOKEN.slice(4, 12)],
  ['in part', `it began ${TOKEN.slice(3, 37)}…`, TOKEN.slice(4, 12)],
  ['in upper case', TOKEN.toUpperCase(), TOKEN.toUpperCase().slice(4, 12)],
  ['over a line break', `${TOKEN.slice(0, 20)}\n${TOKEN.slice(20)}`, TOKEN.slice(4, 12)],
  ['over indented lines', `${TOKEN.slice(0, 20)}\r\n    ${TOKEN.slice(20)}`, TOKEN.slice(22, 30)],
  ['over a continued line', `${TOKEN.slice(0, 20)}\\\n${TOKEN.slice(20)}`, TOKEN.slice(22, 30)],
  ['with a blank in it', `${TOKEN.slice(0, 20)} ${TOKEN.slice(20)}`, TOKEN.slice(22, 30)],
  ['with a zero-width space', `${TOKEN.slice(0, 20)}\u200b${TOKEN.slice(20)}`, TOKEN.slice(4, 12)],
  ['with a soft hyphen', `${TOKEN.slice(0, 20)}\u00ad${TOKEN.slice(20)}`, TOKEN.slice(4, 12)],
  ['with a mark of byte order', `${TOKEN.slice(0, 9)}\ufeff${TOKEN.slice(9)}`, TOKEN.slice(12, 20)],
  ['with a tag character', `${TOKEN.slice(0, 9)}\u{e0041}${TOKEN.slice(9)}`, TOKEN.slice(12, 20)],
  ['with zero-width joiners all over', [...TOKEN].join('\u200d'), 'K\u200dd\u200d0'],
  ['in joined literals', `"${TOKEN.slice(0, 9)}" + "${TOKEN.slice(9)}"`, TOKEN.slice(12, 20)],
  ['with percent-encoding', percent(TOKEN), percent(TOKEN).slice(12, 30)],
  ['with some percent-encoding', TOKEN.replaceAll('-', '%2D').replaceAll('_', '%5f'), 'Z7mXw3'],
  ['in base64', base64(TOKEN), base64(TOKEN).slice(4, 20)],
  ['in base64 behind one byte', base64(`x${TOKEN}`), base64(`x${TOKEN}`).slice(8, 20)],
  ['in base64 behind two bytes', base64(`xy${TOKEN}z`), base64(`xy${TOKEN}z`).slice(8, 20)],
  ['in base64 of a header', base64(`bob:${TOKEN}`), base64(`bob:${TOKEN}`).slice(10, 30)],
  ['in base64url', Buffer.from(`?>${TOKEN}`).toString('base64url'), 'S2QwcV9aN21Yd'],
  ['in wrapped base64', base64(TOKEN).replace(/(.{20})/g, '$1\n'), base64(TOKEN).slice(22, 38)],
  ['in hex', Buffer.from(TOKEN).toString('hex'), Buffer.from(TOKEN).toString('hex').slice(8, 24)],
  ['a key in lower hex', `key ${hex}`, hex.slice(4, 20)],
  ['a key in upper hex', `key ${hex.toUpperCase()}`, hex.toUpperCase().slice(4, 20)],
  ['a key in base64', `key ${base64(KEY)}`, base64(KEY).slice(4, 20)],
  ['a key in base64url', KEY.toString('base64url'), KEY.toString('base64url').slice(4, 20)],
  ['half a key in hex', hex.slice(10, 44), hex.slice(14, 30)],
  ['a short secret', `it was ${PASSWORD}.`, PASSWORD],
  ['a short secret in quotes', `"${PASSWORD}"`, PASSWORD],
  ['a short secret in an assignment', `pw=${PASSWORD}`, PASSWORD],
  ['a secret of 20 characters in a run', `x${LONGER}y`, LONGER],
  ['a short secret with signs in a word', `mysql -p${PASSWORD} shop`, PASSWORD],
  ['a short secret with an escaped sign', PASSWORD.replace('!', '%21'), 'st4ging%21'],
  ['a short secret with a zero-width space', `st4g\u200bing!Db`, 'ing!Db'],
  ['a short secret in base64', base64(`bob:${PASSWORD}`), base64(`bob:${PASSWORD}`).slice(8, 16)],
  ['a secret of words as people write it', 'production database of shops 1', 'base of shops'],
];

/** How somebody may write a secret so that a reader still has it. */
const WRITTEN: readonly (readonly [how: string, write: (secret: string) => string])[] = [
  ...['\n# ', '\n// ', '\n> ', '\n+', '", "', "' || '", '" & "', '**', '$()', '{}', ')('].map(
    (joint) => [`with ${JSON.stringify(joint)} in it`, every(10, joint)] as const,
  ),
  ...['-', '.', ',', '_', '|', '/', ':', '\u2800', '\u0301', '\u20dd', '\uffa0', '\ue000'].map(
    (joint) => [`with ${JSON.stringify(joint)} between all`, every(1, joint)] as const,
  ),
  ...['\u{1d173}', '\u0600', '\u{13430}', '\u{110bd}', '<wbr>', '<b></b>', '&shy;', '=\n'].map(
    (joint) => [`with ${JSON.stringify(joint)} in it`, every(6, joint)] as const,
  ),
  ['in escapes of JSON', eachCode((code) => `\\u${hexOf(code, 4)}`)],
  ['in escapes of JSON in JSON', eachCode((code) => `\\\\u${hexOf(code, 4)}`)],
  ['in escapes of JavaScript', eachCode((code) => `\\u{${hexOf(code, 1)}}`)],
  ['in escapes of Python', eachCode((code) => `\\U${hexOf(code, 8)}`)],
  ['in bytes of a string', eachCode((code) => `\\x${hexOf(code, 2)}`)],
  ['in octal', eachCode((code) => `\\${code.toString(8).padStart(3, '0')}`)],
  ['in entities', eachCode((code) => `&#${code};`)],
  ['in entities of hex', eachCode((code) => `&#x${hexOf(code, 2)};`)],
  ['in entities of XML in XML', eachCode((code) => `&amp;#${code};`)],
  ['in quoted-printable', eachCode((code) => `=${hexOf(code, 2).toUpperCase()}`)],
  ['in percent-encoding twice', eachCode((code) => `%25${hexOf(code, 2)}`)],
  ['in a dump with colons', (secret) => every(2, ':')(Buffer.from(secret).toString('hex'))],
  ['in a dump with blanks', (secret) => every(2, ' ')(Buffer.from(secret).toString('hex'))],
  ['in an array of bytes', eachCode((code) => `0x${hexOf(code, 2)}, `)],
  ['in full width', eachCode((code) => String.fromCharCode(code + 0xfee0))],
  ['in mathematical letters', eachCode(mathematical)],
  ['in invisible tags', eachCode((code) => String.fromCodePoint(0xe0000 + code))],
  [
    'with a few escapes',
    (secret) => secret.replace(/[a-e]/g, (one) => `\\x${hexOf(one.charCodeAt(0), 2)}`),
  ],
  ['with every case turned', (secret) => secret.replace(/[a-z]/gi, turned)],
];

function every(chars: number, joint: string) {
  return (secret: string) =>
    secret.replace(new RegExp(`(.{${chars}})(?=.)`, 'gs'), (part) => `${part}${joint}`);
}

function eachCode(write: (code: number) => string) {
  return (secret: string) => [...Buffer.from(secret)].map(write).join('');
}

function hexOf(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

function mathematical(code: number): string {
  const char = String.fromCharCode(code);
  if (/[A-Z]/.test(char)) return String.fromCodePoint(0x1d5a0 + code - 65);
  if (/[a-z]/.test(char)) return String.fromCodePoint(0x1d5ba + code - 97);
  return /\d/.test(char) ? String.fromCodePoint(0x1d7e2 + code - 48) : char;
}

function turned(letter: string): string {
  const upper = letter.toUpperCase();
  return letter === upper ? letter.toLowerCase() : upper;
}

test('a known secret is found in whatever way somebody writes it', (t) => {
  t.true(WRITTEN.length >= 50);
  for (const [how, write] of WRITTEN) {
    // A dump of hex digits is another text.
    for (const secret of how.includes('dump') ? [TOKEN] : [TOKEN, hex]) {
      const written = write(secret);
      const shown = hide(`as agreed: ${written} (ann)`);
      const half = written.slice(written.length / 4, (3 * written.length) / 4);
      t.false(shown.includes(half), `${how}: ${shown}`);
      t.true(shown.startsWith('as agreed: ') && shown.endsWith(' (ann)'), shown);
    }
  }
});

for (const [how, text, part] of FOUND) {
  test(`a known secret is found ${how}`, (t) => {
    t.true(text.includes(part), 'the case holds what it says');
    t.false(hide(text).includes(part), hide(text));
  });
}

/** Texts that hold no whole secret. */
const LEFT: readonly string[] = [
  'the staging database was restored, see stagingdb',
  TOKEN.slice(0, 26),
  hex.slice(0, 23),
  'staging12 and mystaging1',
  'the production database of shops',
  PASSWORD.slice(0, -1),
  LONGER.slice(0, -1),
  randomBytes(64).toString('hex'),
  '3f786850e387550fdab836ed7e6dc881de23001b',
  'a sentence of many words about the webhook secret, its length of 20 ch and nothing else',
  '%zz%%4',
  '',
  'a',
];

test('a text without a known secret stays', (t) => {
  for (const text of LEFT) t.is(hide(text), text);
});

test('only the secret is hidden of a text', (t) => {
  const shown = hide(`é the token "${TOKEN}" of staging – gone`);
  t.is(shown, `é the token "${'#'.repeat(TOKEN.length)}" of staging – gone`);
});

test('digests do not hold the secrets, and differ between two processes', (t) => {
  const text = JSON.stringify(digests).toLowerCase();
  for (const secret of [TOKEN, hex, base64(KEY), PASSWORD, LONGER]) {
    t.false(text.includes(secret.slice(0, 8).toLowerCase()));
  }
  t.notDeepEqual(digestSecrets([TOKEN]).groups, digestSecrets([TOKEN]).groups);
});

test('secrets are added to others under one key', (t) => {
  const both = createKnownSecretFinder(digestSecrets([KEY], digestSecrets([TOKEN])));
  t.true(both(Buffer.from(TOKEN)).length > 0);
  t.true(both(Buffer.from(hex)).length > 0);
  t.deepEqual(createKnownSecretFinder(digestSecrets([]))(Buffer.from(TOKEN)), []);
});

/** CPU time of the best of a few runs: other work on the machine only adds to a run. */
function fastestMs(text: Buffer): number {
  const runs = Array.from({ length: 5 }, () => {
    const begin = process.cpuUsage();
    find(text);
    return process.cpuUsage(begin).user / 1_000;
  });
  return Math.min(...runs);
}

test('the search takes linear time', (t) => {
  const texts: readonly ((length: number) => string)[] = [
    (length) => 'a'.repeat(length),
    (length) => TOKEN.repeat(length / TOKEN.length),
    (length) => `${TOKEN.slice(0, 26)}! `.repeat(length / 28),
    (length) => '\\\\'.repeat(length),
    (length) => '<a'.repeat(length / 2),
    (length) => '&amp;'.repeat(length / 5),
    (length) => '%25'.repeat(length / 3),
    (length) => '" + '.repeat(length / 4),
    (length) => `"${' '.repeat(length)}`,
    (length) => '%41'.repeat(length / 3),
    (length) => '\u200b'.repeat(length / 3),
  ];
  for (const make of someOf(texts)) {
    const [one, eight] = [20_000, 160_000].map((length) => fastestMs(Buffer.from(make(length))));
    t.true(
      (eight ?? 0) < 24 * (one ?? 0) + 100,
      `${make(40).slice(0, 40)}: ${one} ms, ${eight} ms`,
    );
  }
});
