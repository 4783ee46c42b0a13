import type { Pattern } from '../../model/rules.ts';
import { LOCAL, REHEARSAL, SCRIPTS, SETTINGS } from './paths.ts';

const raw = String.raw;

/** Any text without `down` in it: the part of a migration that undoes it drops what it made. */
const NO_DOWN = raw`(?:[^d]|d[^o]|do[^w]|dow[^n])*?`;

/** Migrations and schema commands of the usual ORMs and migration tools. */
export const migrationPatterns = [
  {
    id: 'risk-rails-drop',
    description: 'A Rails migration that drops a table or column',
    regex: raw`^\s*(?:drop_table|drop_join_table|remove_columns?|remove_reference|remove_belongs_to)[\s(]+:|^\s*t\.remove[\s(]+:`,
    path: raw`(?:^|/)db/(?:\w+_)?migrate/[^/]+\.rb$`,
    keywords: ['drop_table', 'drop_join_table', 'remove_', 't.remove'],
    severity: 'medium',
    message: 'This migration destroys data, and running code still caches the columns.',
    fix: 'Add the column to ignored_columns, release, then remove it.',
    source: 'https://guides.rubyonrails.org/active_record_migrations.html',
    examples: {
      path: 'db/migrate/20260101000000_cleanup.rb',
      match: ['    drop_table :users', '    remove_column :users, :nickname, :string'],
      noMatch: ['    create_table :users do |t|', '    remove_index :users, :email'],
    },
  },
  {
    id: 'risk-rails-change',
    description: 'A Rails migration that renames or retypes, or is marked as safe',
    regex: raw`^\s*(?:rename_column|rename_table|change_column|change_column_null)[\s(]+:|^\s*safety_assured\b`,
    path: raw`(?:^|/)db/(?:\w+_)?migrate/[^/]+\.rb$`,
    keywords: ['rename_', 'change_column', 'safety_assured'],
    severity: 'low',
    message: 'Code that runs during the roll-out does not know the new name or type.',
    fix: 'Add, copy, switch, remove: one release each.',
    source: 'https://guides.rubyonrails.org/active_record_migrations.html',
    examples: {
      path: 'db/migrate/20260101000000_rename.rb',
      match: ['    rename_column :users, :mail, :email', '    safety_assured { add_index :a, :b }'],
      noMatch: ['    add_column :users, :email, :string', '    change_table :users do |t|'],
    },
  },
  {
    id: 'risk-django-drop',
    description: 'A Django migration that removes a model or field',
    regex: raw`\bmigrations\.(?:DeleteModel|RemoveField)\(`,
    path: raw`(?:^|/)migrations/[^/]+\.py$`,
    keywords: ['migrations.deletemodel', 'migrations.removefield'],
    severity: 'medium',
    message: 'This migration destroys data, and running code still selects the column.',
    fix: 'Stop using the field in one release, remove it in the next.',
    source: 'https://docs.djangoproject.com/en/stable/ref/migration-operations/',
    examples: {
      path: 'shop/migrations/0042_cleanup.py',
      match: [
        '        migrations.DeleteModel(',
        "        migrations.RemoveField('order', 'note'),",
      ],
      noMatch: ['        migrations.AddField(', '        migrations.RemoveIndex('],
    },
  },
  {
    id: 'risk-django-raw',
    description: 'A Django migration that renames, or runs code or SQL of its own',
    regex: raw`\bmigrations\.(?:RenameField|RenameModel|RunSQL|AlterModelTable)\(`,
    path: raw`(?:^|/)migrations/[^/]+\.py$`,
    keywords: [
      'migrations.renamefield',
      'migrations.renamemodel',
      'migrations.runsql',
      'migrations.altermodeltable',
    ],
    severity: 'low',
    message: 'Code that runs during the roll-out does not know the new names.',
    fix: 'Look at locks and at the way back; rename in two releases.',
    source: 'https://docs.djangoproject.com/en/stable/ref/migration-operations/',
    examples: {
      path: 'shop/migrations/0043_rename.py',
      match: ['        migrations.RenameField(', '        migrations.RunSQL("SELECT 1"),'],
      noMatch: ['        migrations.AlterField(', '        migrations.CreateModel('],
    },
  },
  {
    id: 'risk-alembic-drop',
    description: 'An Alembic upgrade that drops a table or column',
    regex: raw`(?m)^def upgrade\b[^\n]*(?:\n(?:[ \t#][^\n]*)?)*?\n[ \t]+(?:batch_op|op)\.drop_(?:table|column)\(`,
    target: 'hunk',
    path: raw`(?:^|/)(?:versions|alembic|migrations)/.*\.py$`,
    keywords: ['def upgrade'],
    severity: 'medium',
    message: 'This migration destroys data; downgrade() will not bring it back.',
    fix: 'Stop using the column in one release, drop it in the next.',
    source: 'https://alembic.sqlalchemy.org/en/latest/ops.html',
    examples: {
      path: 'alembic/versions/1a2b_cleanup.py',
      match: [
        "def upgrade() -> None:\n    op.drop_column('users', 'nickname')",
        "def upgrade():\n    # gone\n\n    op.drop_table('logs')\n",
      ],
      noMatch: [
        "def upgrade():\n    op.add_column('a', b)\n\ndef downgrade():\n    op.drop_column('a', 'b')",
        "def upgrade():\n    op.drop_index('ix')",
      ],
    },
  },
  {
    id: 'risk-js-migration-drop',
    description: 'A Knex, Sequelize or TypeORM migration that drops a table or column',
    regex: raw`(?:\bup\b\s*[=:(]|\bfunction up\b)${NO_DOWN}\.(?:dropTable(?:IfExists)?|dropColumns?|removeColumn|dropSchema\w*)\(`,
    target: 'hunk',
    path: raw`(?i)(?:^|/)[\w-]*migrations?/.*\.[cm]?[jt]s$`,
    keywords: ['.droptable', '.dropcolumn', '.removecolumn', '.dropschema'],
    severity: 'medium',
    message: 'This migration destroys data; down() will not bring it back.',
    fix: 'Stop using the column in one release, drop it in the next.',
    source: 'https://knexjs.org/guide/schema-builder.html',
    examples: {
      path: 'migrations/20260101_cleanup.js',
      match: [
        `exports.up = function (knex) {\n  return knex.schema.dropTable('logs');\n};`,
        `  async up(queryInterface) {\n    await queryInterface.removeColumn('users', 'nickname');`,
      ],
      noMatch: [
        `exports.up = (knex) => knex.schema.createTable('a', f);\nexports.down = (knex) => knex.schema.dropTable('a');`,
        `  async down(queryInterface) {\n    await queryInterface.removeColumn('users', 'a');`,
      ],
    },
  },
  {
    id: 'risk-liquibase-drop',
    description: 'A Liquibase change set that drops or deletes',
    regex: raw`<(?:dropTable|dropColumn|dropAllForeignKeyConstraints|delete)\s+[^>]*\btableName=|^\s*-?\s*(?:dropTable|dropColumn):\s*$|"(?:dropTable|dropColumn)"\s*:\s*\{`,
    path: raw`(?i)(?:changelog|liquibase|migrations?|changesets?)[^/]*(?:/.*)?\.(?:xml|ya?ml|json)$`,
    keywords: ['droptable', 'dropcolumn', 'dropallforeign', '<delete'],
    allowlists: [{ description: 'tests', paths: [REHEARSAL] }],
    severity: 'medium',
    message: 'This change set destroys data.',
    fix: 'Drop in a later release than the code that used it.',
    source: 'https://docs.liquibase.com/change-types/drop-table.html',
    examples: {
      path: 'src/main/resources/db/changelog/2026.xml',
      match: [
        '    <dropColumn tableName="users" columnName="nickname"/>',
        '        <dropTable tableName="a"/>',
      ],
      noMatch: [
        '    <addColumn tableName="users">',
        '    <dropIndex indexName="i" tableName="users"/>',
      ],
    },
  },
  {
    id: 'risk-orm-schema-sync',
    description: 'The ORM changes or empties the schema when the program starts',
    regex: raw`\.sync\(\s*\{\s*(?:force|alter)\s*:\s*true|\bdropSchema\s*:\s*true\b|\bsynchronize\s*:\s*true\b|\b(?:ddl-auto|hbm2ddl\.auto)["']?\s*[:=>]\s*["']?(?:create|create-drop|update)\b`,
    path: raw`(?i)\.(?:[cm]?[jt]s|json|ya?ml|properties|xml|java|kt)$`,
    keywords: ['.sync(', 'dropschema', 'synchronize', 'ddl-auto', 'hbm2ddl'],
    allowlists: [{ description: 'tests and local settings', paths: [REHEARSAL, LOCAL] }],
    severity: 'medium',
    message: 'At the next start the schema follows the code, and columns may go with their data.',
    fix: 'Use migrations; leave the automatic change to local databases.',
    source: 'https://typeorm.io/docs/data-source/data-source-options/',
    examples: {
      path: 'src/database.ts',
      match: [
        'await sequelize.sync({ force: true });',
        '  synchronize: true,',
        'spring.jpa.hibernate.ddl-auto=create-drop',
      ],
      noMatch: [
        'await sequelize.sync();',
        '  synchronize: false,',
        'spring.jpa.hibernate.ddl-auto=validate',
      ],
    },
  },
  {
    id: 'risk-data-reset-command',
    description: 'A command that empties a database or cache',
    regex: raw`\bprisma\s+(?:migrate\s+reset\b|db\s+push\b.*--(?:accept-data-loss|force-reset))|\bartisan\s+(?:migrate:(?:fresh|reset)|db:wipe)\b|\bmanage\.py\s+(?:flush|reset_db)\b|\b(?:rails|rake)\s+db:(?:drop|reset|purge)\b|\bDISABLE_DATABASE_ENVIRONMENT_CHECK=1|\bredis-cli\b.*\b(?:FLUSHALL|flushall|FLUSHDB|flushdb)\b|\bdropdb\s+[-\w"$]`,
    path: SCRIPTS,
    keywords: [
      'prisma ',
      'artisan ',
      'manage.py',
      ' db:',
      'disable_database_environment_check',
      'redis-cli',
      'dropdb ',
    ],
    allowlists: [{ description: 'tests and local settings', paths: [REHEARSAL, LOCAL] }],
    severity: 'low',
    message: 'Run against the wrong database, this empties it.',
    fix: 'Check the name of the environment before, and keep it out of what deploys.',
    source: 'https://www.prisma.io/docs/orm/reference/prisma-cli-reference#migrate-reset',
    examples: {
      path: 'scripts/deploy.sh',
      match: [
        'npx prisma db push --accept-data-loss',
        'php artisan migrate:fresh --force',
        'redis-cli -h cache FLUSHALL',
      ],
      noMatch: ['npx prisma migrate deploy', 'php artisan migrate --force', 'bin/rails db:migrate'],
    },
  },
  {
    id: 'risk-backup-off',
    description: 'Backups are switched off',
    regex: raw`(?i)^\s*(?:"?backup_?retention_?(?:period|days)"?\s*[:=]\s*0\b|"?BackupRetentionPeriod"?\s*:\s*["']?0\b|"?point_in_time_recovery(?:_enabled)?"?\s*[:=]\s*(?:false|no)\b|"?(?:enable_?)?backups?_?enabled"?\s*[:=]\s*(?:false|no|off|0)\b)`,
    path: SETTINGS,
    keywords: ['backup', 'point_in_time'],
    allowlists: [{ description: 'tests and local settings', paths: [REHEARSAL, LOCAL] }],
    severity: 'medium',
    message: 'What the next mistake destroys cannot be restored.',
    fix: 'Leave backups on, at least where data lives.',
    source:
      'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.html',
    examples: {
      path: 'infra/rds.tf',
      match: [
        '  backup_retention_period = 0',
        '      BackupRetentionPeriod: 0',
        'backup_enabled: false',
      ],
      noMatch: ['  backup_retention_period = 7', '  backup_window = "03:00-04:00"'],
    },
  },
] satisfies readonly Pattern[];
