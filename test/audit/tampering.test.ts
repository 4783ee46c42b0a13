import test from 'ava';
import { createRandom } from '../../bench/random.ts';
import { follow, newChain, rootOf } from '../../src/audit/chain.ts';
import type { Flaw } from '../../src/audit/chain-check.ts';
import type { Checkpoint } from '../../src/audit/checkpoint.ts';
import { createPatrol } from '../../src/audit/continuity.ts';
import type { AuditSource } from '../../src/audit/source.ts';
import type { AuditEntry } from '../../src/model/audit.ts';
import { someOf } from '../some-cases.ts';
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

/** 400 entries: 3 chains, two of them with a tail behind the last checkpoint. */
const SIZES: readonly (readonly [chain: string, size: number, checkpointEvery: number])[] = [
  ['20261121T100000Z-1', 160, 40],
  ['20261121T110000Z-2', 140, 60],
  ['20261121T120000Z-3', 100, 60],
];

/** Short, as 2,400 trails of these are read below. */
const SMALL = { principal: null, reason: 'so', details: {} };

function makeTrail(): Trail {
  const writers: ChainWriter[] = [];
  for (const [name, size, every] of SIZES) {
    const writer = startChain(name);
    boot(writer, writers.slice(-1));
    while (writer.state.size < size) {
      if (writer.state.size % every === 0) writer.checkpoint();
      else if (writer.state.size % 7 === 3 && writer.state.size + 2 < size) writeTwoPhases(writer);
      else writer.write(SMALL);
    }
    writers.push(writer);
  }
  return new Map(writers.map(({ state, texts }) => [state.chain, texts]));
}

/** As a store writes that cannot write operation and entry together. */
function writeTwoPhases(writer: ChainWriter): void {
  const { op_id } = writer.write({ ...SMALL, kind: 'approve', phase: 'intent' });
  if (writer.state.size % 40 === 0 || writer.state.size % 60 === 0) writer.write(SMALL);
  writer.write({ ...SMALL, kind: 'approve', phase: 'done', op_id });
}

const TRAIL = makeTrail();
const PLACES = [...TRAIL].flatMap(([chain, texts]) =>
  texts.map((_text, index) => ({ chain, seq: index + 1 })),
);
const random = createRandom(9);

/** Signatures are checked once: the trails below hold the same few. */
const opened = new Map<string, Checkpoint | null>();
function open(note: string): Checkpoint | null {
  const known = opened.get(note);
  if (known !== undefined) return known;
  const checkpoint = OPEN(note);
  opened.set(note, checkpoint);
  return checkpoint;
}

/**
 * The trail with one chain in another form. That one is read first: what is found does not depend
 * on the order of chains, and 2,400 trails are read here.
 */
function withChain(chain: string, texts: readonly string[]): AuditSource {
  return sourceOf(new Map([[chain, texts], ...[...TRAIL].filter(([name]) => name !== chain)]));
}

function textsOf(chain: string): readonly string[] {
  return TRAIL.get(chain) ?? [];
}

/**
 * Where it shows that the chain was computed anew behind `seq`: at the next checkpoint, which
 * moved by one, else at the end, which a signed note and the next boot entry know.
 */
function nextExternalCheckpoint(chain: string, seq: number): number {
  const texts = textsOf(chain);
  const next = texts.findIndex(
    (text, index) => index >= seq && text.includes('"kind":"checkpoint"'),
  );
  if (next >= 0) return next + 2;
  return seq === texts.length ? seq + 1 : texts.length;
}

interface Place {
  chain: string;
  seq: number;
}

/** As in the messages. */
function place({ chain, seq }: Flaw): string {
  return `${chain} ${seq}`;
}

test('the trail has 400 entries and is in order', async (t) => {
  t.is(PLACES.length, 400);
  const source = sourceOf(TRAIL);
  const { closing, result } = await exported(source);
  t.is(result.flaw, null);
  const { flaw, warnings, summary } = await verify(source, { claims: { omitted: [], closing } });
  t.is(flaw, null);
  t.deepEqual(warnings, []);
  t.is(summary.entries, 400);
  t.is(summary.unsealed, 0);
});

test.serial('a changed character in any entry is found, and which entry it is in', async (t) => {
  const claims = await honestClaims();
  for (const { chain, seq } of someOf(PLACES)) {
    const texts = [...textsOf(chain)];
    texts[seq - 1] = flipped(texts[seq - 1] ?? '');
    const { flaw } = await verify(withChain(chain, texts), { open, claims });
    t.is(flaw && place(flaw), `${chain} ${seq}`, flaw?.reason);
  }
});

test.serial('any deleted entry is found, and which one it is', async (t) => {
  const claims = await honestClaims();
  for (const { chain, seq } of someOf(PLACES, 1)) {
    const texts = textsOf(chain).toSpliced(seq - 1, 1);
    const { flaw } = await verify(withChain(chain, texts), { open, claims });
    t.is(flaw && place(flaw), `${chain} ${seq}`, flaw?.reason);
  }
});

test.serial('any two entries that changed places are found, and the first of them', async (t) => {
  const claims = await honestClaims();
  for (const [index, { chain, seq }] of someOf([...PLACES.slice(0, -1).entries()], 2)) {
    const other = PLACES[index + 1] ?? { chain, seq };
    const { flaw } = await verify(swapped({ chain, seq }, other), { open, claims });
    t.is(flaw && place(flaw), `${chain} ${seq}`, flaw?.reason);
  }
});

