import test from 'ava';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { scanText } from './scan-text.ts';

const rules = compileRules(defaultRules);
const KEY = ['b7e2c9fa14d80536', 'be7f93ac61d2e804'].join('');

const idsIn = (text: string, path: string) => scanText(rules, text, path).map(({ id }) => id);

const TOOLS = [
  'docs/.vitepress/config.ts',
  'website/docusaurus.config.js',
  'packages/website/docusaurusConfig.ts',
  'docs/_templates/sidebarlogo.html',
  'mkdocs.yml',
];

for (const path of TOOLS) {
  test(`the key of a documentation search is public in ${path}`, (t) => {
    t.deepEqual(idsIn(`      apiKey: '${KEY}',\n`, path), []);
  });
}

test('the same key is a secret elsewhere, and other keys are in those files', (t) => {
  t.deepEqual(idsIn(`      apiKey: '${KEY}',\n`, 'src/search.ts'), ['secret-assignment']);
  for (const path of TOOLS.filter((path) => !path.endsWith('.yml'))) {
    t.deepEqual(idsIn(`apiSecret: '${KEY}',\n`, path), ['secret-assignment'], path);
    t.deepEqual(idsIn(`apiKey: '${KEY.slice(0, 24)}',\n`, path), ['secret-assignment'], path);
  }
});
