import type { ResourceKind } from '../../model/rules.ts';
import { type Node, scalarsOf, UNKNOWN_TEXT, valuesAt, valuesOf } from './document.ts';
import type { DocumentRules, ResourceVersion } from './document-rules.ts';
import { folderOf, isOverride } from './kinds.ts';
import type { Observation } from './observation.ts';
import type { Resource } from './resources/resource.ts';
import { type Resources, resourcesOf } from './resources/resources.ts';
import type { Declared } from './weak-resources.ts';

/** What one file of a change declares on one side of it. */
export interface DeclaredPart<Place> {
  declared: Declared;
  /** Other documents of the same module of Terraform. */
  module: readonly Node[];
  isPart: boolean;
  /** Where its findings are reported. */
  place: Place;
}

export interface ChangedFile<Place> {
  /** Path after the change, or before it where the file is deleted. */
  path: string;
  before: readonly DeclaredPart<Place>[];
  after: readonly DeclaredPart<Place>[];
  /** Other documents of its module of Terraform after the change, unchanged documents too. */
  rest: readonly Node[];
}

/** What a change does to resources that were there before it. */
export interface ChangedResources<Place> {
  found: (Observation & { place: Place; path: string })[];
  removed: RemovedResource[];
}

export interface RemovedResource {
  id: string;
  address: string;
  path: string;
  /** Its whole template is gone: stacks that were made of it stay until somebody deletes them. */
  isTemplateGone: boolean;
}

interface Version<Place> extends ResourceVersion {
  file: ChangedFile<Place>;
  place: Place;
}

/**
 * Compares the resources of all files of a change. A resource that stands in another file after it,
 * or that `moved` and `removed` blocks of Terraform keep, is not removed; these may stand in files
 * of the module that the change does not touch.
 */
export function changedResources<Place>(
  rules: DocumentRules,
  files: readonly ChangedFile<Place>[],
): ChangedResources<Place> {
  const changed: ChangedResources<Place> = { found: [], removed: [] };
  const kinds = new Set(
    files.flatMap(({ before }) => before.flatMap(({ declared }) => declared.kinds)),
  );
  for (const kind of kinds) {
    if (!rules.looksAtChanges(kind)) continue;
    const before = byKey(kind, versionsOf(kind, files, 'before'));
    const versions = versionsOf(kind, files, 'after');
    const after = byKey(kind, versions);
    const added = new Set(
      [...after].flatMap(([key, { resource }]) => {
        return before.has(key) ? [] : [nameOf(kind, resource)];
      }),
    );
    const kept = keptAddresses(versions);
    const rests = new Map<string, Rest>();
    for (const [key, old] of before) {
      const now = after.get(key);
      if (now !== undefined) {
        const { place, file } = now;
        for (const one of rules.lookAtChanged(kind, old, now)) {
          changed.found.push({ ...observationOf(one), place, path: file.path });
        }
        continue;
      }
      const { file, resource } = old;
      const folder = folderOf(file.path);
      const rest = rests.get(folder) ?? restOf(kind, file);
      rests.set(folder, rest);
      const name = nameOf(kind, resource);
      const isElsewhere = added.has(name) || rest.names.has(name);
      const address = `${folder} ${resource.address}`;
      const isKept = kept.has(address) || rest.kept.has(address);
      const isUnread = file.after.some(({ declared }) => declared.problem !== null);
      if (isElsewhere || isKept || isUnread || isOverride(file.path)) continue;
      for (const id of rules.lookAtRemoved(kind, old)) {
        const isTemplateGone = kind === 'cloudformation' && file.after.length === 0;
        changed.removed.push({ id, address: resource.address, path: file.path, isTemplateGone });
      }
    }
  }
  return changed;
}

function observationOf({ id, start, end, match, note }: Observation): Observation {
  return { id, start, end, match, ...(note === undefined ? {} : { note }) };
}

function versionsOf<Place>(
  kind: ResourceKind,
  files: readonly ChangedFile<Place>[],
  side: 'before' | 'after',
): Version<Place>[] {
  return files.flatMap((file) => {
    return file[side].flatMap(({ declared, module, isPart, place }) => {
      if (!declared.kinds.includes(kind)) return [];
      const resources: Resources = resourcesOf(kind, declared.roots, module);
      return resources.all.map((resource) => ({ resource, resources, isPart, file, place }));
    });
  });
}

/** By where resources belong, and their names. */
function byKey<Place>(kind: ResourceKind, versions: readonly Version<Place>[]) {
  return new Map(
    versions.map((one) => {
      return [`${scopeOf(kind, one.file.path)} ${nameOf(kind, one.resource)}`, one];
    }),
  );
}

/** Resources of one name are the same within a folder; resources of a stack within its template. */
function scopeOf(kind: ResourceKind, path: string): string {
  return kind === 'terraform' || kind === 'kubernetes' ? folderOf(path) : path;
}

const UNKNOWN_PART = new RegExp(`${UNKNOWN_TEXT}+`, 'g');

/** What a template puts in may have another length. */
function nameOf(
  kind: ResourceKind,
  { type, address }: Pick<ResourceVersion['resource'], 'type' | 'address'>,
): string {
  const name = kind === 'kubernetes' ? address.replace(UNKNOWN_PART, '*') : address;
  return `${type} ${name}`;
}

/** Addresses, with their folders, that get another name, or that Terraform forgets. */
function keptAddresses(
  after: readonly { resource: Resource; file: { path: string } }[],
): Set<string> {
  const kept = new Set<string>();
  for (const { resource, file } of after) {
    if (resource.type !== 'moved' && resource.type !== 'removed') continue;
    const destroys = scalarsOf(valuesAt(resource.node, 'lifecycle', 'destroy'));
    const isForgotten = destroys.some(({ value }) => value === 'false');
    if (resource.type === 'removed' && !isForgotten) continue;
    for (const { value } of scalarsOf(valuesOf(resource.node, 'from'))) {
      kept.add(`${folderOf(file.path)} ${value.replace(/\[[^\]]*\]$/, '')}`);
    }
  }
  return kept;
}

/** What the other documents of a module declare and keep after the change. */
interface Rest {
  names: ReadonlySet<string>;
  kept: ReadonlySet<string>;
}

function restOf<Place>(kind: ResourceKind, file: ChangedFile<Place>): Rest {
  const resources = kind === 'terraform' ? resourcesOf(kind, file.rest).all : [];
  return {
    names: new Set(resources.map((resource) => nameOf(kind, resource))),
    kept: keptAddresses(resources.map((resource) => ({ resource, file }))),
  };
}
