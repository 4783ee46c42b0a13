import { javaTable } from './java.ts';
import { allOf } from './table.ts';
import { tablesOf } from './tables.ts';

/**
 * What packages do with data that Kotlin calls: all of Java's, and those that are written in Kotlin.
 * A path is as in Java; a function outside of a class is one of its package (`readText`), and an
 * extension a method of what it extends. A property stands for its getter and setter.
 */
export const kotlinTable = allOf({ java: javaTable, ...tablesOf('kotlin') });
