import { createHash, createPrivateKey, createPublicKey, verify as verifyBytes } from 'node:crypto';
import test from 'ava';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import {
  addLeaf,
  EMPTY_FRONTIER,
  follow,
  leafHash,
  NO_ENTRY,
  newChain,
  nodeHash,
  place,
  rootOf,
} from '../../src/audit/chain.ts';
import {
  createCheckpointSigner,
  createCheckpointVerifier,
  readUnverified,
} from '../../src/audit/checkpoint.ts';
import { readEntry } from '../../src/audit/entry.ts';
import { isIncluded } from '../../src/audit/inclusion.ts';
import { ENTRY } from '../../src/audit/limits.ts';
import type { AuditEvent } from '../../src/model/audit.ts';
import { someRuns } from '../some-cases.ts';
import { createProvingTree, isConsistent } from './merkle-proof.ts';
import { EVENT, FORGER, OPEN, SIGNER } from './trail.ts';

const ROOT = createHash('sha256').update('root').digest();
const CHECKPOINT = { chain: '20261121T100000Z-1', size: 1234, root: ROOT };

test('a checkpoint is a signed note, byte by byte', (t) => {
  const note = SIGNER.sign(CHECKPOINT);
  const [body = '', signature = ''] = note.split('\n\n');
  t.is(`${body}\n`, `cra-audit/20261121T100000Z-1\n1234\n${ROOT.toString('base64')}\n`);
  const [, encoded = ''] = /^— cra-audit (\S+)\n$/.exec(signature) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const [name, keyId = '', key] = SIGNER.verifierKey.split('+', 3);
  t.is(name, 'cra-audit');
  t.is(bytes.subarray(0, 4).toString('hex'), keyId);
  t.is(Buffer.from(key ?? '', 'base64')[0], 1);
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const der = Buffer.concat([prefix, Buffer.alloc(32, 7)]);
  const publicKey = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  t.true(verifyBytes(null, Buffer.from(`${body}\n`), publicKey, bytes.subarray(4)));
});

test('the key of RFC 8032 test 1 gives the public key of that section', (t) => {
  const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
  const { verifierKey } = createCheckpointSigner(Buffer.from(seed, 'hex'));
  const bytes = Buffer.from(verifierKey.split('+').slice(2).join('+'), 'base64');
  t.is(bytes.toString('hex'), '01d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
});

test('a checkpoint opens with its key alone', (t) => {
  const note = SIGNER.sign(CHECKPOINT);
  t.deepEqual(OPEN(note), CHECKPOINT);
  t.is(createCheckpointVerifier(FORGER.verifierKey)(note), null);
  t.is(OPEN(FORGER.sign(CHECKPOINT)), null);
  t.deepEqual(readUnverified(note), CHECKPOINT);
});

test('a checkpoint with any changed, missing or added character does not open', (t) => {
  const note = SIGNER.sign(CHECKPOINT);
  for (let at = 0; at < note.length; at += 1) {
    const other = note[at] === 'A' ? 'B' : 'A';
    t.is(OPEN(`${note.slice(0, at)}${other}${note.slice(at + 1)}`), null, `changed ${at}`);
    t.is(OPEN(`${note.slice(0, at)}${note.slice(at + 1)}`), null, `missing ${at}`);
  }
  for (const wrong of [`${note}\n`, ` ${note}`, `${note}${note}`, '', '\n\n', 'a\n\nb\n']) {
    t.is(OPEN(wrong), null);
  }
});

test('a checkpoint opens with signatures of others beside its own', (t) => {
  const note = SIGNER.sign(CHECKPOINT);
  const [body = '', own = ''] = note.split('\n\n');
  const witness = '— witness.example/w1 AAAABBBB\n';
  t.deepEqual(OPEN(`${body}\n\n${witness}${own}`), CHECKPOINT);
  t.deepEqual(OPEN(`${body}\n\n${own}${witness}`), CHECKPOINT);
  t.is(OPEN(`${body}\n\n${witness}`), null);
  t.is(OPEN(`${body}\n\n${own}not a signature\n`), null);
});

test('what is not a checkpoint of a chain is not signed', (t) => {
  for (const wrong of [
    { ...CHECKPOINT, chain: 'a\nb' },
    { ...CHECKPOINT, chain: '' },
    { ...CHECKPOINT, size: 0 },
    { ...CHECKPOINT, size: 1.5 },
    { ...CHECKPOINT, size: 2 ** 53 },
    { ...CHECKPOINT, root: ROOT.subarray(1) },
  ]) {
    t.throws(() => SIGNER.sign(wrong), { instanceOf: RangeError });
  }
});

test('a text that is not a key is refused', (t) => {
  t.throws(() => createCheckpointSigner(Buffer.alloc(31)), { instanceOf: RangeError });
  const { verifierKey } = SIGNER;
  const [name, id, ...key] = verifierKey.split('+');
  for (const wrong of [
    '',
    `other+${id}+${key.join('+')}`,
    `${name}+00000000+${key.join('+')}`,
    `${name}+${id}+${Buffer.concat([Buffer.of(2), Buffer.alloc(32)]).toString('base64')}`,
    `${verifierKey}=`,
  ]) {
    t.throws(() => createCheckpointVerifier(wrong), { message: /not a public key/ });
  }
});

/**
 * Known answers of the Certificate Transparency reference implementation
 * (google/certificate-transparency, merkle_tree_test): leaves and the roots over the first n.
 */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => leafHash(Buffer.from(hex, 'hex')));
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
/** From the same tests: leaf and size (from 1 there), path. */
const PATHS: readonly (readonly [index: number, size: number, path: readonly string[]])[] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
];

