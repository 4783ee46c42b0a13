import { type Node, scalarsOf, valuesOf } from '../document.ts';
import type { Facts, Operation, ReadOperations } from './operation.ts';
import { namesRows, operationsOfText, Progress } from './sql-operations.ts';
import type { Dialect } from './sql-tokens.ts';

/** A change of Liquibase: an element of XML, or an entry of YAML or JSON. */
interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** SQL that it runs, or its condition. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const TAG =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[|<(\/?)(?:\w+:)?(\w+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g;

/** Changes in the text of a change log in XML; changes of rollbacks are left out. */
export function tagsOf(text: string): Tag[] {
  const tags: Tag[] = [];
  let rollback = 0;
  for (const found of text.matchAll(TAG)) {
    const [all, close, name, said = '', isEmpty] = found;
    if (name === undefined) continue;
    if (name === 'rollback' && isEmpty !== '/') rollback += close === '/' ? -1 : 1;
    if (close === '/' || rollback > 0) continue;
    const end = found.index + all.length;
    const pairs = [...said.matchAll(/([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
    const attributes = Object.fromEntries(
      pairs.map(([, key, one, two]) => [key, one ?? two ?? '']),
    );
    const to = name === 'sql' || name === 'where' ? text.indexOf('</', end) : -1;
    const inner = to === -1 ? '' : text.slice(end, to).replace(/<!\[CDATA\[|\]\]>/g, '');
    tags.push({ name, attributes, text: inner, start: found.index, end: to === -1 ? end : to });
  }
  return tags;
}

/** The same of a change log in YAML or JSON. */
export function tagsOfTree(roots: readonly Node[]): Tag[] {
  const tags: Tag[] = [];
  const visit = (node: Node): void => {
    if (node.kind === 'list') for (const item of node.items) visit(item);
    if (node.kind !== 'map') return;
    for (const { key, keyStart, keyEnd, value } of node.entries) {
      if (key === 'rollback') continue;
      visit(value);
      const entries = value.kind === 'map' ? value.entries : [];
      const attributes = Object.fromEntries(
        entries.flatMap((one) => (one.value.kind === 'scalar' ? [[one.key, one.value.value]] : [])),
      );
      const [sql] = scalarsOf(
        key === 'sql' ? (value.kind === 'map' ? valuesOf(value, 'sql') : [value]) : [],
      );
      tags.push({ name: key, attributes, text: sql?.value ?? '', start: keyStart, end: keyEnd });
    }
  };
  for (const root of roots) visit(root);
  return tags.sort((a, b) => a.start - b.start);
}

/** Change types (docs.liquibase.com/change-types). */
const EFFECTS: Readonly<Record<string, (one: Tag['attributes']) => readonly [string, Facts]>> = {
  dropTable: ({ tableName }) => ['DropTable', { name: tableName ?? '' }],
  dropColumn: ({ tableName }) => ['DropColumn', { table: tableName ?? '' }],
  dropAllForeignKeyConstraints: ({ baseTableName }) => [
    'DropConstraint',
    { table: baseTableName ?? '' },
  ],
  dropIndex: ({ tableName }) => ['DropIndex', { table: tableName ?? '' }],
  dropView: ({ viewName }) => ['DropView', { name: viewName ?? '' }],
  update: ({ tableName }) => ['UpdateAll', { table: tableName ?? '' }],
  mergeColumns: ({ tableName }) => ['DropColumn', { table: tableName ?? '' }],
  delete: ({ tableName }) => ['DeleteAll', { table: tableName ?? '' }],
  modifyDataType: ({ tableName, newDataType }) => [
    'ChangeType',
    {
      table: tableName ?? '',
      to: newDataType ?? '',
      only_wider: /^(?:text|clob)$/i.test(newDataType ?? ''),
    },
  ],
  addNotNullConstraint: ({ tableName }) => ['SetNotNull', { table: tableName ?? '' }],
  addForeignKeyConstraint: ({ baseTableName, validate }) => [
    'AddConstraint',
    { table: baseTableName ?? '', kind: 'foreign key', not_valid: validate === 'false' },
  ],
  addUniqueConstraint: ({ tableName, forIndexName }) => [
    'AddConstraint',
    { table: tableName ?? '', kind: 'unique', using_index: forIndexName !== undefined },
  ],
  addPrimaryKey: ({ tableName, forIndexName }) => [
    'AddConstraint',
    { table: tableName ?? '', kind: 'primary key', using_index: forIndexName !== undefined },
  ],
  createIndex: ({ tableName, unique }) => [
    'CreateIndex',
    { table: tableName ?? '', unique: unique === 'true' },
  ],
  renameTable: ({ oldTableName }) => ['RenameTable', { table: oldTableName ?? '' }],
  renameColumn: ({ tableName }) => ['RenameColumn', { table: tableName ?? '' }],
};

/** What the changes of a change log do. */
export function liquibaseOperations(tags: readonly Tag[], dialect: Dialect): ReadOperations {
  const progress = new Progress();
  const operations: Operation[] = [];
  const around = { dialect, transaction: 'unknown' } as const;
  for (const [index, { name, attributes, text, start, end }] of tags.entries()) {
    if (name === 'createTable') progress.made.add(attributes['tableName']?.toLowerCase() ?? '');
    if (name === 'sql') {
      const found = operationsOfText(text, around, progress);
      operations.push(...found.map((one) => ({ ...one, start, end })));
    }
    // Only the rows that a condition names.
    if (/^(?:delete|update)$/.test(name) && hasCondition(tags, index)) continue;
    const effect = Object.hasOwn(EFFECTS, name) ? EFFECTS[name] : undefined;
    const [type, own] = effect?.(attributes) ?? newColumn(tags, index) ?? [];
    if (type === undefined || own === undefined) continue;
    const target = String(own['table'] ?? own['name'] ?? '').toLowerCase();
    if (progress.made.has(target)) continue;
    const facts = { dialect, transaction: 'unknown', ...own };
    const said = Object.entries(attributes).map(([key, value]) => `${key}=${value}`);
    operations.push({ type, facts, text: `${name} ${said.join(' ')}`, start, end });
  }
  return { operations, undo: 'unknown', hasLockTimeout: progress.hasLockTimeout };
}

/** Whether a condition that names some rows is in a change: a tag, or an entry of YAML. */
function hasCondition(tags: readonly Tag[], index: number): boolean {
  const entry = tags[index]?.attributes['where'];
  if (entry !== undefined) return namesRows(entry);
  return partsOf(tags, index).some(({ name, text }) => name === 'where' && namesRows(text));
}

/** A column that a change adds, if it may not be null and has no default. */
function newColumn(tags: readonly Tag[], index: number): readonly [string, Facts] | null {
  const own = tags[index];
  if (own?.name !== 'addColumn') return null;
  const parts = partsOf(tags, index);
  const isNotNull = parts.some(({ name, attributes }) => {
    return name === 'constraints' && attributes['nullable'] === 'false';
  });
  const hasDefault = parts.some(({ name, attributes }) => {
    const keys = name === 'column' ? Object.keys(attributes) : [];
    return keys.some((key) => /^(?:default|valueComputed|autoIncrement|generated)/.test(key));
  });
  if (!isNotNull || hasDefault) return null;
  const facts = { table: own.attributes['tableName'] ?? '', not_null: true, default: 'none' };
  return ['AddColumn', { ...facts, serial: false, generated: false, primary: false }];
}

/** The tags behind a change, up to the next one. */
function partsOf(tags: readonly Tag[], index: number): readonly Tag[] {
  let next = index + 1;
  while (PARTS.has(tags[next]?.name ?? '')) next += 1;
  return tags.slice(index + 1, next);
}

const PARTS = new Set(
  'column columns constraints where whereParams param value tableName name type nullable'.split(
    ' ',
  ),
);
