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

/** A package registry of the organization, such as a proxy of a public one. */
export interface RegistryPlace {
  /** Without `/` at its end: of npm as `registry` in `.npmrc` has it, of PyPI as `index-url`. */
  url: string;
  /** A bearer token, or `user:password` for basic authentication; '': nothing is sent. */
  token: string;
}

/** The registries that are asked about new packages, and what follows. */
export interface RegistrySettings {
  npm: RegistryPlace | null;
  pypi: RegistryPlace | null;
  /** What was published less long ago is a finding, hours. */
  hoursMin: number;
  /** Absent from the database: `high`, else `info`. */
  holds: boolean;
}

const COUNTED = exactly({
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
/** What a change does to the packages of its lockfiles. Names are as the lockfiles have them. */
export const DEPENDENCIES = {
  ...COUNTED,
  properties: {
    ...COUNTED.properties,
    transitive: {
      ...COUNT,
      description: 'Of the added ones, how many no manifest asks for; absent in older records',
    },
  },
} as const;
export type Dependencies = Static<typeof DEPENDENCIES>;
