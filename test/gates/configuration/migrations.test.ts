import test from 'ava';
import { readMigration } from '../../../src/gates/configuration/migrations/read-migration.ts';
import { readStatements } from '../../../src/gates/configuration/migrations/sql-tokens.ts';
import { documentPatterns } from '../../../src/rules/documents.ts';
import { riskPatterns } from '../../../src/rules/risk.ts';
import { someOf } from '../../some-cases.ts';
import { cpuOf, inChange, inHunk, inNewFile } from './run.ts';

const RULES = [
  ...riskPatterns,
  ...documentPatterns.filter(({ document }) => document?.kind === 'migration'),
];
const GRAVE = new Set(['critical', 'high', 'medium']);

/** Ids of findings of at least medium. */
async function graveIn(path: string, text: string): Promise<string[]> {
  const found = await inNewFile(path, text, RULES);
  return [...new Set(found.flatMap((one) => (GRAVE.has(one.severity) ? [one.id] : [])))].sort();
}

const KNEX = 'migrations/1-a.js';

function inTable(call: string | undefined): string {
  return `exports.up = (knex) => knex.schema.alterTable('a', (t) => { ${call}; });`;
}

const FOUND: readonly (readonly [path: string, text: string, ...ids: string[]])[] = [
  [
    'db/migrations/V2__a.sql',
    'ALTER TABLE a\n  ADD b int,\n  DROP COLUMN c;',
    'risk-sql-column-drop',
  ],
  ['migrations/1.up.sql', 'truncate\n  a;', 'risk-schema-drop'],
  ['migrations/1.sql', '/* x */ DELETE /* y */ FROM\n a -- z\n ;', 'risk-sql-delete-all'],
  [
    'migrations/1.sql',
    'DO $$ BEGIN\n IF true THEN\n  DROP TABLE a;\n END IF; END $$;',
    'risk-schema-drop',
  ],
  ['migrations/1.sql', "DO $$ BEGIN EXECUTE 'DROP TABLE a'; END $$;", 'risk-schema-drop'],
  ['migrations/mysql/1.sql', '/*!50000 DROP TABLE a */;', 'risk-schema-drop'],
  ['migrations/1.sql', 'WITH x AS (SELECT 1 WHERE true) DELETE FROM a;', 'risk-sql-delete-all'],
  [
    'migrations/1.sql',
    'WITH delete AS (SELECT 1 WHERE true) DELETE FROM a;',
    'risk-sql-delete-all',
  ],
  [
    'migrations/1.sql',
    'WITH x AS (SELECT 1), update (b) AS (SELECT 1) UPDATE a SET b = 1;',
    'risk-sql-update-all',
  ],
  [
    'migrations/1.sql',
    'WITH x AS MATERIALIZED (DELETE FROM a RETURNING b) INSERT INTO c SELECT b FROM x;',
    'risk-sql-delete-all',
  ],
  ['migrations/1.sql', 'CREATE TABLE a (b int);\nTRUNCATE ONLY a, c;', 'risk-schema-drop'],
  ['migrations/1.sql', 'ALTER TABLE a ADD key varchar(9) NOT NULL;', 'risk-sql-not-null'],
  ['migrations/1.sql', 'ALTER TABLE a DROP key;', 'risk-sql-column-drop'],
  ['migrations/1.sql', 'CREATE TABLE a (index char(3), period int);', 'risk-migration-char-type'],
  ['migrations/1.sql', 'UPDATE a SET b = c.b FROM c;', 'risk-sql-update-all'],
  ['migrations/1.sql', 'DELETE FROM a USING b;', 'risk-sql-delete-all'],
  ['migrations/1.sql', 'ALTER TABLE app . a RENAME b TO c;', 'risk-sql-rename'],
  ['migrations/1.sql', 'ALTER TABLE a ALTER U&"b" SET NOT NULL;', 'risk-sql-not-null'],
  ['migrations/1.sql', 'ALTER TABLE a RENAME key TO b;', 'risk-sql-rename'],
  ['migrations/mssql/1.sql', 'SELECT 1\nGO\nDROP TABLE [a]\nGO\n', 'risk-schema-drop'],
  ['migrations/mysql/1.sql', 'ALTER TABLE `a` MODIFY `b` bigint;', 'risk-sql-type-change'],
  [
    'migrations/mysql/1.sql',
    'ALTER TABLE `a` ADD FULLTEXT INDEX IF NOT EXISTS x (b);',
    'risk-migration-text-index',
  ],
  [
    'migrations/mysql/1.sql',
    'ALTER TABLE `a` ADD SPATIAL KEY IF NOT EXISTS x (b);',
    'risk-migration-text-index',
  ],
  [
    'migrations/mysql/1.sql',
    'ALTER TABLE `a` ADD FULLTEXT INDEX `number` (`number`);',
    'risk-migration-text-index',
  ],
  [
    'migrations/mysql/1.sql',
    'ALTER TABLE `a` ADD FULLTEXT `text` (`text`);',
    'risk-migration-text-index',
  ],
  [
    'migrations/1.up.sql',
    '{{if .postgres}}\nALTER TABLE {{ index .Options "Schema" }}.a ALTER b SET NOT NULL;\n{{end}}',
    'risk-sql-not-null',
  ],
  ['migrations/1.up.sql', 'DROP TABLE {{.prefix}}users;', 'risk-schema-drop'],
  [
    'db/migrate/1_a.rb',
    'class A < ActiveRecord::Migration[7.1]\n  def change\n    add_index :users,\n      :email, unique: true\n  end\nend',
    'risk-sql-blocking-index',
  ],
  [
    'db/migrate/1_a.rb',
    'def up\n  execute <<~SQL\n    DELETE FROM users;\n  SQL\nend',
    'risk-sql-delete-all',
  ],
  ['db/migrate/1_a.rb', 'def change\n  add_foreign_key :a, :b\nend', 'risk-migration-foreign-key'],
  ['db/migrate/1_a.rb', 'def change\n  change_column :a, :b, :bigint\nend', 'risk-sql-type-change'],
  ['db/migrate/1_a.rb', 'def change\n  change_column_null :a, :b, false\nend', 'risk-sql-not-null'],
  [
    'alembic/versions/a.py',
    "def upgrade():\n    op.alter_column('a', 'b', type_=sa.Integer())\n",
    'risk-sql-type-change',
  ],
  [
    'alembic/versions/a.py',
    "def upgrade():\n    op.create_index('i', 'a', ['b'])\n",
    'risk-sql-blocking-index',
  ],
  [
    'shop/migrations/0002_a.py',
    'operations = [migrations.RunSQL("TRUNCATE a", "")]',
    'risk-schema-drop',
  ],
  [
    'src/migrations/1-a.ts',
    'class A { async up(q: QueryRunner): Promise<void> { await q.query(`ALTER TABLE "a" RENAME TO "b"`); } }',
    'risk-sql-rename',
  ],
  [
    'db/changelog/1.yaml',
    'databaseChangeLog:\n- changeSet:\n    changes:\n    - dropTable:\n        tableName: a\n',
    'risk-liquibase-drop',
  ],
  [
    'db/changelog/1.xml',
    '<modifyDataType tableName="a" columnName="b" newDataType="int"/>',
    'risk-sql-type-change',
  ],
  ['migrations/1.sql', 'DELETE FROM a WHERE 1 = 1;', 'risk-sql-delete-all'],
  ...['<where> 1=1 </where>', '<where></where>', '<where>TRUE</where>'].map(
    (where) =>
      [
        'db/changelog/1.xml',
        `<constructor/><delete tableName="a">${where}</delete>`,
        'risk-sql-delete-all',
      ] as const,
  ),
  ['migrations/1.sql', 'UPDATE a SET b = 1 WHERE (true);', 'risk-sql-update-all'],
  ['db/migrate/1_a.rb', 'def up\n  User.delete_all\nend', 'risk-sql-delete-all'],
  ['db/migrate/1_a.rb', 'def up\n  create_table :a, force: true\nend', 'risk-rails-drop'],
  ...[
    ["t.string('b').notNullable().alter()", 'risk-sql-type-change'],
    ["t.string('b').notNullable()", 'risk-sql-not-null'],
    ["t.dropNullable('b')", 'risk-sql-not-null'],
    ["t.index(['b'])", 'risk-sql-blocking-index'],
    ["t.unique(['b'])", 'risk-migration-unique-constraint'],
    ["t.integer('b').references('id').inTable('c')", 'risk-migration-foreign-key'],
  ].map(([call, id = '']) => [KNEX, inTable(call), id] as const),
  [KNEX, "exports.up = (knex) => knex('a').del();", 'risk-sql-delete-all'],
  [KNEX, "exports.up = (knex) => knex('a').update({ b: 1 });", 'risk-sql-update-all'],
  [KNEX, "exports.up = (q) => q.bulkDelete('a', null, {});", 'risk-sql-delete-all'],
  [
    'src/migrations/1-a.ts',
    "class A { async up(q: QueryRunner) { await q.createUniqueConstraint('a', new TableUnique({})); } }",
    'risk-migration-unique-constraint',
  ],
  [
    'db/changelog/1.xml',
    '<addColumn tableName="a"><column name="b" type="int"><constraints nullable="false"/></column></addColumn>',
    'risk-sql-not-null',
  ],
  [
    'db/changelog/1.xml',
    '<update tableName="a"><column name="b" value="1"/></update>',
    'risk-sql-update-all',
  ],
];