const SIZE_MAX = 300;
const MANY = Array.from({ length: SIZE_MAX }, (_, index) => leafHash(`leaf ${index}`));

/** MTH of RFC 6962 2.1, as it is written there. */
function recursiveRoot(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return rootOf(EMPTY_FRONTIER);
  if (leaves.length === 1) return only;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(recursiveRoot(leaves.slice(0, split)), recursiveRoot(leaves.slice(split)));
}

function hex(hashes: readonly Buffer[]): string[] {
  return hashes.map((hash) => hash.toString('hex'));
}

test('roots are the known answers of RFC 6962 trees', (t) => {
  const tree = createProvingTree(LEAVES);
  let frontier = EMPTY_FRONTIER;
  for (const [size, root] of ROOTS.entries()) {
    t.is(rootOf(frontier).toString('hex'), root);
    t.is(tree.root(size).toString('hex'), root);
    frontier = addLeaf(frontier, size, LEAVES[size] ?? leafHash(''));
  }
});

test('inclusion proofs are the known answers', (t) => {
  const tree = createProvingTree(LEAVES);
  for (const [index, size, path] of PATHS) t.deepEqual(hex(tree.inclusion(index, size)), path);
});

test('consistency proofs equal the example in RFC 6962 2.1.3', (t) => {
  const tree = createProvingTree(LEAVES.slice(0, 7));
  const node = (from: number, to: number) => recursiveRoot(LEAVES.slice(from, to));
  const c = node(2, 3);
  const d = node(3, 4);
  const g = node(0, 2);
  t.deepEqual(hex(tree.consistency(3, 7)), hex([c, d, g, node(4, 7)]));
  t.deepEqual(hex(tree.consistency(4, 7)), hex([node(4, 7)]));
  t.deepEqual(hex(tree.consistency(6, 7)), hex([node(4, 6), node(6, 7), node(0, 4)]));
});

test('the frontier gives the root of the recursive definition for sizes from 0 to 300', (t) => {
  let frontier = EMPTY_FRONTIER;
  const tree = createProvingTree(MANY);
  for (let size = 0; size <= SIZE_MAX; size += 1) {
    const expected = recursiveRoot(MANY.slice(0, size));
    if (!rootOf(frontier).equals(expected)) t.fail(`frontier of ${size}`);
    if (!tree.root(size).equals(expected)) t.fail(`tree of ${size}`);
    frontier = addLeaf(frontier, size, MANY[size] ?? leafHash(''));
  }
  t.pass();
});

