import { type Call, type CodeLanguage, callsOf } from './code-calls.ts';
import type { Facts, Operation, ReadOperations } from './operation.ts';
import { operationsOfText, Progress, type Surroundings } from './sql-operations.ts';
import type { Dialect } from './sql-tokens.ts';

/** What a call does: the type of an operation and what rules may ask of it. */
type Effect = readonly [type: string, facts: Facts];

interface Context {
  readonly call: Call;
  readonly language: CodeLanguage;
  /** The table that the lines around change: `change_table`, `alterTable`. */
  readonly table: string | null;
  /** Text of an argument by its place or its name; '' when it is not there. */
  value(at: number | string): string;
  /** Words of an argument by its name; '' when it is not there. */
  words(key: string): string;
}

type Effects = (context: Context) => readonly Effect[];

const dropTable: Effects = ({ value }) => [['DropTable', { name: value(0) || value('name') }]];
const dropColumn: Effects = ({ value }) => [['DropColumn', { table: value(0), name: value(1) }]];
const renameTable: Effects = ({ value }) => [['RenameTable', { table: value(0) }]];
const renameColumn: Effects = ({ value }) => [['RenameColumn', { table: value(0) }]];
const isTrue = (words: string) => /^true$/i.test(words);

/** Migrations of Rails (guides.rubyonrails.org/active_record_migrations.html). */
const RAILS: Readonly<Record<string, Effects>> = {
  drop_table: dropTable,
  drop_join_table: dropTable,
  remove_column: dropColumn,
  remove_columns: dropColumn,
  remove_reference: dropColumn,
  remove_belongs_to: dropColumn,
  remove_timestamps: dropColumn,
  drop_schema: ({ value }) => [['DropSchema', { name: value(0), cascade: true }]],
  delete_all: (one) => ofModel(one, 'DeleteAll'),
  destroy_all: (one) => ofModel(one, 'DeleteAll'),
  update_all: (one) => ofModel(one, 'UpdateAll'),
  remove: (one) => ofTable(one, [['DropColumn', { table: one.table }]]),
  rename_table: renameTable,
  rename_column: renameColumn,
  rename: (one) => ofTable(one, [['RenameColumn', { table: one.table }]]),
  change_column: ({ value }) => [['ChangeType', railsType(value(0), value(2))]],
  change: (one) => ofTable(one, [['ChangeType', railsType(one.table ?? '', one.value(1))]]),
  change_column_null: ({ value }) => {
    return value(2) === 'false' ? [['SetNotNull', { table: value(0) }]] : [];
  },
  add_column: ({ value, words }) => [
    [
      'AddColumn',
      {
        table: value(0),
        type: value(2),
        not_null: isTrue(words('null')) ? false : words('null') === 'false',
        default:
          words('default') === ''
            ? 'none'
            : /\( ?\)|- ?>/.test(words('default'))
              ? 'volatile'
              : 'constant',
        stored: isTrue(words('stored')),
      },
    ],
  ],
  add_index: ({ value, words }) => [railsIndex(value(0), words('algorithm'), words('unique'))],
  index: (one) =>
    ofTable(one, [railsIndex(one.table ?? '', one.words('algorithm'), one.words('unique'))]),
  remove_index: ({ value, words }) => {
    return [
      ['DropIndex', { table: value(0), concurrently: /concurrently/.test(words('algorithm')) }],
    ];
  },
  add_reference: reference,
  add_belongs_to: reference,
  references: (one) => ofTable(one, reference({ ...one, value: () => one.table ?? '' })),
  add_foreign_key: ({ value, words }) => [
    railsConstraint('foreign key', value(0), words('validate')),
  ],
  add_check_constraint: ({ value, words }) => [
    railsConstraint('check', value(0), words('validate')),
  ],
  add_exclusion_constraint: ({ value }) => [railsConstraint('exclude', value(0), '')],
  add_unique_constraint: ({ value, words }) => [
    [
      'AddConstraint',
      { table: value(0), kind: 'unique', using_index: words('using_index') !== '' },
    ],
  ],
};

/** All rows of a model: `User.delete_all`, without a condition before it. */
function ofModel({ call }: Context, type: string): Effect[] {
  const [, model] = /^([A-Z]\w*)\.\w+$/.exec(call.name) ?? [];
  return model === undefined ? [] : [[type, { table: model.toLowerCase() }]];
}

