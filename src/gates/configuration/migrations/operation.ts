import type { Entry, MapNode } from '../document.ts';

/** What rules may ask of an operation, by name. */
export type Facts = Readonly<Record<string, string | number | boolean | null>>;

/** One thing that a migration does to a database, whatever language says it. */
export interface Operation {
  /** `DropTable`, `AddColumn`, ...; see docs/reference/configuration-rules.md. */
  readonly type: string;
  readonly facts: Facts;
  /** Its text, as it is compared with that of another version. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** An operation as an entry of a document: rules on documents look at it. */
export function entryOf({ type, facts, text, start, end }: Operation): Entry {
  const entries = Object.entries({ ...facts, text }).flatMap(([key, value]): Entry[] => {
    if (value === null) return [];
    const scalar = { kind: 'scalar', value: String(value), start, end } as const;
    return [{ key, keyStart: start, keyEnd: end, value: scalar }];
  });
  const value: MapNode = { kind: 'map', start, end, entries };
  return { key: type, keyStart: start, keyEnd: end, value };
}

/** What a file does, and whether it says how to take that back. */
export interface ReadOperations {
  readonly operations: readonly Operation[];
  readonly undo: 'none' | 'empty' | 'unknown';
  readonly hasLockTimeout: boolean;
  /** A transaction that it begins is open at its end. */
  readonly isOpen?: boolean;
}
