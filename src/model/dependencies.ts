import type { Static } from 'typebox';
import { COUNT, exactly, TEXT, TEXT_OR_NULL } from './schema.ts';

/** Packages that one RFC lists; the counts are of all packages. */
export const DEPENDENCIES_LISTED_MAX = 200;

const DEPENDENCY_CHANGE = exactly({
  file: { ...TEXT, description: 'The lockfile' },
  name: TEXT,
  from: { ...TEXT_OR_NULL, description: 'Version before; null: the package is new' },
  to: { ...TEXT_OR_NULL, description: 'Version after; null: the package is removed' },
  direct: {
    type: 'boolean',
    description: 'A manifest of the change, or the lockfile, asks for it',
  },
  required_by: { ...TEXT_OR_NULL, description: 'A package that depends on it; null: not known' },
});
export type DependencyChange = Static<typeof DEPENDENCY_CHANGE>;

/** What a change does to the packages of its lockfiles. Names are as the lockfiles have them. */
export const DEPENDENCIES = exactly({
  added: COUNT,
  removed: COUNT,
  changed: COUNT,
  packages: {
    type: 'array',
    maxItems: DEPENDENCIES_LISTED_MAX,
    items: DEPENDENCY_CHANGE,
    description: 'Direct ones first; secrets are redacted',
  },
});
export type Dependencies = Static<typeof DEPENDENCIES>;