function railsType(table: string, type: string): Facts {
  return { table, to: type, only_wider: /^text$/.test(type) };
}

function railsIndex(table: string, algorithm: string, unique: string): Effect {
  return [
    'CreateIndex',
    { table, unique: isTrue(unique), concurrently: /concurrently/.test(algorithm) },
  ];
}

function railsConstraint(kind: string, table: string, validate: string): Effect {
  return ['AddConstraint', { table, kind, not_valid: validate === 'false' }];
}

/** A column with an index and perhaps a foreign key. */
function reference({ value, words }: Context): Effect[] {
  const table = value(0);
  const index = words('index');
  const key = words('foreign_key');
  const isKey = key !== '' && key !== 'false' && !/validate : false/.test(key);
  return [
    ...(index === 'false' ? [] : [railsIndex(table, index, '')]),
    ...(isKey ? [railsConstraint('foreign key', table, '')] : []),
  ];
}

function ofTable({ call, table }: Context, effects: readonly Effect[]): readonly Effect[] {
  return table !== null && /^\w\.\w+$|^(?:t|table)\./.test(call.name) ? effects : [];
}

/** Operations of Alembic (alembic.sqlalchemy.org/en/latest/ops.html). */
const ALEMBIC: Readonly<Record<string, Effects>> = {
  drop_table: dropTable,
  drop_column: (one) => [['DropColumn', { table: one.table ?? one.value(0) }]],
  rename_table: renameTable,
  alter_column: ({ table, value, words }) => {
    const facts = { table: table ?? value(0) };
    const to = words('type_');
    return [
      ...(to === ''
        ? []
        : [['ChangeType', { ...facts, to, only_wider: /\bText\b/.test(to) }] as const]),
      ...(words('new_column_name') === '' ? [] : [['RenameColumn', facts] as const]),
      ...(words('nullable') === 'False' ? [['SetNotNull', { ...facts }] as const] : []),
    ];
  },
  add_column: ({ table, value, call }) => {
    const words = call.args.map((one) => one.words).join(' ');
    const usual = /server_default = (.*)/.exec(words)?.[1] ?? '';
    const isCall = /uuid|random|nextval/i.test(usual);
    return [
      [
        'AddColumn',
        {
          table: table ?? value(0),
          not_null: /\bnullable = False/.test(words),
          default: usual === '' ? 'none' : isCall ? 'volatile' : 'constant',
          unique: /\bunique = True/.test(words),
          references: /\bForeignKey\b/.test(words),
          stored: /\b(?:sa\.)?Computed\b/.test(words),
        },
      ],
    ];
  },
  create_index: ({ value, words, table }) => [
    [
      'CreateIndex',
      {
        table: table ?? value(1),
        unique: words('unique') === 'True',
        concurrently: isTrue(words('postgresql_concurrently')),
      },
    ],
  ],
  drop_index: ({ words, table, value }) => [
    [
      'DropIndex',
      {
        table: table ?? (value('table_name') || value(1)),
        concurrently: isTrue(words('postgresql_concurrently')),
      },
    ],
  ],
  create_foreign_key: ({ value, words, table }) => [
    ['AddConstraint', { ...alembicKey('foreign key', table ?? value(1), words) }],
  ],
  create_check_constraint: ({ value, words, table }) => [
    ['AddConstraint', { ...alembicKey('check', table ?? value(1), words) }],
  ],
  create_unique_constraint: ({ value, table }) => [
    ['AddConstraint', { table: table ?? value(1), kind: 'unique' }],
  ],
  create_primary_key: ({ value, table }) => [
    ['AddConstraint', { table: table ?? value(1), kind: 'primary key' }],
  ],
  create_exclude_constraint: ({ value, table }) => [
    ['AddConstraint', { table: table ?? value(1), kind: 'exclude' }],
  ],
};

function alembicKey(kind: string, table: string, words: (key: string) => string): Facts {
  const notValid = isTrue(words('postgresql_not_valid'));
  return { table, kind, not_valid: notValid };
}