test('addLeaf refuses a frontier of another size', (t) => {
  t.throws(() => addLeaf(EMPTY_FRONTIER, 1, leafHash('')), { instanceOf: RangeError });
});

const PROVEN_MAX = 40;

test('every inclusion proof up to size 40 holds, and only for its leaf, place and root', (t) => {
  const tree = createProvingTree(MANY);
  const other = leafHash('another');
  for (let size = 1; size <= PROVEN_MAX; size += 1) {
    const head = { size, root: tree.root(size) };
    for (let index = 0; index < size; index += 1) {
      const leaf = MANY[index] ?? other;
      const proof = tree.inclusion(index, size);
      const right = isIncluded(leaf, index, head, proof);
      const wrong = [
        isIncluded(other, index, head, proof),
        isIncluded(leaf, index + 1, head, proof),
        isIncluded(leaf, index, { size, root: other }, proof),
        isIncluded(leaf, index, head, [...proof, other]),
        size > 1 && isIncluded(leaf, index, head, proof.slice(1)),
      ];
      if (!right || wrong.includes(true)) t.fail(`${index} of ${size}: ${right} ${wrong}`);
    }
  }
  t.pass();
});

test('every consistency proof up to size 40 holds, and only for its two trees', (t) => {
  const tree = createProvingTree(MANY);
  const other = leafHash('another');
  for (let size = 1; size <= PROVEN_MAX; size += 1) {
    const larger = { size, root: tree.root(size) };
    for (let from = 1; from <= size; from += 1) {
      const smaller = { size: from, root: tree.root(from) };
      const proof = tree.consistency(from, size);
      const right = isConsistent(smaller, larger, proof);
      const wrong = [
        isConsistent({ size: from, root: other }, larger, proof),
        isConsistent(smaller, { size, root: other }, proof),
        isConsistent(smaller, larger, [...proof, other]),
        proof.length > 0 && isConsistent(smaller, larger, proof.slice(0, -1)),
        proof.length > 0 && isConsistent(smaller, larger, [other, ...proof.slice(1)]),
      ];
      if (!right || wrong.includes(true)) t.fail(`${from} in ${size}: ${right} ${wrong}`);
    }
  }
  t.pass();
});

test('proofs about trees that are not there are refused', (t) => {
  const tree = createProvingTree(LEAVES);
  for (const wrong of [
    () => tree.root(9),
    () => tree.inclusion(8, 8),
    () => tree.inclusion(0, 0),
    () => tree.inclusion(-1, 8),
    () => tree.inclusion(0.5, 8),
    () => tree.consistency(0, 8),
    () => tree.consistency(8, 7),
  ]) {
    t.throws(wrong, { instanceOf: RangeError });
  }
  const root = tree.root(8);
  t.false(isIncluded(root, 0, { size: 0, root }, []));
  t.false(isIncluded(root, Number.NaN, { size: 8, root }, []));
  t.false(isConsistent({ size: 0, root }, { size: 8, root }, []));
  t.false(isConsistent({ size: 9, root }, { size: 8, root }, []));
});

const TIME = { nowMs: Date.parse('2026-11-21T10:00:00.123Z'), monoMs: 12.7 };
const CHAIN = '20261121T100000Z-1';

test('place puts an event behind the newest entry', (t) => {
  const first = place(newChain(CHAIN), EVENT, TIME);
  t.is(first.entry.seq, 1);
  t.is(first.entry.prev, NO_ENTRY);
  t.is(first.entry.ts, '2026-11-21T10:00:00.123Z');
  t.is(first.entry.mono_ms, 12);
  const second = place(first.state, EVENT, TIME);
  t.is(second.entry.prev, leafHash(first.text).toString('hex'));
  t.is(second.state.size, 2);
  t.deepEqual(follow(first.state, second.text), second.state);
  t.deepEqual(readEntry(second.text), { entry: second.entry, problem: null });
});