test.serial('an entry forged behind any other is found at the next signed root', async (t) => {
  const { closing } = await honestClaims();
  for (const { chain, seq } of someOf(PLACES, 3)) {
    const { texts, sums } = forge(chain, seq);
    // The forger has no key: the signed notes are the old ones.
    const chains = closing.chains.map((said) =>
      said.chain === chain ? { ...said, ...sums } : said,
    );
    const claims = { omitted: [], closing: { chains } };
    const { flaw } = await verify(withChain(chain, texts), { open, claims });
    t.is(flaw && place(flaw), `${chain} ${nextExternalCheckpoint(chain, seq)}`, flaw?.reason);
  }
});

test.serial(
  'a trail that ends behind any entry but the last is found, and what is missing',
  async (t) => {
    const claims = await honestClaims();
    const kept = claims.closing.chains.map(({ note }, index) => {
      const checkpoint = OPEN(note ?? '');
      if (checkpoint === null) throw new Error('the export is not signed');
      return { from: `kept ${index}`, checkpoint };
    });
    for (const [index, here] of someOf([...PLACES.slice(0, -1).entries()], 4)) {
      const next = PLACES[index + 1];
      const expected = `${next?.chain} ${next?.seq}`;
      const byClosing = await verify(truncated(here), { open, claims });
      t.is(byClosing.flaw && place(byClosing.flaw), expected, byClosing.flaw?.reason);
      const byCheckpoint = await verify(truncated(here), { open, kept });
      t.is(byCheckpoint.flaw && place(byCheckpoint.flaw), expected, byCheckpoint.flaw?.reason);
    }
  },
);

async function honestClaims() {
  const { closing } = await exported(sourceOf(TRAIL));
  return { omitted: [], closing };
}

function swapped(a: Place, b: Place): AuditSource {
  const textAt = ({ chain, seq }: Place) => textsOf(chain)[seq - 1] ?? '';
  if (a.chain === b.chain) {
    return withChain(a.chain, textsOf(a.chain).toSpliced(a.seq - 1, 2, textAt(b), textAt(a)));
  }
  const changed = new Map(TRAIL);
  changed.set(a.chain, textsOf(a.chain).with(a.seq - 1, textAt(b)));
  return sourceOf(changed.set(b.chain, textsOf(b.chain).with(b.seq - 1, textAt(a))));
}

/** What is left when the file or the database ends there; chains behind it are empty. */
function truncated({ chain, seq }: Place): AuditSource {
  const names = [...TRAIL.keys()];
  const left = names.map((name): [string, readonly string[]] => {
    const isBefore = names.indexOf(name) < names.indexOf(chain);
    return [name, isBefore ? textsOf(name) : []];
  });
  return sourceOf(
    new Map([[chain, textsOf(chain).slice(0, seq)], ...left.filter(([name]) => name !== chain)]),
  );
}

/** Another character in place of one, so that it still can be read as text. */
function flipped(text: string): string {
  const at = random.between(0, text.length);
  const changed = String.fromCharCode(text.charCodeAt(at) ^ 1);
  return `${text.slice(0, at)}${changed}${text.slice(at + 1)}`;
}

/** The chain with one entry more behind `seq`, all that follows computed anew, and its sums. */
function forge(chain: string, seq: number) {
  const texts = textsOf(chain).slice(0, seq);
  let state = texts.reduce(follow, newChain(chain));
  const add = (text: string) => {
    // Parsed from canonical JSON, the names are in order already.
    const entry = JSON.parse(text) as AuditEntry;
    entry.seq = state.size + 1;
    entry.prev = state.head;
    texts.push(JSON.stringify(entry));
    state = follow(state, texts.at(-1) ?? '');
  };
  add((textsOf(chain)[1] ?? '').replace(/"op_id":"[^"]*"/, '"op_id":"forged"'));
  for (const text of textsOf(chain).slice(seq)) add(text);
  const { size, head, frontier } = state;
  return { texts, sums: { entries: size, head, root: rootOf(frontier).toString('hex') } };
}

test('a patrol finds entries that are removed, changed or cut off while a daemon runs', async (t) => {
  const chains = ['a', 'b'].map((name) => {
    const chain = startChain(name);
    for (let n = 0; n < 25; n += 1) chain.write({});
    return [name, chain.texts] as const;
  });
  const trail = new Map(chains);
  const texts = (chain: string) => trail.get(chain) ?? [];
  const seqOf = (text: string) => (JSON.parse(text) as { seq: number }).seq;
  const source: Parameters<typeof createPatrol>[0] = {
    chains: async () => [...trail.keys()],
    async head(chain) {
      const last = texts(chain).at(-1);
      return last === undefined ? null : { seq: seqOf(last), hash: '' };
    },
    async *entriesFrom(chain, seq) {
      yield* texts(chain).filter((text) => !text.startsWith('{') || seqOf(text) >= seq);
    },
    async *entriesNamed() {},
  };
  const patrol = createPatrol(source, 10);
  const round = async () => {
    for (let step = 0; step < 12; step += 1) await patrol.step();
    return { missing: patrol.missing, problem: patrol.problem };
  };
  t.deepEqual(await round(), { missing: 0, problem: null });
  const whole = [...texts('b')];
  const faults: [fault: () => void, missing: number, at: number][] = [
    [() => texts('b').splice(4, 3), 3, 5],
    [() => texts('b').splice(0, 2), 2, 1],
    [() => texts('b').splice(20), 5, 21],
    [() => texts('b').splice(0), 25, 1],
    [() => texts('b').splice(11, 1, (whole[11] ?? '').replace('"reason":', '"reason": ')), 1, 12],
  ];
  for (const [fault, missing, at] of faults) {
    texts('b').splice(0, 25, ...whole);
    fault();
    const problem = `entry ${at} of chain b was changed or removed`;
    t.deepEqual(await round(), { missing, problem });
  }
  texts('b').splice(0, 25, ...whole);
  t.deepEqual(await round(), { missing: 0, problem: null });
});