/** Operations of Django (docs.djangoproject.com/en/stable/ref/migration-operations/). */
const DJANGO: Readonly<Record<string, Effects>> = {
  DeleteModel: ({ value }) => [['DropTable', { name: value('name') || value(0) }]],
  RemoveField: ({ value }) => [['DropColumn', { table: value('model_name') || value(0) }]],
  RenameField: ({ value }) => [['RenameColumn', { table: value('model_name') || value(0) }]],
  RenameModel: ({ value }) => [['RenameTable', { table: value('old_name') || value(0) }]],
  AlterModelTable: ({ value }) => [['RenameTable', { table: value('name') || value(0) }]],
  AlterField: ({ value, words }) => {
    return [['AlterField', { table: value('model_name') || value(0), to: words('field') }]];
  },
  AddField: ({ value, words }) => {
    const field = words('field');
    const table = value('model_name') || value(0);
    return [
      ...(/\bdb_index = True/.test(field)
        ? [['CreateIndex', { table, unique: false, concurrently: false }] as const]
        : []),
      [
        'AddColumn',
        {
          table,
          not_null: !/\bnull = True|ManyToMany/.test(field),
          default: /\b(?:db_)?default =|auto_now|AutoField|ManyToMany|GeneratedField/.test(field)
            ? 'constant'
            : 'none',
          unique: /\bunique = True|OneToOneField/.test(field),
          stored: /GeneratedField/.test(field) && /db_persist = True/.test(field),
        },
      ],
    ];
  },
  AddIndex: ({ value }) => [
    ['CreateIndex', { table: value('model_name') || value(0), unique: false, concurrently: false }],
  ],
  AddIndexConcurrently: ({ value }) => [
    ['CreateIndex', { table: value('model_name') || value(0), unique: false, concurrently: true }],
  ],
  AlterUniqueTogether: ({ value, words }) => {
    const isAdded = /\w/.test(words('unique_together'));
    return isAdded ? [['AddConstraint', { table: value('name') || value(0), kind: 'unique' }]] : [];
  },
  AlterIndexTogether: ({ value, words }) => {
    const facts = { table: value('name') || value(0), unique: false, concurrently: false };
    return /\w/.test(words('index_together')) ? [['CreateIndex', facts]] : [];
  },
  RemoveIndex: ({ value }) => [
    ['DropIndex', { table: value('model_name') || value(0), concurrently: false }],
  ],
  AddConstraint: ({ value, words }) => {
    const isUnique = /UniqueConstraint/.test(words('constraint'));
    const kind = isUnique ? 'unique' : /Exclusion/.test(words('constraint')) ? 'exclude' : 'check';
    return [['AddConstraint', { table: value('model_name') || value(0), kind }]];
  },
};

