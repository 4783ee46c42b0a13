import type { Package } from './line.ts';
import { allOf } from './table.ts';
import { tablesOf } from './tables.ts';

const tables = tablesOf('javascript');

/** What packages of JavaScript do with data; docs/reference/catalogue.md says how to add a row. */
export const topics: Readonly<Record<string, readonly Package[]>> = Object.fromEntries(
  Object.entries(tables)
    .filter(([, { packages: own }]) => own.length > 0)
    .map(([topic, { packages: own }]) => [topic, own]),
);

/** The tables of all topics; a package may stand in several. */
export const javascriptTable = allOf(tables);
