import assert from 'node:assert/strict';
import fc from 'fast-check';
import { seenBefore } from '../../../src/analysis/seen-before.ts';
import { type RfcRecord, recordText } from '../../../src/model/records.ts';
import { searchTexts } from '../../../src/model/search.ts';
import type { ListInput, ListSearch } from '../../../src/store/contract/records.ts';
import { skippedGate } from '../../../src/verdict/verdict.ts';
import { decisionOn } from '../fixtures/decisions.ts';
import { sampleFinding, sampleRecord } from '../fixtures/records.ts';
import { type Check, idsOf, insert, list, NOW } from './steps.ts';

const HOUR_MS = 3_600_000;
const ANY: ListSearch = { texts: [], until: null, since: null, examined: 100 };

const withRule = (record: RfcRecord, id: string): RfcRecord => {
  const findings = [{ ...sampleFinding(1), id }];
  return { ...record, gates: { ...record.gates, risk: { ...record.gates.risk, findings } } };
};
const at = (hours: number) => new Date(NOW + hours * HOUR_MS).toISOString();

/** Searches of listRfcs: what is found by texts and times, and how far a page looks. */
export function checkSearch(check: Check): void {
  check('listRfcs finds by all texts beside the other filters', async (t, { store, trail }) => {
    const record = (rfc_id: string, over: Partial<RfcRecord> = {}) =>
      sampleRecord({ rfc_id, overall_status: 'BLOCKED', ...over });
    const fix = { commit_message: 'Fix the login\n\nLong text about payments' };
    await insert(store, withRule(record('RFC-1', fix), 'vuln-01'));
    await insert(store, withRule(record('RFC-2', { repo_name: 'acme/shop' }), 'vuln-01'));
    await insert(store, record('RFC-3', { ...fix, overall_status: 'DRAFT' }));
    const of = async (texts: string[], by: Partial<ListInput> = {}) =>
      (await list(store, { search: { ...ANY, texts }, ...by })).summaries.map(idsOf);
    t.deepEqual(await of(['rule:vuln-01']), ['RFC-2', 'RFC-1']);
    t.deepEqual(await of(['rule:vuln-01', 'word:login']), ['RFC-1']);
    t.deepEqual(await of(['word:login', 'rule:vuln-01', 'severity:high', 'word:fix']), ['RFC-1']);
    t.deepEqual(await of(['rule:vuln-01'], { repo: 'ACME/shop' }), ['RFC-2']);
    t.deepEqual(await of(['word:login'], { status: 'DRAFT' }), ['RFC-3']);
    t.deepEqual(await of(['word:payments']), []);
    t.deepEqual(await of(['word:log']), []);
    t.deepEqual(await of(['word:login'], { tenant_id: 'other' }), []);
    t.deepEqual(await of(['word:login'], { component: 'web' }), []);
    t.deepEqual(await of(["word:' OR 1", '$where', '']), []);

    const judged = withRule(record('RFC-3', { ...fix, rev: 2 }), 'vuln-02');
    await store.completeDraft({ record: recordText(judged), expectedRev: 1 });
    t.deepEqual(await of(['rule:vuln-02', 'word:login']), ['RFC-3']);
    const again = withRule({ ...judged, rev: 3 }, 'vuln-03');
    await store.reviseRfc({ record: recordText(again), from: 'BLOCKED', expectedRev: 2 });
    t.deepEqual(await of(['rule:vuln-02']), []);
    t.deepEqual(await of(['rule:vuln-03']), ['RFC-3']);
    const id = { tenant_id: 'default', rfc_id: 'RFC-3' };
    await trail.decide(decisionOn(id, 'op-1'));
    t.deepEqual(await of(['rule:vuln-03'], { status: 'OVERRIDDEN' }), ['RFC-3']);
    await trail.decide(decisionOn(id, 'op-2', { action: 'delete' }));
    t.deepEqual(await of(['rule:vuln-03']), []);
  });

  check('countFacets counts what a list finds, without excluded texts', async (t, { store }) => {
    const record = (rfc_id: string, over: Partial<RfcRecord> = {}) =>
      sampleRecord({ rfc_id, overall_status: 'BLOCKED', ...over });
    await insert(store, withRule(record('RFC-1'), 'vuln-01'));
    await insert(store, withRule(record('RFC-2', { repo_name: 'ACME/shop' }), 'vuln-01'));
    await insert(store, withRule(record('RFC-3', { repo_name: 'acme/shop' }), 'vuln-02'));
    await insert(store, record('RFC-4', { overall_status: 'DRAFT', commit_message: 'One' }));
    await insert(store, withRule(record('RFC-5', { tenant_id: 'other' }), 'vuln-03'));
    const of = async (by: object = {}, without: string[] = []) => {
      const asked = { tenant_id: 'default', status: null, repo: null, search: null, without };
      const { counted, more, ...facets } = await store.countFacets({ ...asked, ...by });
      const said = Object.entries(facets).map(([name, values]) => [
        name,
        values.map(({ value, count }) => `${value} ${count}`).join(),
      ]);
      t.false(more);
      return { counted, ...Object.fromEntries(said) };
    };
    t.like(await of(), { counted: 4, status: 'blocked 3,draft 1', rule: 'vuln-01 2,vuln-02 1' });
    const blocked = await of({ status: 'BLOCKED' });
    t.like(blocked, { counted: 3, status: 'blocked 3', severity: 'high 3', component: '' });
    t.regex(blocked.repo, /acme\/shop 2/);
    t.like(await of({ repo: 'Acme/Shop' }, ['rule:vuln-01']), { counted: 1, rule: 'vuln-02 1' });
    const search = { ...ANY, texts: ['word:one'] };
    t.like(await of({ search }), { counted: 1, status: 'draft 1' });
    t.like(await of({ search, repo: 'acme/shop' }), { counted: 0, repo: '' });
  });

  check('seenBefore tells what earlier changes of the repository hold', async (t, { store }) => {
    const record = (rfc_id: string, hours: number, prints: string[], over: object = {}) => {
      const made = sampleRecord({ rfc_id, created_at: at(hours), ...over });
      const findings = prints.map((print, n) => ({
        ...sampleFinding(n),
        fingerprint: print.repeat(64),
      }));
      return { ...made, gates: { ...made.gates, ast: { ...made.gates.ast, findings } } };
    };
    const override = { by: 'ann', at: at(1), reason: 'known' } as never;
    const all = [
      record('RFC-1', 0, ['a'], { overall_status: 'OVERRIDDEN', override }),
      record('RFC-2', 1, ['a'], { branch: 'other' }),
      record('RFC-3', 2, ['b'], { repo_name: 'acme/elsewhere' }),
      record('RFC-4', 3, ['c']),
      record('RFC-5', 4, ['a', 'b', 'c', 'b']),
      record('RFC-6', 5, ['b']),
    ];
    for (const one of all) await insert(store, one);
    const seen = async (index: number) => {
      const { findings } = await seenBefore(store, all[index] as RfcRecord);
      return findings.map(({ fingerprint, is_new, before, more }) => [
        fingerprint.slice(0, 1),
        is_new,
        before.map(idsOf).join(),
        more,
      ]);
    };
    t.deepEqual(await seen(4), [
      ['a', true, 'RFC-2,RFC-1', false],
      ['b', true, '', false],
      ['c', false, 'RFC-4', false],
    ]);
    t.deepEqual(await seen(0), [['a', null, '', false]]);
    const { findings, previous } = await seenBefore(store, all[4] as RfcRecord);
    const [{ before } = { before: [] }] = findings;
    t.is(before[1]?.overall_status, 'OVERRIDDEN');
    t.deepEqual(before[1]?.override, override);
    t.like(previous, { rfc_id: 'RFC-4', gone: [], gone_total: 0 });
    const last = await seenBefore(store, all[5] as RfcRecord);
    t.is(last.previous?.gone_total, 2);
    t.is(new Set(last.previous?.gone.map(({ title }) => title)).size, 2);
    t.is((await seenBefore(store, all[0] as RfcRecord)).previous, null);
    const clean = sampleRecord({ rfc_id: 'RFC-7', created_at: at(6) });
    await insert(store, clean);
    t.like(await seenBefore(store, clean), { findings: [], previous: { gone_total: 1 } });
    const open = skippedGate('pending');
    const unjudged = ['DRAFT', 'SUPERSEDED', 'REJECTED', 'BLOCKED'] as const;
    const later = unjudged.map((overall_status, n) => ({
      ...sampleRecord({ rfc_id: `RFC-${8 + n}`, created_at: at(7 + n), overall_status }),
      gates: { risk: open, ast: open, llm: open },
    }));
    for (const one of later) {
      await insert(store, one);
      const { previous: before } = await seenBefore(store, one);
      t.like(before, { rfc_id: 'RFC-7', gone: [], gone_total: 0 }, one.overall_status);
    }
    const next = record('RFC-12', 12, ['b']);
    t.like(await seenBefore(store, next), {
      findings: [{ is_new: true }],
      previous: { rfc_id: 'RFC-7' },
    });
  });

  check('listRfcs finds by time, with texts and without', async (t, { store }) => {
    for (const hours of [0, 1, 2, 3]) {
      await insert(store, sampleRecord({ rfc_id: `RFC-${hours}`, created_at: at(hours) }));
    }
    for (const texts of [[], ['word:main']]) {
      const of = async (search: Partial<ListSearch>, by: Partial<ListInput> = {}) =>
        await list(store, { search: { ...ANY, texts, ...search }, ...by });
      const ids = async (search: Partial<ListSearch>) => (await of(search)).summaries.map(idsOf);
      t.deepEqual(await ids({ until: at(1) }), ['RFC-1', 'RFC-0']);
      t.deepEqual(await ids({ until: at(1.5), since: at(0.5) }), ['RFC-1']);
      t.deepEqual(await ids({ since: at(2) }), ['RFC-3', 'RFC-2']);
      t.deepEqual(await ids({ since: at(4) }), []);
      t.deepEqual(await ids({ until: at(-1) }), []);
      const first = await of({ since: at(2) }, { limit: 1 });
      t.deepEqual(first.summaries.map(idsOf), ['RFC-3']);
      const second = await of({ since: at(2) }, { limit: 1, cursor: first.next_cursor });
      t.deepEqual(second.summaries.map(idsOf), ['RFC-2']);
    }
  });

  check('a search of frequent texts looks at the records of the rarest', async (t, { store }) => {
    for (let n = 0; n < 12; n += 1) {
      const commit_message = n % 3 === 0 ? 'common rare' : 'common';
      await insert(store, sampleRecord({ rfc_id: `RFC-${n}`, commit_message }));
    }
    // SQLite indexes the texts of 128 records at once, and reads those of newer records.
    const newer = Array.from({ length: 130 }, (_, n) => sampleRecord({ rfc_id: `RFC-new-${n}` }));
    await Promise.all(newer.map((record) => insert(store, record)));
    for (const texts of [
      ['word:common', 'word:rare'],
      ['word:rare', 'word:common'],
    ]) {
      const page = await list(store, { search: { ...ANY, texts, examined: 3 } });
      t.deepEqual(page.summaries.map(idsOf), ['RFC-9', 'RFC-6', 'RFC-3']);
    }
  });

  check('listRfcs: a walk of a search meets each once, however far a page looks', async (t, h) => {
    const { store } = h;
    const row = fc.record({
      word: fc.constantFrom('one', 'two', 'one two', 'three'),
      status: fc.constantFrom('PASSED' as const, 'BLOCKED' as const),
    });
    const by = fc.record({
      texts: fc.constantFrom(['word:one'], ['word:two', 'word:one'], ['word:one', 'word:main']),
      status: fc.constantFrom(null, 'BLOCKED' as const),
      examined: fc.integer({ min: 1, max: 6 }),
      limit: fc.integer({ min: 1, max: 4 }),
    });
    let runs = 0;
    const property = fc.asyncProperty(fc.array(row, { maxLength: 20 }), by, async (rows, asked) => {
      runs += 1;
      const tenant_id = `searched-${runs}`;
      const records = rows.map(({ word, status: overall_status }, n) =>
        sampleRecord({
          rfc_id: `RFC-${runs}-${n}`,
          tenant_id,
          overall_status,
          commit_message: word,
        }),
      );
      for (const record of records) await insert(store, record);
      const { texts, status, examined, limit } = asked;
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const search = { ...ANY, texts: [...texts], examined };
        const page = await list(store, { tenant_id, status, limit, cursor, search });
        found.push(...page.summaries.map(idsOf));
        assert.ok(page.summaries.length <= limit);
        cursor = page.next_cursor;
      } while (cursor !== null);
      const expected = records.filter((record) => {
        const has = new Set(searchTexts(record));
        const isOf = status === null || record.overall_status === status;
        return isOf && texts.every((text) => has.has(text));
      });
      assert.deepEqual(found.toSorted(), expected.map(idsOf).toSorted());
    });
    await t.notThrowsAsync(fc.assert(property, { numRuns: 25 }));
  });
}
