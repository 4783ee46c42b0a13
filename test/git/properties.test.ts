import test from 'ava';
import fc from 'fast-check';
import { parseDiff } from '../../src/diff/parse.ts';
import type { Blob } from '../diff/repository.ts';
import { APP, openWithHost } from './opened.ts';

const RUNS = 8;

const name = fc.constantFrom(
  'a.js',
  'b.py',
  'dir/c.txt',
  'dir/ d "e".md',
  'x b/x',
  'n\u00c3\u00af',
);
const line = fc.constantFrom(
  'one',
  'two',
  '--- a/x',
  '+++ b/x',
  '@@ -1 +1 @@',
  'diff --git a b',
  '',
);
const content = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
const blob: fc.Arbitrary<Blob> = fc.oneof(
  fc.record({ name, data: content, mode: fc.constantFrom('100644' as const, '100755' as const) }),
  fc.record({ name, data: fc.constant(null) }),
  fc.record({ name, data: fc.constant('target'), mode: fc.constant('120000' as const) }),
);
/** The last change of a name counts: a commit has each file once. */
const files = fc.uniqueArray(blob, { minLength: 1, maxLength: 5, selector: (one) => one.name });

test('diff has the bytes of git diff by hand, whatever the history', async (t) => {
  const { host, source } = await openWithHost(t);
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(files, { minLength: 2, maxLength: 4 }), async (commits) => {
      const repository = host.repository(`team/app-${count++}`);
      const app = { ...APP, repo_full_name: `team/app-${count - 1}` };
      const ids = commits.map((one) => repository.commit(one));
      const [base = '', head = ''] = [ids[0], ids.at(-1)];
      const changed = await source.diff({ ...app, base, head });
      const options = ['--no-color', '--full-index', '-M', '--submodule=short'];
      const expected = repository.git('-c', 'core.quotePath=false', 'diff', ...options, base, head);
      t.deepEqual(Buffer.from(changed.diff), expected);
      t.is(changed.commits, ids.length - 1);
      const { problems } = parseDiff(changed.history ?? new Uint8Array());
      t.deepEqual(problems, []);
    }),
    { numRuns: RUNS },
  );
});
