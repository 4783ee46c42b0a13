import { readFileSync } from 'node:fs';
import test from 'ava';

const ROW = /^\| (\d+) \| .+? \| (.+) \|$/;
const NAMED = /^`(test\/[\w./-]+)`: (.+)$/;

/** The tree above the compiled tests. */
const root = new URL('../../../', import.meta.url);

/** Titles of the tests in a file; `...` for what stands in `${}`. */
function titlesIn(file: string): string[] {
  const source = readFileSync(new URL(file, root), 'utf8');
  return [...source.matchAll(/\btest(?:\.serial)?\(\s*(['"`])(.+?)\1,/g)].map(([, , title = '']) =>
    title.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '...'),
  );
}

test('docs/asvs.md names tests that there are for each of its 30 statements', (t) => {
  const rows = readFileSync(new URL('docs/asvs.md', root), 'utf8')
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => ROW.exec(line) ?? []);
  const thirty = Array.from({ length: 30 }, (_, index) => String(index + 1));
  t.deepEqual(
    rows.map(([, number]) => number),
    thirty,
  );
  for (const [line, , names = ''] of rows) {
    for (const name of names.split('<br>')) {
      const [, file, title = ''] = NAMED.exec(name) ?? [];
      if (file === undefined) t.fail(line);
      else t.true(titlesIn(file).includes(title), name);
    }
  }
});
