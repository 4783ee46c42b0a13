import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { RfcRecord } from '../../../src/model/records.ts';
import type { DryRunReport } from '../../../src/rulebook/rules-dry-run.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { change, newFile, request } from '../../daemon.ts';
import { leak } from './bad-code.ts';
import { houseForAll } from './house.ts';
import { MAIN, PushedRepository } from './pushed-repository.ts';

const COMPONENTS = [
  { id: 'web', paths: ['web/**'] },
  { id: 'pay', paths: ['pay/**'] },
];
const [vulnerability] = defaultRules.vulnerability_patterns;
const pattern = (id: string, regex: string) => ({
  id,
  description: `The word ${regex}`,
  severity: 'high',
  regex,
  message: 'the word is there',
  source: 'https://wiki.example/words',
  examples: { match: [`${regex} = 1`], noMatch: ['another'] },
});
/** Few rules: all of them take seconds to load and to change. */
const FEW = {
  version: 1,
  secret_patterns: defaultRules.secret_patterns.filter(
    ({ id }) => id === 'secret-aws-access-key-id',
  ),
  risk_patterns: [pattern('risk-old-word', 'OLD_WORD')],
  vulnerability_patterns: [vulnerability],
  allowlists: [],
};
const NEXT = { ...FEW, risk_patterns: [pattern('risk-new-word', 'NEW_WORD')] };

const path = join(mkdtempSync(join(tmpdir(), 'cra-dry-run-')), 'rules.json');
writeFileSync(path, JSON.stringify({ ...FEW, components: COMPONENTS }));
const house = houseForAll(test, {
  times: { retryMs: [50], graceMs: 200, pollMs: 100, sweepMs: 3_600_000 },
  env: { SERVICE_RULES_PATH: path },
});

async function tried(rules: object, query = ''): Promise<DryRunReport> {
  const url = `${house().daemon.url}/rules/dry-run${query}`;
  const { status, body } = await request(url, { method: 'POST', body: JSON.stringify(rules) });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data as DryRunReport;
}

const isAbout =
  ({ rfc_id }: Pick<RfcRecord, 'rfc_id'>) =>
  (one: { rfc_id: string }) =>
    one.rfc_id === rfc_id;

