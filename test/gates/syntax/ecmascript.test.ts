import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { flawsOf } from '../../../src/gates/syntax/il/check.ts';
import { printModule } from '../../../src/gates/syntax/il/print.ts';
import type { Dialect } from '../../../src/gates/syntax/languages.ts';
import { lowerText } from '../../../src/gates/syntax/lower/ecmascript/language.ts';

/**
 * Types of nodes that no expression or statement is: they stand in a declaration, type, pattern or
 * literal and are read there, or hold nothing that runs.
 */
const HARMLESS = new Set(
  `Super Import Computed PrivateName Parameter Decorator VariableDeclarator SwitchCase CatchClause
  TemplateElement KeyValueProperty AssignmentProperty SpreadElement Invalid
  JSXOpeningElement JSXClosingElement JSXOpeningFragment JSXClosingFragment JSXAttribute
  ImportSpecifier ImportDefaultSpecifier ImportNamespaceSpecifier ExportNamespaceSpecifier
  ExportDefaultSpecifier Module Script ClassProperty PrivateProperty ClassMethod PrivateMethod
  TsTypeAnnotation TsTypeParameterDeclaration TsTypeParameter TsTypeParameterInstantiation
  TsCallSignatureDeclaration TsConstructSignatureDeclaration TsGetterSignature TsSetterSignature
  TsMethodSignature TsIndexSignature TsThisType TsFunctionType TsConstructorType TsTypeQuery
  TsTupleElement TsConditionalType TsInferType TsIndexedAccessType TsMappedType TsInterfaceBody
  TsEnumMember TsExternalModuleReference`.split(/\s+/),
);

/** The types that the parser's package declares. */
function declaredTypes(): string[] {
  const path = fileURLToPath(import.meta.resolve('@swc/types/package.json'));
  const text = readFileSync(path.replace(/package\.json$/, 'index.d.ts'), 'utf8');
  const nodes = text.slice(text.indexOf('export interface Span'));
  return [...new Set([...nodes.matchAll(/^ {4}type: "(\w+)";$/gm)].map(([, type = '']) => type))];
}

function lowerings(): string {
  const names =
    'annotations calls classes elements expressions functions modules names patterns scopes statements types';
  return names
    .split(' ')
    .map((name) => {
      const path = `../../../../src/gates/syntax/lower/ecmascript/${name}.ts`;
      return readFileSync(new URL(path, import.meta.url), 'utf8');
    })
    .join('\n');
}

test('each type of node that the parser declares is lowered or harmless', (t) => {
  const text = lowerings();
  const types = declaredTypes();
  t.true(types.length > 120);
  const open = types.filter((type) => !HARMLESS.has(type) && !text.includes(`'${type}'`));
  t.deepEqual(open, []);
  t.deepEqual(
    [...HARMLESS].filter((type) => !types.includes(type)),
    [],
  );
});

/** `=== title`, the code, `---`, its intermediate language without the numbers of variables. */
const FILE = new URL('../../../../test/gates/syntax/lowering/ecmascript.txt', import.meta.url);
for (const section of readFileSync(FILE, 'utf8').split(/^=== /m).slice(1)) {
  const end = section.indexOf('\n');
  const title = section.slice(0, end);
  const [code = '', expected = ''] = section.slice(end + 1).split(/^---\n/m);
  test(`lowering: ${title}`, (t) => {
    const { module } = lowerText(code, code.includes('</') ? 'tsx' : 'ts');
    t.is(printModule(module).replace(/%\d+/g, ''), expected);
    t.deepEqual(flawsOf(module), []);
    t.deepEqual([...module.unknown], []);
  });
}

/** Parts of a file whose ends are out of sight: [code, IL of what it shows]. */
const PARTS: readonly (readonly [dialect: Dialect, code: string, expected: string])[] = [
  [
    'js',
    "  }\n}\n\nrun('ls ' + dir);\nif (dir) {\n  other(\n",
    'block\n  block\nrun(text("ls ", ?dir))\nif ?dir\n  other(?_)\n',
  ],
  [
    'ts',
    '  db: Pool,\n) {\n  this.db = db;\n}\n\nfind(id: string) {\n  return id;\n}\n',
    'class _#0\nfunction _._#0(db: Pool)\n  this.db = db\nfunction _.find#1(id: string)\n  return id\n',
  ],
  [
    'js',
    '  } catch (error) {\n    say(error);\n  }\n  return 1;\n}\n',
    'block\n  try\n  catch\n    say(error)\n  return 1\n',
  ],
  ['js', '  } else {\n    one();\n  }\n', 'if ?\nelse\n  one()\n'],
];

for (const [dialect, code, expected] of PARTS) {
  test(`lowering of a part leaves out what was put around it: ${JSON.stringify(code)}`, (t) => {
    const { module } = lowerText(code, dialect);
    t.is(printModule(module).replace(/%\d+/g, ''), expected);
    t.deepEqual(flawsOf(module), []);
  });
}