/** Migrations of Knex, Sequelize and TypeORM. */
const JAVASCRIPT: Readonly<Record<string, Effects>> = {
  dropTable,
  dropTableIfExists: ({ value }) => [['DropTable', { name: value(0), if_exists: true }]],
  dropAllTables: () => [['DropSchema', { name: '', cascade: true }]],
  clearDatabase: () => [['DropSchema', { name: '', cascade: true }]],
  dropSchema: ({ value }) => [['DropSchema', { name: value(0), cascade: false }]],
  dropDatabase: ({ value }) => [['DropDatabase', { name: value(0) }]],
  clearTable: ({ value }) => [['Truncate', { table: value(0) }]],
  clear: ({ call }) => (/\bmanager\.clear$/.test(call.name) ? [['Truncate', {}]] : []),
  truncate: (one) => (one.table === null ? [] : [['Truncate', { table: one.table }]]),
  knex: knexRows,
  trx: knexRows,
  bulkDelete: ({ value, call }) => {
    return isAnyRow(call.args[1]?.words) ? [['DeleteAll', { table: value(0) }]] : [];
  },
  bulkUpdate: ({ value, call }) => {
    return isAnyRow(call.args[2]?.words) ? [['UpdateAll', { table: value(0) }]] : [];
  },
  dropColumn: ({ table, value }) => [['DropColumn', { table: table ?? value(0) }]],
  dropColumns: ({ table, value }) => [['DropColumn', { table: table ?? value(0) }]],
  dropTimestamps: (one) => ofTable(one, [['DropColumn', { table: one.table }]]),
  dropNullable: (one) => ofTable(one, [['SetNotNull', { table: one.table }]]),
  removeColumn: dropColumn,
  ...Object.fromEntries(
    'string text integer bigint bigInteger float double decimal boolean date datetime time timestamp enu enum json jsonb uuid specificType'
      .split(' ')
      .map((type) => [type, knexColumn]),
  ),
  index: (one) => ofTable(one, [['CreateIndex', { table: one.table, concurrently: false }]]),
  unique: (one) => ofTable(one, [['AddConstraint', { table: one.table, kind: 'unique' }]]),
  foreign: (one) => ofTable(one, [['AddConstraint', { table: one.table, kind: 'foreign key' }]]),
  addColumn: ({ value, call }) => {
    const said = call.args.map(({ words }) => words).join(' ');
    const isUnset = !/\b(?:default|defaultValue|isGenerated|autoIncrement) :/.test(said);
    const notNull = /\b(?:isNullable|allowNull) : false/.test(said);
    return [['AddColumn', newColumn(value(0), notNull, isUnset)]];
  },
  renameTable,
  renameColumn: ({ table, value }) => [['RenameColumn', { table: table ?? value(0) }]],
  changeColumn: ({ value, call }) => [
    ['ChangeType', { table: value(0), to: call.args[2]?.words ?? '' }],
  ],
  addIndex: ({ value, words, call }) => {
    const all = `${words('concurrently')} ${call.args.map((one) => one.words).join(' ')}`;
    return [
      [
        'CreateIndex',
        {
          table: value(0),
          unique: /unique : true/.test(all),
          concurrently: /concurrently : true/.test(all),
        },
      ],
    ];
  },
  createIndex: ({ value, call }) => {
    const all = call.args.map((one) => one.words).join(' ');
    return [
      [
        'CreateIndex',
        {
          table: value(0),
          unique: /isUnique : true/.test(all),
          concurrently: /isConcurrent : true/.test(all),
        },
      ],
    ];
  },
  removeIndex: ({ value }) => [['DropIndex', { table: value(0), concurrently: false }]],
  addConstraint: ({ value, call }) => {
    const [, kind = ''] =
      /type : ([\w ]+?) (?:,|\}|$)/.exec(call.args.map((one) => one.words).join(' ')) ?? [];
    return [['AddConstraint', { table: value(0), kind: kind.toLowerCase() }]];
  },
  createForeignKey: constraint('foreign key'),
  createForeignKeys: constraint('foreign key'),
  createUniqueConstraint: constraint('unique'),
  createUniqueConstraints: constraint('unique'),
  createCheckConstraint: constraint('check'),
  createCheckConstraints: constraint('check'),
  createExclusionConstraint: constraint('exclude'),
  createPrimaryKey: constraint('primary key'),
};

function constraint(kind: string): Effects {
  return ({ value }) => [['AddConstraint', { table: value(0), kind }]];
}

function newColumn(table: string | null, notNull: boolean, isUnset: boolean): Facts {
  const facts = { table, not_null: notNull, default: isUnset ? 'none' : 'constant' };
  return { ...facts, serial: false, generated: false, primary: false };
}

/** Whether a condition of Sequelize names no row. */
function isAnyRow(words: string | undefined): boolean {
  return words === undefined || /^(?:null|undefined|\{ \})$/.test(words);
}

/** A column in a table of Knex that is there: new, or with `alter` another one. */
function knexColumn(one: Context): readonly Effect[] {
  const { table, call } = one;
  const has = (name: string) => call.chain.includes(name);
  const column: Effect = has('alter')
    ? ['ChangeType', { table, to: '' }]
    : ['AddColumn', newColumn(table, has('notNullable'), !has('defaultTo'))];
  const key = { table, kind: 'foreign key' };
  return ofTable(one, [
    column,
    ...(has('references') ? [['AddConstraint', key] as const] : []),
    ...(has('unique') ? [['AddConstraint', { table, kind: 'unique' }] as const] : []),
    ...(has('index') ? [['CreateIndex', { table, concurrently: false }] as const] : []),
  ]);
}

/** What a query of Knex does to the rows of a table: `knex('a').del()`. */
function knexRows({ call, value }: Context): readonly Effect[] {
  const table = value(0);
  if (call.chain.includes('truncate')) return [['Truncate', { table }]];
  if (call.chain.some((name) => /where|join|limit/i.test(name))) return [];
  if (call.chain.some((name) => /^del(?:ete)?$/.test(name))) return [['DeleteAll', { table }]];
  return call.chain.includes('update') ? [['UpdateAll', { table }]] : [];
}

