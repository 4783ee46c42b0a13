import { allOf } from './table.ts';
import { tablesOf } from './tables.ts';

/**
 * What packages of Java do with data, and what the JDK does with values: `package` is the package
 * that is imported, `jakarta` for what was `javax` before. A path begins with a class: `File` is
 * `new File(x)`, `Files.readString` a static method or one of an object, `*.exec` a method of
 * anything that comes of the package. `when` and `unless` name constants among the arguments;
 * `from=-1 into=-1`: the call makes something else of what it is called on.
 */
export const javaTable = allOf(tablesOf('java'));
