import { readFileSync } from 'node:fs';
import test from 'ava';
import { RULES_FILE } from '../../src/model/rules.ts';
import { buildRules, readBuiltInRules } from '../../src/rulebook/active-rules.ts';
import { someOf } from '../some-cases.ts';

/** The text of a section of a page below docs/, up to the next one of any level. */
function sectionOf(title: string, page = 'reference/rules'): string {
  const text = readFileSync(`docs/${page}.md`, 'utf8');
  const from = text.search(new RegExp(`^##+ ${title}$`, 'm'));
  return text.slice(from, text.indexOf('\n##', from + 1));
}

function jsonOf(title: string, page?: string): string {
  return /```json\n([\s\S]+?)```/.exec(sectionOf(title, page))?.[1] ?? '';
}

const { properties } = RULES_FILE;
const PATTERN = properties.risk_patterns.items;
const REQUIRED = {
  'the file': RULES_FILE.required,
  'a pattern': PATTERN.required,
  '`examples` of a pattern': PATTERN.properties.examples.required,
  'an entry of `allowlists`': [],
  'an entry of `accepted`': properties.accepted.items.required,
  'an entry of `components`': properties.components.items.required,
  'an entry of `freezes`': properties.freezes.items.required,
  'an entry of `ast.catalogue`': properties.ast.properties.catalogue.items.required,
  'an entry of `pipeline.modes`': properties.pipeline.properties.modes.items.required,
} as const;

test('docs/reference/rules.md names the fields that the schema requires', (t) => {
  const rows = sectionOf('Required fields').matchAll(/^\| (.+?) \| (.*?)\|/gm);
  const named = [...rows].slice(1).map(([, part, fields]) => [part, fields?.match(/\w+/g) ?? []]);
  t.deepEqual(Object.fromEntries(named), REQUIRED as never);
});

test('the example with every part loads, and no required field of it can be left out', async (t) => {
  const text = jsonOf('Required fields');
  const build = (given: string) => buildRules({ name: 'rules', text: given, isToml: false });
  const { rules } = await build(text);
  t.is(rules.components?.length, 1);
  for (const list of ['secret_patterns', 'accepted', 'components'] as const) {
    const file = JSON.parse(text);
    const [entry] = file[list];
    const names = list === 'secret_patterns' ? PATTERN.required : properties[list].items.required;
    for (const name of someOf(names)) {
      const { [name]: _, ...rest } = entry;
      const less = JSON.stringify({ ...file, [list]: [rest] });
      await t.throwsAsync(build(less), { message: new RegExp(name) }, `${list} ${name}`);
    }
  }
});

test('the file that goes back to the built-in rules is exactly these', async (t) => {
  const text = jsonOf('Trying rules, and going back');
  const { revision } = await buildRules({ name: 'rules', text, isToml: false });
  t.is(revision, readBuiltInRules().revision);
});

test('the rows for own packages that docs/how-to/own-packages.md shows come out as their examples say', async (t) => {
  const text = jsonOf('An example', 'how-to/own-packages');
  const { rules } = await buildRules({ name: 'rules', text, isToml: false });
  t.is(rules.ast?.catalogue?.length, 3);
});
