import { SEVERITIES, type Severity, severityRank } from '../../model/finding.ts';
import type { ResourceKind } from '../../model/rules.ts';
import { readDockerfile } from './dockerfile.ts';
import { type Document, type Node, scalarsOf, valuesOf } from './document.ts';
import type { DocumentRules, ResourceObservation } from './document-rules.ts';
import { readHcl } from './hcl.ts';
import { readJenkinsfile } from './jenkinsfile.ts';
import { readJson } from './json.ts';
import type { ResourceFile } from './kinds.ts';
import { DOCUMENTS } from './limits.ts';
import { readMigration } from './migrations/read-migration.ts';
import type { Observation } from './observation.ts';
import type { Resource } from './resources/resource.ts';
import { pathsOf, type Resources, resourcesOf } from './resources/resources.ts';
import { isSettings, SETTINGS, serverOf } from './settings.ts';
import { readTemplate, withoutActions, withValueNames } from './templates.ts';
import type { ReadYaml } from './yaml.ts';

/** A document, and the kinds of resources that it may declare. */
export interface Declared {
  kinds: readonly ResourceKind[];
  roots: readonly Node[];
  /** Why it, or a part of it, could not be read; null: all of it is in `roots`. */
  problem: string | null;
}

interface WeakInput {
  rules: DocumentRules;
  declared: Declared;
  /** Reads the same before the change, for a document with findings; null: it is new. */
  before: (() => Declared) | null;
  /** Other documents of the same module of Terraform. */
  module: readonly Node[];
  moduleBefore: readonly Node[];
  /** Only a part of the document is at hand. */
  isPart: boolean;
  /** Whether the change adds a line between two offsets of the text. */
  isTouched(start: number, end: number): boolean;
  /** Severity of a rule. */
  severityOf(id: string): Severity;
}

/** Resources that a change leaves weak, and how many others were weak before. */
export interface WeakResources {
  found: WeakResource[];
  known: number;
  /** Where rules on documents say all that rules on lines would. */
  settled: SettledPart[];
  /** Variables stand for more values than were looked at. */
  isCut: boolean;
}

interface WeakResource extends Observation {
  address: string;
}

/** A part of a text in which findings of rules on lines with these ids are silent. */
export interface SettledPart {
  start: number;
  end: number;
  ids: ReadonlySet<string>;
}

/**
 * Rules on lines that take a word for what it says: in a statement of a policy or in a pod that is
 * read whole, rules on documents also see a denial, a condition, and the programs of a node.
 */
const SETTLED: Readonly<Record<string, ReadonlySet<string>>> = {
  PolicyStatement: new Set(['risk-iam-principal-any', 'risk-iam-service-wildcard']),
  PodSpec: new Set(['risk-privileged-container', 'risk-host-path']),
};

/**
 * Findings in resources that a change adds, makes weaker, or touches. A resource that was
 * safe before is a grade graver than a new one, and says what it was.
 */
export function weakResources(input: WeakInput): WeakResources {
  const all = input.declared.kinds.map((kind) => weakOfKind(kind, input));
  return {
    found: all.flatMap(({ found }) => found),
    known: all.reduce((sum, { known }) => sum + known, 0),
    settled: all.flatMap(({ settled }) => settled),
    isCut: all.some(({ isCut }) => isCut),
  };
}

