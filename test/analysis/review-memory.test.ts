import test from 'ava';
import { openMemory } from '../../src/analysis/review-memory.ts';
import { lineKey, type MemoryEntry } from '../../src/gates/review/memory.ts';
import { planReview } from '../../src/gates/review/prompt.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import type { ReviewLine } from '../../src/model/review.ts';
import type { ReviewStore } from '../../src/store/contract/records.ts';
import { judgedPush, samplePush } from '../store/fixtures/pushes.ts';
import { sampleRecord } from '../store/fixtures/records.ts';

const KEY = new Uint8Array(32).fill(7);
const LINES = Array.from({ length: 30 }, (_, at) => `statement number ${at} of the file;`);

/** What is remembered, by repository. */
function createStore() {
  const kept = new Map<string, MemoryEntry[]>();
  const of = (key: string) => kept.get(key) ?? [];
  const store = {
    async recallFindings({ repo_key, lineKeys }: { repo_key: string; lineKeys: string[] }) {
      return { found: of(repo_key).filter(({ line_key }) => lineKeys.includes(line_key)) };
    },
    async rememberFindings(input: { repo_key: string; findings: MemoryEntry[] }) {
      kept.set(input.repo_key, [...of(input.repo_key), ...input.findings]);
    },
    async forgetFindings(input: { repo_key: string; findings: Omit<MemoryEntry, 'json'>[] }) {
      const isGone = (one: MemoryEntry) =>
        input.findings.some(({ line_key, kind }) => one.line_key === line_key && one.kind === kind);
      kept.set(
        input.repo_key,
        of(input.repo_key).filter((one) => !isGone(one)),
      );
    },
  };
  return store as unknown as ReviewStore;
}

function memoryOf(record: RfcRecord, store: ReviewStore) {
  const lines = LINES.map((text, at): ReviewLine => ({ number: at + 1, side: 'added', text }));
  const plan = planReview([{ path: 'a.js', priority: 1, lines }]);
  const lineKeys = plan.chunks.map(({ hunks }) =>
    hunks.flatMap((hunk) => hunk.lines.map((line) => lineKey(KEY, line, hunk.path))),
  );
  const now = () => new Date('2026-11-24T12:00:00Z');
  const memory = openMemory(record, { plan, lineKeys }, { store, key: KEY, now });
  const [chunk] = plan.chunks;
  if (chunk === undefined) throw new Error('nothing to review');
  return { memory, chunk, heldFor: async () => (await memory.recall()).heldFor(chunk) };
}

function pushed(repo_name: string, repository_id: string): RfcRecord {
  const { push, ...record } = judgedPush(samplePush({ rfc_id: 'RFC-A', repo_name }));
  return { ...record, repo_name, push: push && { ...push, repository_id } };
}

test('a repository that was renamed, and a diff submitted by its name, have its memory', async (t) => {
  const store = createStore();
  const first = memoryOf(pushed('acme/shop', '7'), store);
  await first.memory.recall();
  await first.memory.rememberUnread(first.chunk, 'refused');
  const others: [string, RfcRecord, boolean][] = [
    ['the same', pushed('acme/shop', '7'), true],
    ['another name', pushed('acme/store', '7'), true],
    ['other letters', pushed('ACME/Shop', '7'), true],
    ['submitted', sampleRecord({ rfc_id: 'RFC-B', repo_name: 'acme/shop' }), true],
    ['another repository', pushed('acme/other', '8'), false],
    [
      'submitted for another repository',
      sampleRecord({ rfc_id: 'RFC-B', repo_name: 'acme/other' }),
      false,
    ],
  ];
  for (const [name, record, isHeld] of others) {
    t.is(await memoryOf(record, store).heldFor(), isHeld ? 'refused' : null, name);
  }
  const asked = memoryOf(pushed('acme/shop', '7'), store);
  await asked.memory.recall();
  await asked.memory.forgetUnread();
  t.is(await memoryOf(pushed('acme/store', '7'), store).heldFor(), null, 'a person asked for it');
});