test.serial('rules are tried on pushes by the diffs of the mirror', async (t) => {
  const repo = new PushedRepository(house(), 'dry/shop');
  repo.commit({ 'README.md': 'read me\n', 'web/a.txt': 'a\n', 'pay/a.txt': 'a\n' });
  const quiet = await repo.judge({ 'web/quiet.txt': 'quiet\n' });
  const fresh = await repo.judge({ 'web/new.txt': 'NEW_WORD = 1\n' });
  const old = await repo.judge({ 'pay/old.txt': 'OLD_WORD = 1\n' });
  t.is(old.overall_status, 'BLOCKED');
  // Its range has the push before it, which is refused, as well.
  const standing = await repo.push({ 'web/b.txt': 'b\n' });
  const standingRecord = await repo.verdict(standing);
  await repo.decide(old.rfc_id, 'override');
  await repo.decide(standing.rfcId, 'override');
  const moved = await repo.judge({ 'web/new.txt': null, 'pay/new.txt': 'NEW_WORD = 1\n' });
  const secret = await repo.judge({ 'web/env.sh': leak('dry') }, { ref: 'refs/heads/leak' });
  const refused = await repo.judge({ 'pay/x.txt': 'x\n' }, { ref: 'refs/heads/refused' });
  t.is(refused.overall_status, 'PASSED');
  await repo.decide(refused.rfc_id, 'reject');
  const again = await repo.verdict(await repo.move('refs/heads/again', refused.commit_sha));
  t.is(again.overall_status, 'BLOCKED');
  const orphan = await repo.judge(
    { 'web/orphan.txt': 'NEW_WORD = 1\n' },
    { ref: 'refs/heads/orphan', from: null },
  );
  t.is(orphan.push?.base, null);
  const { body } = await request(`${house().daemon.url}/analyze`, {
    method: 'POST',
    body: JSON.stringify(change(newFile('web/sent.txt', 'NEW_WORD = 1\n'))),
  });

  const report = await tried({ ...NEXT, components: COMPONENTS });
  const of = (record: Pick<RfcRecord, 'rfc_id'>) => report.changed.find(isAbout(record));
  const gone = report.left_out.reduce((sum, { count }) => sum + count, 0);
  t.is(report.checked + gone, report.looked_at.rfcs);
  t.is(report.looked_at.from_store, 1);
  t.is(report.looked_at.from_mirror, report.checked - 1);
  t.is(report.looked_at.from, quiet.created_at);
  t.true((report.looked_at.until ?? '') > (report.looked_at.from ?? ''));
  t.true(report.looked_at.bytes > 0);

  t.is(of(quiet), undefined, 'nothing of it matches');
  t.like(of(fresh), { from: 'PASSED', to: 'BLOCKED', new_rules: ['risk-new-word'] });
  t.deepEqual(of(fresh)?.components, [{ id: 'web', from: 'PASSED', to: 'BLOCKED' }]);
  t.like(of(old), { from: 'BLOCKED', to: 'PASSED', gone_rules: ['risk-old-word'] });
  t.deepEqual(of(old)?.components, [{ id: 'pay', from: 'BLOCKED', to: 'PASSED' }]);
  // What stands as another push judged it is said of that one.
  t.deepEqual(standingRecord.components?.map(({ id }) => id).sort(), ['pay', 'web']);
  t.deepEqual(of({ rfc_id: standing.rfcId })?.components, []);
  const target = of(moved)?.components.find(({ id }) => id === 'pay');
  t.like(target, { from: 'PASSED', to: 'BLOCKED' }, 'a file that moves to a component');
  t.is(of(secret), undefined, 'a secret blocks under both');
  t.is(of(again), undefined, 'a rejected commit is refused whatever the rules are');
  t.like(of(orphan), { from: 'PASSED', to: 'BLOCKED' });
  t.like(of(body.data), { from: 'PASSED', to: 'BLOCKED' });
  // Components that the rules of then had not.
  const parts = [...COMPONENTS, { id: 'texts', paths: ['web/*.txt'] }];
  const more = await tried({ ...NEXT, components: parts });
  const texts = more.changed.find(isAbout(fresh))?.components;
  t.true(texts?.some(({ id, to }) => id === 'texts' && to === 'BLOCKED'));
  t.is((await tried(NEXT, '?limit=1')).looked_at.rfcs, 1);
});

function removeMirrors(): void {
  const folder = join(house().dataDir, 'mirrors');
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
}

test.serial('what the mirror does not have any more is said, and the rest is tried', async (t) => {
  const repo = new PushedRepository(house(), 'dry/gone');
  repo.commit({ 'README.md': 'read me\n' });
  const kept = await repo.judge({ 'web/kept.txt': 'NEW_WORD = 1\n' });
  const lost = await repo.judge({ 'web/lost.txt': 'NEW_WORD = 1\n' }, { ref: 'refs/heads/lost' });
  // The host forgets the branch, and the daemon its mirrors.
  repo.set('refs/heads/lost', null);
  repo.git('reflog', 'expire', '--expire=now', '--all');
  repo.git('gc', '--quiet', '--prune=now');
  removeMirrors();
  const rules = { ...NEXT, components: COMPONENTS };
  const first = await tried(rules, '?limit=2');
  t.deepEqual(
    first.changed.map(({ rfc_id }) => rfc_id),
    [kept.rfc_id],
  );
  t.is(first.skipped, 1, JSON.stringify(first));
  t.like(first.left_out[0], { reason: 'commit-gone', count: 1 });
  t.regex(first.left_out[0]?.detail ?? '', new RegExp(lost.commit_sha ?? 'no commit'));
  // Without the host and the mirrors nothing of the two can be had.
  const { dir } = repo.hosted;
  renameSync(dir, `${dir}.away`);
  removeMirrors();
  const second = await tried(rules, '?limit=2');
  renameSync(`${dir}.away`, dir);
  t.deepEqual([second.checked, second.skipped, second.unreached], [0, 2, 0]);
  t.like(second.left_out, [{ reason: 'mirror-unavailable', count: 2 }]);
  t.truthy(second.left_out[0]?.detail);
  t.is((await repo.judge({ 'web/more.txt': 'more\n' })).overall_status, 'PASSED');
  t.is(repo.head(MAIN) === null, false);
});