function weakOfKind(kind: ResourceKind, input: WeakInput): WeakResources {
  const { rules, declared, before, module, moduleBefore, isPart, isTouched, severityOf } = input;
  const resources = resourcesOf(kind, declared.roots, module);
  const all = rules.look(kind, resources, isPart);
  const settled = isPart ? [] : settledIn(resources);
  const { isCut } = resources;
  if (all.length === 0) return { found: [], known: 0, settled, isCut };
  const old = before === null ? null : resourcesOf(kind, before().roots, moduleBefore);
  const known = new Map<string, number>();
  const knownValues = new Set<string>();
  for (const one of old === null ? [] : rules.look(kind, old, isPart)) {
    known.set(keyOf(one), (known.get(keyOf(one)) ?? 0) + 1);
    knownValues.add(keyOfValues(one));
  }
  const oldByAddress = new Map(old?.all.map((one) => [`${one.type} ${one.address}`, one]));
  const found: WeakResource[] = [];
  let untouched = 0;
  for (const one of all) {
    const { resource, path, values, ...seen } = one;
    const observation = { ...seen, address: resource.address };
    const count = known.get(keyOf(one)) ?? 0;
    known.set(keyOf(one), count - 1);
    const earlier = oldByAddress.get(`${resource.type} ${resource.address}`);
    // A default that was there before says little about what the users of a module get.
    const hasDefault = values.some(isDefault);
    const places = hasDefault ? values : [resource.isLoose === true ? one : resource];
    const isAnother = hasDefault && !knownValues.has(keyOfValues(one));
    const isNew = isAnother || places.some(({ start, end }) => isTouched(start, end));
    if (count > 0 && !isNew) {
      untouched += 1;
    } else if (count > 0 || earlier === undefined || old === null) {
      found.push(observation);
    } else {
      const { severity, note } = weakened(severityOf(one.id), path, earlier, old);
      found.push({ ...observation, note, ...(hasDefault ? {} : { severity }) });
    }
  }
  return { found, known: untouched, settled, isCut };
}

function settledIn({ all }: Resources): SettledPart[] {
  return all.flatMap(({ type, node, start, end }) => {
    const ids = Object.hasOwn(SETTLED, type) ? SETTLED[type] : undefined;
    if (ids === undefined) return [];
    if (type !== 'PolicyStatement' || !isDenial(node)) return [{ start, end, ids }];
    // All statements of a policy that is a text in quotes stand where it does.
    const isOnly = all.every(
      (one) => one.start !== start || one.type !== type || isDenial(one.node),
    );
    return [{ start, end, ids: isOnly ? new Set([...ids, 'risk-iam-wildcard']) : ids }];
  });
}

function isDenial(statement: Node): boolean {
  return scalarsOf(valuesOf(statement, 'Effect')).some(({ value }) => value === 'Deny');
}

function keyOf({ id, resource }: ResourceObservation): string {
  return `${id} ${resource.address}`;
}

function keyOfValues(one: ResourceObservation): string {
  const texts = one.values.map((value) => (value.kind === 'scalar' ? value.value : ''));
  return `${keyOf(one)} ${JSON.stringify(texts)}`;
}

function isDefault({ borrowed }: Node): boolean {
  return borrowed === 'default';
}

/** How grave it is, and what is said, of a resource that was safe before. */
export function weakened(
  severity: Severity,
  path: string,
  earlier: Resource,
  old: Resources,
): { severity: Severity; note: string } {
  return { severity: graver(severity), note: weakenedFrom(earlier, path, old) };
}

function graver(severity: Severity): Severity {
  return SEVERITIES[Math.max(0, severityRank(severity) - 1)] ?? severity;
}

function weakenedFrom(earlier: Resource, path: string, resources: Resources): string {
  if (path === '') return 'It was safe before this change.';
  const nodes = resources.valuesAt(earlier.node, pathsOf(path));
  const was = nodes.flatMap((node) => {
    return node.kind === 'scalar' && node.value.length <= DOCUMENTS.SHOWN_CHARS_MAX
      ? [node.value]
      : [];
  });
  const values = was.slice(0, 3).join(', ') || (nodes.length === 0 ? 'absent' : 'another value');
  return `Before this change, ${path} was ${values}.`;
}

/** Reads a file as a document with resources. */
export function declaredIn(
  file: ResourceFile,
  path: string,
  text: string,
  readYaml: ReadYaml | null,
  readTerraform = readHcl,
): Declared {
  if (file === 'data' && !mayDeclare(text)) return NOTHING;
  if (file === 'conf') {
    const server = serverOf(text);
    return server === null ? NOTHING : declaredIn(server, path, text, readYaml);
  }
  if (isSettings(file) && SETTINGS[file].foreign?.test(text)) return NOTHING;
  return { kinds: kindsIn(file), ...documentOf(file, path, text, readYaml, readTerraform) };
}

