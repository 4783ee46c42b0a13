import { type Entry, entriesOf, type Node, scalarsOf, valuesAt, valuesOf } from '../document.ts';
import { DOCUMENTS } from '../limits.ts';
import { mapOf, type Resolve, type Resource, resourceOf } from './resource.ts';

/** What stands outside of all blocks, as `main`, and each block by its name. */
export function settingsInBlocks(root: Node): Resource[] {
  return [fileOf('main', root), ...blocksIn(root, '')];
}

/** Settings without blocks: all of them are `main`. */
export function settings(root: Node): Resource[] {
  return [fileOf('main', root)];
}

/**
 * Each channel of an environment of conda, as `channel` with its `name`, also where one package
 * names it: `channel::package`
 * (docs.conda.io/projects/conda/en/stable/user-guide/concepts/pkg-specs.html).
 */
export function channels(root: Node): Resource[] {
  const named = ['channels', 'default_channels'].flatMap((key) => scalarsOf(valuesOf(root, key)));
  const ofPackages = scalarsOf(valuesOf(root, 'dependencies')).flatMap((node) => {
    const [value = '', ...rest] = node.value.split('::', 2);
    return rest.length === 0 ? [] : [{ ...node, value }];
  });
  return [...named, ...ofPackages].map((value) => {
    const { start, end } = value;
    const name = { key: 'name', keyStart: start, keyEnd: start, value };
    const node = mapOf(value, [name]);
    return { type: 'channel', address: value.value, node, around: null, start, headEnd: end, end };
  });
}

/** A file whose settings have nothing to do with each other. */
function fileOf(type: string, root: Node): Resource {
  const { start, end } = root;
  return { type, address: '', node: root, around: null, start, headEnd: 1, end, isLoose: true };
}

function blocksIn(around: Node, path: string): Resource[] {
  return entriesOf([around]).flatMap((entry) => {
    if (entry.value.kind !== 'map') return [];
    const nodes = ['args', 'server_name', 'listen'].flatMap((key) => valuesOf(entry.value, key));
    const words = scalarsOf(nodes).map(({ value }) => value);
    const names = `${path}/${[entry.key, ...words].join(' ')}`;
    const address = names.slice(-DOCUMENTS.ADDRESS_CHARS_MAX);
    const block = { ...resourceOf({ type: entry.key, address, entry }), around };
    // A block with blocks in it is a file of its own: `http` of nginx.
    const own: Resource = entry.key === 'http' ? { ...block, isLoose: true } : block;
    return [own, ...blocksIn(entry.value, address)];
  });
}

/**
 * The properties of an application of Spring, as `application`: names with dots are paths, all in
 * the form with hyphens that Spring recommends
 * (docs.spring.io/spring-boot/reference/features/external-config.html). Documents for a profile of
 * development or tests have none.
 */
export function springProperties(root: Node): Resource[] {
  const documents = [root, ...valuesOf(root, '---')];
  return documents.flatMap((document) => {
    const node = joined(withPaths(document, 0));
    const profiles = [
      ...valuesAt(node, 'spring', 'config', 'activate', 'on-profile'),
      ...valuesAt(node, 'spring', 'profiles'),
    ];
    const names = scalarsOf(profiles).map(({ value }) => value);
    if (names.some((name) => REHEARSAL_PROFILE.test(name))) return [];
    return [{ ...fileOf('application', node), address: names.join(' ') }];
  });
}

const REHEARSAL_PROFILE =
  /(?:^|[^a-z])(?:dev\w*|local\w*|test\w*|it|ci|h2|demo|docker)(?:$|[^a-z])/i;

function withPaths(node: Node, depth: number): Node {
  if (node.kind !== 'map') return node;
  const entries = node.entries.map((entry): Entry => {
    const [key = '', ...inner] = entry.key.split('.', DOCUMENTS.DEPTH_MAX - depth);
    let value = withPaths(entry.value, depth + inner.length + 1);
    const { start, end } = value;
    for (const step of inner.reverse()) {
      value = { kind: 'map', start, end, entries: [{ ...entry, key: hyphened(step), value }] };
    }
    return { ...entry, key: hyphened(key), value };
  });
  return { ...node, entries };
}

/** Maps under the same key are one: `a.b=1` and `a.c=2`. */
function joined(node: Node): Node {
  if (node.kind !== 'map') return node;
  const inner = new Map<string, Entry[]>();
  const entries: Entry[] = [];
  for (const entry of node.entries) {
    const known = inner.get(entry.key) ?? [];
    if (entry.value.kind !== 'map' || !inner.has(entry.key)) entries.push(entry);
    if (entry.value.kind !== 'map') continue;
    for (const own of entry.value.entries) known.push(own);
    inner.set(entry.key, known);
  }
  return {
    ...node,
    entries: entries.map((entry) => {
      const { key, value } = entry;
      if (value.kind !== 'map') return entry;
      return { ...entry, value: joined({ ...value, entries: inner.get(key) ?? [] }) };
    }),
  };
}

function hyphened(name: string): string {
  const words = name.replace(/\[\d*\]$/, '').replace(/([a-z\d])([A-Z])/g, '$1-$2');
  return words.replaceAll('_', '-').toLowerCase();
}

/** Defaults of placeholders (`${PORT:8080}`); others are not known. */
export function placeholdersOf(): Resolve {
  return (node) => {
    if (node.kind !== 'scalar' || !node.value.includes('${')) return node;
    const [, usual] = /^\$\{[^${}:]+:([^${}]*)\}$/.exec(node.value) ?? [];
    if (usual === undefined) return { ...node, computed: true };
    return { ...node, value: usual };
  };
}
