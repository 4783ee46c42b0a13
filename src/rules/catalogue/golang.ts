import { allOf } from './table.ts';
import { tablesOf } from './tables.ts';

/**
 * What packages of Go do with data: `package` is the path that is imported, without its version.
 * Arguments are counted without a context: `Query(text)` and `QueryContext(ctx, text)` both take
 * text as argument 0. `options` are fields of a literal.
 */
export const golangTable = allOf(tablesOf('golang'));