const DEEP = JSON.parse('['.repeat(40) + ']'.repeat(40)) as AuditEvent['details'][string];
const REFUSED: Readonly<Record<string, object>> = {
  'a lone surrogate': { reason: 'a\ud800' },
  'a lone surrogate as a name': { details: { '\udfff': 1 } },
  'a fraction': { details: { score: 0.5 } },
  'a number that is not a number': { details: { score: Number.NaN } },
  'a field that is not there': { reason: undefined },
  'a value that is not there': { details: { a: [undefined] } },
  'a field that no entry has': { more: 1 },
  'an unknown kind': { kind: 'other' },
  'an unknown role': { principal: { ...EVENT.principal, role: 'root' } },
  'too much text': { reason: 'x'.repeat(ENTRY.ENTRY_BYTES_MAX) },
  'deep nesting': { details: { deep: DEEP } },
  'no op_id': { op_id: '' },
};
for (const [name, change] of Object.entries(REFUSED)) {
  test(`place refuses ${name}`, (t) => {
    const event = { ...EVENT, ...change } as AuditEvent;
    t.throws(() => place(newChain(CHAIN), event, TIME), { code: 'INVALID_ARGUMENT' });
  });
}

test('newChain refuses a name that a checkpoint could not hold', (t) => {
  for (const name of ['', 'a b', 'a\nb', '-a', 'x'.repeat(101)]) {
    t.throws(() => newChain(name), { instanceOf: RangeError });
  }
});

test('readEntry takes the canonical form alone', (t) => {
  const { text } = place(newChain(CHAIN), EVENT, TIME);
  const entry = JSON.parse(text) as Record<string, unknown>;
  const { actor, ...rest } = entry;
  const wrong = [
    ` ${text}`,
    `${text}\n`,
    JSON.stringify({ ...rest, actor }),
    text.replace('Zoë', 'Zo\\u00eb'),
    text.replace('"seq":1', '"seq":1.0'),
    text.replace('"seq":1', '"seq":1e0'),
    text.replace('"seq":1', '"seq":1,"seq":1'),
    text.replace('hotfix', '\\ud800'),
    text.replace('hotfix', 'hot\\/fix'),
    text.replace('hotfix', 'hot\ud800fix'),
    text.replace('"details":{', '"details":{"z":1,'),
    text.slice(0, -1),
    'null',
    '[]',
    '',
  ];
  for (const one of wrong) {
    const { entry: read, problem } = readEntry(one);
    t.is(read, null, one);
    t.is(typeof problem, 'string');
  }
});

test('readEntry takes details that the canonical form orders in its own way', (t) => {
  // JavaScript lists names that are numbers first and by value, RFC 8785 by their characters.
  const details = { '10': 1, '9': 2, __proto__: null, a: ['\u20ac', '\u0001', '\\ud800', -0] };
  const { text } = place(newChain(CHAIN), { ...EVENT, details }, TIME);
  t.true(text.includes('"10":1,"9":2'));
  t.is(readEntry(text).problem, null);
});

test('readEntry and the library agree on what is canonical', (t) => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ unit: 'binary', maxLength: 3 }), tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  const names = fc.dictionary(fc.string({ maxLength: 3 }), value, { maxKeys: 5 });
  const { text } = place(newChain(CHAIN), EVENT, TIME);
  const entry = JSON.parse(text) as object;
  fc.assert(
    fc.property(names, (details) => {
      const plain = JSON.stringify({ ...entry, details });
      let canonical: string | null = null;
      try {
        canonical = canonicalize({ ...entry, details }) ?? null;
      } catch {
        // A lone surrogate.
      }
      t.is(readEntry(plain).problem === null, plain === canonical);
      if (canonical !== null) t.is(readEntry(canonical).problem, null);
    }),
    { numRuns: someRuns(500) },
  );
});
