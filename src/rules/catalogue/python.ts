import { allOf } from './table.ts';
import { tablesOf } from './tables.ts';

/**
 * What packages of Python do with data: `package` is the module as it is imported, `options` are
 * keyword arguments, `when` and `unless` name those.
 */
const all = allOf(tablesOf('python'));

export const pythonPackages = all.packages;
export const pythonSanitizers = all.sanitizers;
export const pythonOperations = all.operations;
