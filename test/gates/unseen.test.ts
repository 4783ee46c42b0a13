import test from 'ava';
import { parseDiff } from '../../src/diff/parse.ts';
import { unseenFindings } from '../../src/gates/unseen.ts';
import { KEY, newFile } from './risk/scan-text.ts';

/** `severity id` of what could not be looked at. */
function unseen(diff: string | Buffer): string[] {
  const bytes = Buffer.from(diff);
  return unseenFindings(bytes, parseDiff(bytes), KEY).map(
    ({ id, severity }) => `${severity} ${id}`,
  );
}

const binary = (path: string) =>
  `diff --git a/${path} b/${path}\nBinary files a/${path} and b/${path} differ\n`;

const SOURCES = [
  'src/app.js',
  'src/App.vue',
  'src/App.svelte',
  'lib/a.mts',
  'page.astro',
  'views/a.erb',
  'views/a.ejs',
  'a.jsp',
  'run.cmd',
  'a.zsh',
  'Rakefile',
  'ops/Containerfile',
  'prod.tfvars',
  'yarn.lock',
  'go.mod',
  'logo.svg',
  '.github/CODEOWNERS',
  '.npmrc',
  '.env.production',
];

for (const path of SOURCES) {
  test(`${path} as binary blocks: nobody has read it`, (t) => {
    t.deepEqual(unseen(binary(path)), ['high binary-file']);
  });
}

test('images and fonts as binary are noted, other data is pointed out', (t) => {
  for (const path of ['a.png', 'a.woff2', 'b/a.JPG']) {
    t.deepEqual(unseen(binary(path)), ['info binary-file']);
  }
  for (const path of ['a.zip', 'a.svgz', 'model.bin', 'a.js.gz', 'Makefile/a.dat']) {
    t.deepEqual(unseen(binary(path)), ['medium binary-file']);
  }
});

const OID = `oid sha256:${'0a'.repeat(32)}`;
const POINTER = `version https://git-lfs.github.com/spec/v1\n${OID}\nsize 12\n`;

test('a Git LFS pointer is pointed out, and blocks where code is behind it', (t) => {
  t.deepEqual(unseen(newFile(POINTER, 'data/model.bin')), ['medium outside-diff']);
  t.deepEqual(unseen(newFile(POINTER, 'data/cities.json')), ['medium outside-diff']);
  t.deepEqual(unseen(newFile(POINTER, 'src/app.js')), ['high outside-diff']);
});

test('a Git LFS pointer is known without the context around it', (t) => {
  const changed = (path: string, oid: string) =>
    `--- a/${path}\n+++ b/${path}\n@@ -2 +2 @@\n-oid sha256:${'b'.repeat(64)}\n+${oid}\n`;
  t.deepEqual(unseen(changed('model.bin', OID)), ['medium outside-diff']);
  t.deepEqual(unseen(changed('src/app.js', OID)), ['high outside-diff']);
  t.deepEqual(unseen(changed('notes.txt', `${OID} is the object`)), []);
});

const moved = (from: string, to: string, how = 'rename') =>
  `diff --git a/${from} b/${to}\nsimilarity index 100%\n${how} from ${from}\n${how} to ${to}\n`;

test('text that becomes code by a rename or copy blocks: as code it was never read', (t) => {
  t.deepEqual(unseen(moved('notes.txt', 'src/app.js')), ['high outside-diff']);
  t.deepEqual(unseen(moved('data.bin', 'bin/run.sh', 'copy')), ['high outside-diff']);
  t.deepEqual(unseen(moved('src/a.js', 'src/b.ts')), []);
  t.deepEqual(unseen(moved('Makefile', 'rules.mk')), []);
  t.deepEqual(unseen(moved('README.txt', 'docs/README.md')), []);
  t.deepEqual(unseen(moved('src/app.js', 'notes.txt')), []);
});
