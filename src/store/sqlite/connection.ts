import type Database from 'better-sqlite3';
import { oncePer } from '../../core/once.ts';

/** An open database. */
export type Connection = Database.Database;

declare const ROW: unique symbol;

/** The text of a statement, by the type of the rows that it finds. */
export type Sql<Row> = string & { readonly [ROW]?: Row };

/** Names the type of the rows that a statement finds. */
export function sql<Row>(text: string): Sql<Row> {
  return text;
}

/** Inserts a row of these columns, whose names stand in one text; `end`: on a conflict. */
export function insertInto(table: string, columns: string, end = ''): string {
  const names = columns.split(' ');
  const marks = names.map(() => '?').join(', ');
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks}) ${end}`;
}

/** The statements of a table, ready to be run. */
export type Prepared<Table> = {
  readonly [Name in keyof Table]: Database.Statement<
    unknown[],
    Table[Name] extends Sql<infer Row> ? Row : unknown
  >;
};

const DATABASE = Symbol('database');

/** The statements of a table, each prepared at its first use. */
export function prepared<Table extends Readonly<Record<string, string>>>(
  database: Connection,
  table: Table,
): Prepared<Table> {
  // What is prepared becomes a property of its own: V8 keeps a small object of these fast.
  return Object.create(gettersOf(table), { [DATABASE]: { value: database } });
}

/** Once for each table: a store asks some dozens of times for statements while it is opened. */
const gettersOf = oncePer((table: Readonly<Record<string, string>>): object => {
  const getters = {};
  for (const [name, text] of Object.entries(table)) {
    Object.defineProperty(getters, name, {
      get(this: { readonly [DATABASE]: Connection }) {
        const value = this[DATABASE].prepare(text);
        Object.defineProperty(this, name, { value });
        return value;
      },
    });
  }
  return getters;
});
