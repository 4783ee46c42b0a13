import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { createRandom } from '../../bench/random.ts';
import { leafHash } from '../../src/audit/chain.ts';
import { createCheckpointSigner } from '../../src/audit/checkpoint.ts';
import { isIncluded } from '../../src/audit/inclusion.ts';
import { createProvingTree, isConsistent } from '../audit/merkle-proof.ts';
import { hasGo } from './go-tool.ts';

/** The program that checks; Go fetches golang.org/x/mod for it. */
const PROGRAM = fileURLToPath(new URL('../../../test/interop/sumdb/', import.meta.url));

const LEAVES_MAX = 5_000;
const SIZES = 1_000;
const NOTES = 50;

function check(input: object): string[] {
  const options = { cwd: PROGRAM, encoding: 'utf8', input: JSON.stringify(input) } as const;
  return execFileSync('go', ['run', '-mod=readonly', '.'], options).trim().split('\n');
}

function base64(hashes: readonly Buffer[]): string[] {
  return hashes.map((hash) => hash.toString('base64'));
}

test('sumdb/note opens our checkpoints, sumdb/tlog agrees on roots and proofs', (t) => {
  if (!hasGo(t)) return;
  const random = createRandom(6962);
  const leaves = Array.from({ length: LEAVES_MAX }, (_, i) => `entry ${i} ${random.next()}`);
  const hashes = leaves.map(leafHash);
  const tree = createProvingTree(hashes);
  const proofs = Array.from({ length: SIZES }, () => {
    const size = random.between(1, LEAVES_MAX + 1);
    const index = random.between(0, size);
    const from = random.between(1, size + 1);
    const inclusion = tree.inclusion(index, size);
    const consistency = tree.consistency(from, size);
    const head = { size, root: tree.root(size) };
    t.true(isIncluded(hashes[index] ?? leafHash(''), index, head, inclusion));
    t.true(isConsistent({ size: from, root: tree.root(from) }, head, consistency));
    return {
      size,
      root: head.root.toString('base64'),
      index,
      inclusion: base64(inclusion),
      from,
      consistency: base64(consistency),
    };
  });
  const signer = createCheckpointSigner(createHash('sha256').update('seed').digest());
  const notes = proofs.slice(0, NOTES).map(({ size }) => {
    return signer.sign({ chain: '20261121T100000Z-0f', size, root: tree.root(size) });
  });
  const texts = notes.map((note) => note.slice(0, note.indexOf('\n\n') + 1));
  const input = { key: signer.verifierKey, notes, texts, leaves, proofs };
  t.deepEqual(check(input), [`checked ${NOTES} notes, ${SIZES} sizes`]);

  // The program must be able to say no.
  const note = notes[0] ?? '';
  const first = proofs[0];
  const broken = {
    ...input,
    notes: [note.replace('\n\n', '0\n\n'), ...notes.slice(1)],
    proofs: [{ ...first, consistency: [], inclusion: base64(hashes.slice(0, 1)) }],
  };
  t.is(check(broken).length, 3);
});
