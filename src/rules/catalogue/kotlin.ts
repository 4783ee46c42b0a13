import { javaTable } from './java.ts';
import { allOf } from './table.ts';
import { tablesOf } from './tables.ts';

/**
 * What packages do with data that Kotlin calls: the rows of Java, and packages that are written in
 * Kotlin. A path is as in Java; a function outside of a class is a member of its package, and an
 * extension a method of the class that it extends. A property is its getter or setter.
 */
export const kotlinTable = allOf({ java: javaTable, ...tablesOf('kotlin') });