test('migrations that destroy data or lock tables are found however they are written', async (t) => {
  for (const [path, text, ...ids] of FOUND)
    t.deepEqual(await graveIn(path, `${text}\n`), ids, text);
});

/** Texts that look harmless, or harmless to one database, and lose all rows. */
const HIDDEN: readonly (readonly [path: string, text: string])[] = [
  ['migrations/1.sql', '-- rollback\nDELETE FROM a;'],
  ['migrations/1.sql', '-- `x` ENGINE=1\nSELECT 1 # 2; DELETE FROM a;'],
  ['migrations/1.sql', "-- `x` ENGINE=1\nSELECT '\\'; DELETE FROM a; SELECT '';"],
  ['migrations/1.sql', '-- jsonb\nSELECT 1--1; DELETE FROM a;'],
  ['migrations/1.sql', '-- jsonb\n/* /* */ DELETE FROM a; /* */ */'],
  ['migrations/1.sql', 'CREATE TABLE IF NOT EXISTS a (b int);\nDELETE FROM a;'],
  [
    'alembic/versions/a.py',
    'def upgrade():\n    undo_a()\n\ndef undo_a():\n    op.execute("DELETE FROM a")\n',
  ],
  [
    'shop/migrations/0002_a.py',
    'def undo_a(apps, editor):\n    editor.execute("DELETE FROM a")\n\noperations = [migrations.RunPython(undo_a, undo_a)]',
  ],
  ['db/migrate/1_a.rb', 'def up\n  down\nend\ndef down\n  execute "DELETE FROM a"\nend'],
  [
    'src/migrations/1-a.ts',
    'class A { async up(q: QueryRunner) { await this.down(q); }\n async down(q: QueryRunner): Promise<void> { await q.query("DELETE FROM a"); } }',
  ],
  [
    'migrations/1-a.js',
    'exports.up = (knex) => exports.down(knex);\nexports.down = async (knex) => { await knex.raw("DELETE FROM a"); };',
  ],
];

