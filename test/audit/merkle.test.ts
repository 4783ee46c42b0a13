import test from 'ava';
import { addLeaf, EMPTY_FRONTIER, leafHash, nodeHash, rootOf } from '../../src/audit/merkle.ts';
import { createProvingTree, isConsistent, isIncluded } from '../../src/audit/merkle-proof.ts';

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

test('consistency proofs are those of the example in RFC 6962 2.1.3', (t) => {
  const tree = createProvingTree(LEAVES.slice(0, 7));
  const node = (from: number, to: number) => recursiveRoot(LEAVES.slice(from, to));
  const [c, d, g] = [node(2, 3), node(3, 4), node(0, 2)];
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