const NOTHING: Declared = { kinds: [], roots: [], problem: null };

/** The kinds of resources that a file may declare: a text of several documents has some of each. */
export function kindsIn(file: Exclude<ResourceFile, 'conf'>): readonly ResourceKind[] {
  if (file === 'data') return DATA;
  if (file === 'terraform') return ['terraform', 'kubernetes'];
  // `application.yaml` may be an application of something else.
  return file === 'spring' ? ['spring', ...DATA] : [file];
}

const DATA: readonly ResourceKind[] = ['kubernetes', 'cloudformation'];

/** Whether a text has a word that stands in each of these documents. */
function mayDeclare(text: string): boolean {
  if (text.includes('apiVersion') || text.includes('AWS::')) return true;
  return text.includes('\\') && SPELLED.test(text);
}

/** These words where escapes spell some of their letters. */
const SPELLED = new RegExp(`${spelled('apiVersion')}|${spelled('AWS::')}`);

function spelled(word: string): string {
  const escaped = String.raw`\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8})`;
  const joinedLine = String.raw`(?:\\\r?\n\s*)*`;
  return [...word].map((letter) => `(?:${letter}|${escaped})`).join(joinedLine);
}

function documentOf(
  file: ResourceFile,
  path: string,
  text: string,
  readYaml: ReadYaml | null,
  readTerraform = readHcl,
): Document {
  if (file === 'dockerfile') return readDockerfile(text);
  if (file === 'jenkins') return readJenkinsfile(text);
  if (file === 'migration') {
    return readMigration(path, text, () => documentOf('data', path, text, readYaml).roots);
  }
  const own = isSettings(file) ? SETTINGS[file].read(withoutActions(text), path) : null;
  if (own !== null) return own;
  const isJson = /\.json$/i.test(path) || /^\s*\{(?!\{)/.test(text);
  if (isJson) return readJson(text);
  if (file === 'terraform') return readTerraform(text);
  if (readYaml === null) return { format: 'yaml', roots: [], problem: null };
  if (isPipeline(file)) return readYaml(text);
  const template = readTemplate(text);
  const read = readYaml(template.text);
  // Actions in texts of a chart's values are run later, and may spoil the layout of those texts.
  const plain = file === 'helm' && read.problem !== null ? readYaml(text) : null;
  if (plain?.problem === null) return plain;
  return { ...read, roots: withValueNames(read.roots, template) };
}

const PIPELINES: ReadonlySet<ResourceFile> = new Set([
  'workflow',
  'gitlab',
  'azure-pipelines',
  'circleci',
  'bitbucket',
  'drone',
]);

/** Files in which braces are expressions of their own. */
function isPipeline(file: ResourceFile): boolean {
  return PIPELINES.has(file);
}

/**
 * Blocks of Terraform in a part of a file, with their offsets, if their first line is there. Of
 * a block that is cut within another one, it is the first line alone.
 */
export function blocksOfPart(text: string): { text: string; offset: number }[] {
  const heads = [
    ...text.matchAll(/^(?:resource|data|module|provider|variable|terraform|moved|removed)\b/gm),
  ];
  return heads.flatMap(({ index }, at) => {
    const block = text.slice(index, heads[at + 1]?.index ?? text.length);
    const end = /^\}/m.exec(block);
    if (end !== null) return [{ text: block.slice(0, end.index + 1), offset: index }];
    // The end of the block is not in view.
    const open = block.split(/[{[]/).length - block.split(/[}\]]/).length;
    if (open === 1) return [{ text: `${block}\n}`, offset: index }];
    const head = /^[^\n{]*\{(?=[ \t]*\n)/.exec(block)?.[0];
    return head === undefined ? [] : [{ text: `${head}\n}`, offset: index }];
  });
}