test('no comment, escape or name of a function hides a statement', async (t) => {
  for (const [path, text] of HIDDEN) {
    t.deepEqual(await graveIn(path, `${text}\n`), ['risk-sql-delete-all'], text);
  }
});

const HARMLESS: readonly (readonly [path: string, text: string])[] = [
  [
    'migrations/1.sql',
    'CREATE TABLE a (b int);\nCREATE INDEX i ON a (b);\nALTER TABLE a ADD c int NOT NULL;',
  ],
  [
    'migrations/1.sql',
    "INSERT INTO a VALUES ('x; DROP TABLE b; --');\n-- DROP TABLE c;\n/* TRUNCATE d; */",
  ],
  ['migrations/1.sql', '-- migrate:up\nCREATE TABLE a (b int)\n-- migrate:down\nDROP TABLE a;'],
  ['migrations/1.sql', '-- +goose Down\nDROP TABLE a;'],
  ['migrations/1.down.sql', 'DROP INDEX i;'],
  [
    'migrations/sqlite/1.sql',
    'CREATE TABLE n (b int);\nINSERT INTO n SELECT b FROM a;\nDROP TABLE a;\nALTER TABLE n RENAME TO a;',
  ],
  [
    'migrations/1.sql',
    'CREATE FUNCTION f() RETURNS trigger AS $f$ BEGIN DELETE FROM a; RETURN NULL; END $f$ LANGUAGE plpgsql;',
  ],
  [
    'migrations/mysql/1.sql',
    'DELIMITER //\nCREATE PROCEDURE p() BEGIN DELETE FROM a; END//\nDELIMITER ;',
  ],
  [
    'db/migrate/1_a.rb',
    'def change\n  create_table :a do |t|\n    t.references :b\n  end\n  add_index :a, :c\nend',
  ],
  [
    'db/migrate/1_a.rb',
    'disable_ddl_transaction!\ndef change\n  add_index :a, :c, algorithm: :concurrently\nend',
  ],
  [
    'alembic/versions/a.py',
    "def upgrade():\n    pass\n\ndef downgrade():\n    op.drop_table('a')\n",
  ],
  [
    'src/migrations/1-a.ts',
    'class A { async down(q: QueryRunner): Promise<void> { await q.query("DROP TABLE a"); } }',
  ],
  [
    'db/changelog/1.yaml',
    'databaseChangeLog:\n- changeSet:\n    rollback:\n    - dropTable:\n        tableName: a\n',
  ],
  [
    'migrations/1.sql',
    'WITH x AS (SELECT 1) INSERT INTO a SELECT 1 ON CONFLICT (b) DO UPDATE SET b = 1;',
  ],
  ['migrations/mysql/1.sql', 'CREATE TABLE a (b bigint, KEY c (b), FULLTEXT KEY (d));'],
  ['migrations/1.sql', 'DELETE FROM a WHERE true AND b < 3;\nUPDATE a SET b = 1 WHERE 1 = b;'],
  [
    KNEX,
    "exports.up = async (knex) => { await knex.schema.createTable('a', (t) => { t.text('b').notNullable(); t.index(['b']); }); await knex('c').where({ d: 1 }).del(); };",
  ],
  [KNEX, inTable("t.string('b').notNullable().defaultTo('x'); t.integer('c')")],
  [KNEX, "exports.up = (q) => q.bulkDelete('a', { b: 1 });"],
  ['db/migrate/1_a.rb', 'def up\n  User.where(a: 1).delete_all\nend'],
  [
    'db/changelog/1.xml',
    '<update tableName="a"><column name="b" value="1"/><where>c = 1</where></update><addColumn tableName="a"><column name="d" type="int" defaultValue="1"><constraints nullable="false"/></column></addColumn>',
  ],
];

