import test from 'ava';
import { request } from '../../daemon.ts';
import {
  diffOf,
  type FileChange,
  filesOf,
  openWorld,
  type Protocol,
  reviewed,
  settled,
  type World,
} from './review-world.ts';

/** A finding that blocks, by what the model quotes, and how many lines of the file remain fixed. */
interface Case {
  about: string;
  /** The lines of the first file; NAME becomes the name of the case. */
  added?: string[];
  removed?: string[];
  before?: string[];
  file?: number;
  quote: string;
  /** Where the finding stands; null: the quote is nowhere. */
  side: 'added' | 'removed' | 'context' | null;
}

const CASES: readonly Case[] = [
  {
    about: 'an added line',
    quote: "  total = total.plus(priceOf('NAME', items[3]));",
    side: 'added',
  },
  {
    about: 'a removed line',
    quote: "  total = oldPriceOf('NAME', items);",
    side: 'removed',
  },
  {
    about: 'a line of 7 characters',
    added: ["use('NAME');", 'calc(x)'],
    quote: 'calc(x)',
    side: 'added',
  },
  { about: 'a line of 1 character', added: ["use('NAME');", '}'], quote: '}', side: 'added' },
  {
    about: 'a removed short line',
    removed: ["use('NAME');", 'lock()'],
    quote: 'lock()',
    side: 'removed',
  },
  {
    about: 'a context line',
    before: ['  render(items, total);'],
    quote: '  render(items, total);',
    side: 'context',
  },
  { about: 'a short context line', before: ['  go();'], quote: 'go();', side: 'context' },
  { about: 'a quote that is nowhere', quote: 'system(request.body)', side: null },
  { about: 'no quote', quote: '', side: null },
  { about: 'no file and no line', file: 9, quote: 'system(request.body)', side: null },
  {
    about: 'a line that is nearly right',
    quote: "total = total.plus(priceOf('NAME', items[2]))",
    side: 'added',
  },
];

const SHAPES: readonly [string, (files: FileChange[]) => string][] = [
  ['other line numbers', (files) => diffOf(files, { start: 300 })],
  ['another order of files', (files) => diffOf(files.toReversed())],
  ['other headers', (files) => diffOf(files, { index: '', times: '\t2026-01-02' })],
  ['CRLF', (files) => diffOf(files).replaceAll('\n', '\r\n')],
  [
    'another indentation',
    (files) =>
      diffOf(files.map((file) => ({ ...file, added: file.added.map((one) => `\t${one} `) }))),
  ],
];

const undo: (() => unknown)[] = [];
const worlds = {} as Record<Protocol, World>;

test.before(async () => {
  const t = { teardown: (step: () => unknown) => undo.push(step) };
  for (const protocol of ['anthropic', 'openai'] as const) {
    worlds[protocol] = await openWorld(t, protocol);
  }
});

test.after.always(() => {
  for (const step of undo.reverse()) step();
});

const BLOCKED = { overall_status: 'BLOCKED' };

for (const protocol of ['anthropic', 'openai'] as const) {
  for (const [index, one] of CASES.entries()) {
    test.serial(`${protocol}: what blocked blocks the same text again: ${one.about}`, async (t) => {
      const { scripts, daemon } = worlds[protocol];
      const name = `fail-${index}`;
      const named = (line: string) => line.replace('NAME', name);
      const [file, other] = filesOf(name);
      const { added = file.added, removed = file.removed, before = file.before } = one;
      const own = {
        ...file,
        added: added.map(named),
        removed: removed.map(named),
        before: before.map(named),
      };
      const files = [own, other];
      const finding = {
        file: one.file ?? 1,
        side: one.side ?? 'added',
        line: 11,
        quote: named(one.quote),
        class: 'backdoor',
        attacker_input: 'yes',
        guard: '',
        why: 'it is hidden',
      };
      scripts.set(name, { kind: 'answer', findings: [finding] });
      const first = await settled(daemon.url, diffOf(files));
      t.like(first, BLOCKED);
      t.is(first.gates.llm.status, 'fail');
      scripts.set(name, { kind: 'answer' });
      for (const [about, make] of SHAPES) {
        const again = await settled(daemon.url, make(files));
        t.like(again, BLOCKED, about);
        t.like(again.gates.llm.findings[0], { id: 'llm-backdoor', severity: 'critical' }, about);
      }
      const asked = await reviewed(daemon.url, first.rfc_id);
      t.like(asked, BLOCKED, 'another review only adds');

      // A change of what was found is another text, and has another chance.
      const isQuoted = (line: string) => line.includes('items[2]') || line.includes('items[3]');
      const kept = own.added.filter((line) => line.trim().length > 7 && !isQuoted(line));
      const fixed = { ...own, removed: [], added: [...kept, '  verify(items, total);'] };
      const read = await settled(daemon.url, diffOf([fixed, other]));
      t.is(read.overall_status, 'PASSED', 'the fix passes');

      const override = { actor: 'a', reason: 'it is meant to be so', accept_findings: true };
      const body = JSON.stringify(override);
      const { rfc_id } = await settled(daemon.url, diffOf(files, { start: 500 }));
      await request(`${daemon.url}/rfc/${rfc_id}/override`, { method: 'POST', body });
      const accepted = await settled(daemon.url, diffOf(files, { start: 600 }));
      // No decision accepts what is about the change as a whole.
      const expected = one.file === undefined ? 'PASSED' : 'BLOCKED';
      t.is(accepted.overall_status, expected, 'a decision ends it');
    });
  }
}
