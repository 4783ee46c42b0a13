import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import test from 'ava';

const FOLDER = 'dist/docs';
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.\w+$/.test(name),
);
const pages = new Map(
  files
    .filter((name) => name.endsWith('.html'))
    .map((name) => [name, readFileSync(`${FOLDER}/${name}`, 'utf8')]),
);

test('each link of the handbook leads to a page and a heading that exist', (t) => {
  t.true(pages.size > 2_000);
  const known = new Set(files);
  const anchors = new Map(
    [...pages].map(([name, html]) => [name, new Set(html.match(/(?<= id=")[^"]+/g))]),
  );
  const dead: string[] = [];
  for (const [name, html] of pages) {
    for (const [, link = ''] of html.matchAll(/ (?:href|src|srcset)="([^"]+)"/g)) {
      if (/^(?:[a-z]+:|\/api\/)/.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? name : posix.join(posix.dirname(name), path);
      const isThere = anchor === undefined || anchors.get(target)?.has(decodeURIComponent(anchor));
      if (!known.has(target) || !isThere) dead.push(`${name}: ${link}`);
    }
  }
  t.deepEqual(dead, []);
});

test('no page of the handbook holds a style or a script of its own', (t) => {
  const inline = [...pages].filter(([, html]) =>
    /<[^>]* (?:style|on\w+)=|<style|<script(?! type="module" src=)/i.test(html),
  );
  t.deepEqual(
    inline.map(([name]) => name),
    [],
  );
});

test('the search names each rule by its id and title', (t) => {
  const entries: [title: string, address: string, text: string][] = JSON.parse(
    readFileSync(`${FOLDER}/search.json`, 'utf8'),
  );
  const found = new Set(entries.map(([, address]) => address.split('#')[0]));
  t.deepEqual(
    [...pages.keys()].filter((name) => !found.has(name)),
    ['rules/unlisted.html'],
  );
  t.truthy(entries.find(([title]) => title === 'vuln-03: SQL or NoSQL injection'));
});
