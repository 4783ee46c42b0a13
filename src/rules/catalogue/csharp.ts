import { allOf } from './table.ts';
import { tablesOf } from './tables.ts';

/**
 * What packages of C# do with data, and what .NET does with values: `package` is the namespace. A
 * path begins with a class: `FileStream` is `new FileStream(x)`, `File.ReadAllText` a static method
 * or one of an object, `SqlCommand.CommandText` a property, `*.Execute` a member of anything that
 * comes of the namespace. `options` are properties that are set where an object is made.
 */
export const csharpTable = allOf(tablesOf('csharp'));
