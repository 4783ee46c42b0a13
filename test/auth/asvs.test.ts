import { readFileSync } from 'node:fs';
import test from 'ava';

const ROW = /^\| \d+ \| .+ \| `(test\/[\w./-]+)`: (.+) \|$/;

/** The tree above the compiled tests. */
const root = new URL('../../../', import.meta.url);

test('docs/asvs.md names tests that there are', (t) => {
  const rows = readFileSync(new URL('docs/asvs.md', root), 'utf8')
    .split('\n')
    .filter((line) => /^\| \d/.test(line));
  t.true(rows.length >= 29);
  for (const line of rows) {
    const [, file = '', title = ''] = ROW.exec(line) ?? [];
    const source = readFileSync(new URL(file, root), 'utf8');
    const titles = [...source.matchAll(/\btest\(\s*(['`])(.+?)\1,/g)].map(([, , found]) => found);
    const plain = titles.map((found) => found?.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '...'));
    t.true(plain.includes(title), `${file}: ${title}`);
  }
});