test('tables of the same file, texts, comments and ways back are not reported', async (t) => {
  for (const [path, text] of HARMLESS) t.deepEqual(await graveIn(path, `${text}\n`), [], text);
});

test('whole tables that lose their rows block, locks and single columns do not', async (t) => {
  const severityOf = async (text: string) =>
    (await inNewFile('migrations/1.sql', text, RULES))[0]?.severity;
  t.is(await severityOf('TRUNCATE a;\n'), 'high');
  t.is(await severityOf('DELETE FROM a;\n'), 'high');
  t.is(await severityOf('DROP SCHEMA a CASCADE;\n'), 'high');
  t.is(await severityOf('DROP TABLE a;\n'), 'medium');
  t.is(await severityOf('CREATE INDEX i ON a (b);\n'), 'medium');
});

test('of a changed migration count the statements that the change adds, and the change', async (t) => {
  const old = 'DROP TABLE a;\nSELECT 1;\n';
  const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id).sort();
  const path = 'migrations/1.sql';
  const now = await inChange(path, old, `${old}TRUNCATE b;\n`, 0, RULES);
  t.deepEqual(ids(now), ['config-known', 'migration-altered', 'risk-schema-drop']);
  t.is(now.find(({ id }) => id === 'risk-schema-drop')?.line, 3);
  t.false(
    ids(await inChange(path, old, `-- a comment\n${old}`, 0, RULES)).includes('migration-altered'),
  );
  t.deepEqual(ids(await inHunk(path, old, `${old}TRUNCATE b;\n`, 3, RULES)), ['risk-schema-drop']);
});

test('hostile SQL is read in time that grows with its length', (t) => {
  const parts = [
    '(',
    "'",
    '"',
    '$$',
    '/*',
    '-- ',
    ';',
    'ALTER TABLE a ADD b int,',
    'CREATE FUNCTION ',
    'DO $$',
    '\\',
    '\0',
    '%(',
    '`',
    '<<~A\n',
    '"""',
  ];
  for (const [index, path] of [
    'migrations/1.sql',
    'db/migrate/1.rb',
    'alembic/versions/a.py',
    'migrations/a.js',
    'db/changelog/a.xml',
  ].entries()) {
    for (const part of someOf(parts, index)) {
      const text = (size: number) => part.repeat(Math.ceil(size / part.length));
      const short = Math.max(
        5,
        cpuOf(() => readMigration(path, text(20_000), () => [])),
      );
      const long = cpuOf(() => readMigration(path, text(200_000), () => []));
      t.true(long < short * 60, `${path} ${part}: ${short} ms, ${long} ms`);
    }
  }
});

test('statements of any text cover words in order, and end', (t) => {
  const pieces = [
    "'",
    '"',
    '`',
    '$$',
    '$a$',
    '--',
    '\n',
    '/*',
    '*/',
    ';',
    'a',
    ' ',
    '(',
    ')',
    '\\',
    'BEGIN',
    'CREATE FUNCTION',
    'END',
    'E',
    '[',
    ']',
    'DELIMITER x',
  ];
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 2_000; round += 1) {
    const text = Array.from({ length: 1 + next(30) }, () => pieces[next(pieces.length)]).join('');
    for (const dialect of ['postgresql', 'mysql', 'mssql'] as const) {
      let at = 0;
      for (const { tokens } of readStatements(text, { dialect })) {
        for (const { start, end } of tokens) {
          t.true(start >= at && end > start && end <= text.length, JSON.stringify(text));
          at = end;
        }
      }
    }
  }
});
