import { allOf } from './table.ts';
import { tablesOf } from './tables.ts';

/**
 * What packages of Python do with data: `package` is the module as it is imported, `options` are
 * keyword arguments, `when` and `unless` name those.
 */
export const pythonTable = allOf(tablesOf('python'));
