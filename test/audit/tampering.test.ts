import test from 'ava';
import { createRandom } from '../../bench/random.ts';
import type { AuditSource } from '../../src/audit/audit.ts';
import { type ChainState, follow, newChain } from '../../src/audit/chain.ts';
import type { Flaw } from '../../src/audit/chain-check.ts';
import type { Checkpoint } from '../../src/audit/checkpoint.ts';
import type { AuditEntry } from '../../src/domain/audit.ts';
import {
  boot,
  type ChainWriter,
  exported,
  OPEN,
  sourceOf,
  startChain,
  type Trail,
  verify,
} from './trail.ts';

/** 1,000 entries: 3 chains, two of them with a tail behind the last checkpoint. */
const SIZES: readonly (readonly [chain: string, size: number, checkpointEvery: number])[] = [
  ['20261121T100000Z-1', 400, 40],
  ['20261121T110000Z-2', 350, 60],
  ['20261121T120000Z-3', 250, 60],
];

function makeTrail(): Trail {
  const writers: ChainWriter[] = [];
  for (const [name, size, every] of SIZES) {
    const writer = startChain(name);
    boot(writer, writers.slice(-1));
    while (writer.state.size < size) {
      if (writer.state.size % every === 0) writer.checkpoint();
      else if (writer.state.size % 7 === 3 && writer.state.size + 2 < size) writeTwoPhases(writer);
      else writer.write({});
    }
    writers.push(writer);
  }
  return new Map(writers.map(({ state, texts }) => [state.chain, texts]));
}

/** As a store writes that cannot join deed and entry. */
function writeTwoPhases(writer: ChainWriter): void {
  const { op_id } = writer.write({ kind: 'approve', phase: 'intent' });
  if (writer.state.size % 40 === 0 || writer.state.size % 60 === 0) writer.write({});
  writer.write({ kind: 'approve', phase: 'done', op_id });
}

const TRAIL = makeTrail();
const PLACES = [...TRAIL].flatMap(([chain, texts]) =>
  texts.map((_text, index) => ({ chain, seq: index + 1 })),
);
const random = createRandom(9);

/** Signatures are checked once: the 1,000 trails below hold the same few. */
const opened = new Map<string, Checkpoint | null>();
function open(note: string): Checkpoint | null {
  const known = opened.get(note);
  if (known !== undefined) return known;
  const checkpoint = OPEN(note);
  opened.set(note, checkpoint);
  return checkpoint;
}

/** The trail with one chain in another form. */
function withChain(chain: string, texts: Iterable<string>): AuditSource {
  return sourceOf(TRAIL, (name) => (name === chain ? texts : (TRAIL.get(name) ?? [])));
}

function textsOf(chain: string): readonly string[] {
  return TRAIL.get(chain) ?? [];
}

/** Where the next entry from `seq` on stands that something else vouches for. */
function nextWitness(chain: string, seq: number): number {
  const texts = textsOf(chain);
  const next = texts.findIndex(
    (text, index) => index >= seq - 1 && text.includes('"kind":"checkpoint"'),
  );
  return next < 0 ? texts.length : next + 1;
}

function place({ chain, seq }: Flaw): string {
  return `${chain} ${seq}`;
}

test('the trail has 1,000 entries and is in order', async (t) => {
  t.is(PLACES.length, 1000);
  const source = sourceOf(TRAIL);
  const { closing, result } = await exported(source);
  t.is(result.flaw, null);
  const { flaw, warnings, summary } = await verify(source, { claims: { omitted: [], closing } });
  t.is(flaw, null);
  t.deepEqual(warnings, []);
  t.is(summary.entries, 1000);
  t.is(summary.unsealed, 0);
});

test('a flipped bit in any entry is found, and which entry it is in', async (t) => {
  const { closing } = await exported(sourceOf(TRAIL));
  const start = performance.now();
  for (const { chain, seq } of PLACES) {
    const texts = [...textsOf(chain)];
    texts[seq - 1] = flipped(texts[seq - 1] ?? '');
    const claims = { omitted: [], closing };
    const { flaw } = await verify(withChain(chain, texts), { open, claims });
    t.is(flaw && place(flaw), `${chain} ${seq}`, flaw?.reason);
  }
  t.log(performance.now() - start);
});

/** Another character in place of one, so that it still can be read as text. */
function flipped(text: string): string {
  const at = random.between(0, text.length);
  const code = text.charCodeAt(at);
  return `${text.slice(0, at)}${String.fromCharCode(code ^ 1)}${text.slice(at + 1)}`;
}