/** Calls that run SQL, and calls around which a table is named. */
const RUNS_SQL = new Set('execute exec_query RunSQL query raw exec_driver_sql text'.split(' '));
const MAKES = new Set(
  'create_table create_join_table createTable createTableIfNotExists CreateModel'.split(' '),
);
const CHANGES = new Set('change_table alterTable table batch_alter_table'.split(' '));
const OTHERS = ['RunPython', 'disable_ddl_transaction!', 'autocommit_block'];

const EFFECTS: Readonly<Record<CodeLanguage, Readonly<Record<string, Effects>>>> = {
  ruby: RAILS,
  python: { ...ALEMBIC, ...DJANGO },
  javascript: JAVASCRIPT,
};
const NAMES = (['ruby', 'python', 'javascript'] as const).map((language) => {
  const own = [...Object.keys(EFFECTS[language]), ...RUNS_SQL, ...MAKES, ...CHANGES, ...OTHERS];
  return [language, new Set(own)] as const;
});

/** Whether Django runs a migration in Python; else Alembic does. */
export function isDjango(text: string): boolean {
  return /\bmigrations\.(?:Migration|[A-Z]\w+\()/.test(text);
}

/** What a migration in code does, by the calls in it. */
export function codeOperations(
  language: CodeLanguage,
  text: string,
  dialect: Dialect,
): ReadOperations {
  const names = new Map(NAMES).get(language) ?? new Set();
  const { calls, undo } = callsOf(language, text, names);
  const isFree =
    /\bdisable_ddl_transaction!|\bautocommit_block\b|\batomic\s*=\s*False|\btransaction\s*[:=]\s*false|\btransaction\s*:\s*false/.test(
      text,
    );
  const around: Surroundings = { dialect, transaction: isFree ? 'none' : 'tool' };
  const progress = new Progress();
  const operations: Operation[] = [];
  const operationOf = (call: Call, [type, facts]: Effect): Operation => {
    const said = call.args.map((one) => `${one.key ?? ''} ${one.words}`).join(' ');
    return {
      type,
      facts: { dialect, transaction: around.transaction, ...facts },
      text: `${[call.name, ...call.chain].join('.')} ${said}`.slice(0, 1_000),
      start: call.start,
      end: call.end,
    };
  };
  let table: string | null = null;
  let isLost = false;
  for (const call of calls) {
    if (call.isUndo) continue;
    const name = call.name.slice(call.name.lastIndexOf('.') + 1);
    const value = (at: number | string) => {
      const own =
        typeof at === 'number'
          ? call.args.filter(({ key }) => key === null)[at]
          : call.args.find(({ key }) => key === at);
      return (own?.value ?? own?.texts ?? '').toLowerCase();
    };
    const words = (key: string) => call.args.find((one) => one.key === key)?.words ?? '';
    if (RUNS_SQL.has(name) && EFFECTS[language][name] === undefined) {
      const first = call.args.find(({ key }) => key === null || key === 'sql');
      isLost ||=
        name === 'RunSQL' &&
        !/reverse_sql/.test(call.args.map(({ key }) => key).join(' ')) &&
        call.args.length < 2;
      for (const one of operationsOfText(first?.texts ?? '', around, progress)) {
        operations.push({ ...one, start: call.start, end: call.end });
      }
      continue;
    }
    if (name === 'RunPython') {
      isLost ||= call.args.length < 2;
      continue;
    }
    if (MAKES.has(name)) {
      const own = name === 'CreateModel' ? value('name') || value(0) : value(0);
      const isPerhaps = name === 'createTableIfNotExists' || isTrue(words('if_not_exists'));
      if (isPerhaps && !progress.made.has(own)) progress.perhapsMade.add(own);
      progress.made.add(own);
      table = null;
      if (isTrue(words('force')) || words('force') === 'cascade') {
        operations.push(operationOf(call, ['DropTable', { name: own }]));
      }
    } else if (CHANGES.has(name)) {
      table = value(0) === '' ? table : value(0);
    } else {
      const effects = EFFECTS[language][name]?.({ call, language, table, value, words }) ?? [];
      for (const [type, facts] of effects) {
        const target = String(facts['table'] ?? facts['name'] ?? '');
        if (progress.made.has(target)) continue;
        operations.push(operationOf(call, [type, facts]));
      }
    }
  }
  const isEmpty = undo === 'empty' && operations.length > 0;
  return {
    operations,
    undo: isEmpty || isLost ? 'empty' : 'unknown',
    hasLockTimeout: progress.hasLockTimeout,
  };
}
