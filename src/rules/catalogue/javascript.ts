import type { Package } from './line.ts';
import { allOf } from './table.ts';
import { tablesOf } from './tables.ts';

const tables = tablesOf('javascript');

/** What packages of JavaScript do with data, by topic; docs/catalogue.md says how to add a row. */
export const topics: Readonly<Record<string, readonly Package[]>> = Object.fromEntries(
  Object.entries(tables)
    .filter(([, { packages: own }]) => own.length > 0)
    .map(([topic, { packages: own }]) => [topic, own]),
);

const all = allOf(tables);

/** All packages of all topics; one may stand in several. */
export const packages = all.packages;

/** Functions that make a text harmless for the uses named, and for no others. */
export const sanitizers = all.sanitizers;

/** Functions that tell whether their first argument is harmless, and for what. */
export const checks = all.checks;

/** Functions that start a shell or a program. */
export const commands = all.commands;

/** Methods by which queues, brokers and databases give messages: data of other parties. */
export const consumers = all.consumers;

/** What the language itself does with values. */
export const operations = all.operations;
