import { isUtf8 } from 'node:buffer';
import { type CraError, invalidField } from '../../model/errors.ts';
import { requireUniqueNames } from '../../model/validate.ts';
import type { Entry, ListNode, MapNode, Node, ScalarNode } from './document.ts';
import { DOCUMENTS, PLANS } from './limits.ts';

/**
 * A plan of Terraform or OpenTofu as `terraform show -json` writes it
 * (https://developer.hashicorp.com/terraform/internals/json-format).
 */
export interface TerraformPlan {
  /** What it does to resources, by their place in it; what it leaves as it is has no entry. */
  readonly changes: ReadonlyMap<number, PlannedChange>;
  /** By the path of the module, `''` for the root: what its resources refer to. */
  readonly references: ReadonlyMap<string, Node>;
  /** Why it is known that more is to come than the plan says; null: it is complete. */
  readonly incomplete: string | null;
}

export type PlannedAction = 'create' | 'update' | 'replace' | 'delete' | 'read';

export interface PlannedChange {
  readonly action: PlannedAction;
  /** With module and key, as in `module.shop.aws_s3_bucket.files["eu"]`. */
  readonly address: string;
  /** The path of its module, without keys. */
  readonly module: string;
  readonly type: string;
  readonly name: string;
  /**
   * Documents of Terraform that declare the resource as it is and as it is going to be; null: it
   * is not there. All offsets in them are the place of the change in the plan.
   */
  readonly before: Node | null;
  readonly after: Node | null;
  /** Why it is replaced or deleted, words behind "as"; null: the plan does not say. */
  readonly reason: string | null;
}

/**
 * Reads a plan. Values that the plan marks as sensitive, and values that are known after the apply
 * alone, are unknown. Throws INVALID_ARGUMENT, which quotes no value, for what is not a plan, for
 * one in another version of the format, and for one beyond the bounds.
 */
export function readTerraformPlan(bytes: Uint8Array): TerraformPlan {
  const plan = parsePlan(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  requirePlan(plan);
  const changes = listOf(plan['resource_changes'], 'resource_changes');
  if (changes.length > PLANS.RESOURCES_MAX) {
    throw refused(`has more than ${PLANS.RESOURCES_MAX} resources`);
  }
  const modules = new Modules(plan['configuration']);
  const budget = { nodes: 0 };
  const read = new Map<number, PlannedChange>();
  for (const [index, value] of changes.entries()) {
    const change = readChange(value, index, modules, budget);
    if (change !== null) read.set(index, change);
  }
  return {
    changes: read,
    references: modules.references(budget),
    incomplete: incompleteness(plan),
  };
}

type Json = Readonly<Record<string, unknown>>;

const SHOW = 'write it by terraform show -json PLANFILE (or tofu show -json)';

function refused(problem: string): CraError {
  return invalidField('terraform plan', problem);
}

function parsePlan(bytes: Buffer): Json {
  if (bytes.length > PLANS.BYTES_MAX) {
    throw refused(`is longer than ${PLANS.BYTES_MAX / 1024 / 1024} MiB`);
  }
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') {
    throw refused(`is the binary file of a plan: ${SHOW}`);
  }
  if (!isUtf8(bytes) || bytes.subarray(0, 100).includes(0)) {
    throw refused(`is not UTF-8: ${SHOW}, and keep its encoding`);
  }
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  if (/^\s*\{"@(?:level|message)"/.test(text)) {
    throw refused(`is the log of terraform plan -json: ${SHOW}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may hold secrets.
    throw refused(`is not JSON: ${SHOW}`);
  }
  requireUniqueNames(text, value, 'terraform plan');
  if (!isMap(value)) throw refused(`is not a JSON object: ${SHOW}`);
  return value;
}

function requirePlan(plan: Json): void {
  const version = plan['format_version'];
  if (typeof version !== 'string') throw refused(`has no format_version: ${SHOW}`);
  if (!/^1\.\d+$/.test(version)) {
    const shown = /^[\d.]{1,20}$/.test(version) ? version : 'another one';
    throw refused(`has format_version ${shown}; this service reads 1.x (Terraform 1.1 or later)`);
  }
  const isPlan = ['planned_values', 'resource_changes'].some((key) => Object.hasOwn(plan, key));
  if (!isPlan) {
    const isState = Object.hasOwn(plan, 'values');
    throw refused(`${isState ? 'is a state, not a plan' : 'is not a plan'}: ${SHOW}`);
  }
  if (plan['errored'] === true) throw refused('ended with an error, so it cannot be applied');
}

function incompleteness(plan: Json): string | null {
  const deferred = listOf(plan['deferred_changes'], 'deferred_changes').length;
  if (deferred > 0) return `it puts off ${deferred} changes to a later plan`;
  return plan['complete'] === false ? 'another plan has to follow it' : null;
}

/** The actions of a change; null: it does nothing to a resource. */
const ACTIONS: ReadonlyMap<string, PlannedAction | null> = new Map([
  ['no-op', null],
  ['create', 'create'],
  ['read', 'read'],
  ['update', 'update'],
  ['delete', 'delete'],
  ['delete,create', 'replace'],
  ['create,delete', 'replace'],
  ['forget', null],
  // The old one stays, and Terraform forgets it.
  ['create,forget', 'create'],
  ['forget,create', 'create'],
  ['open', null],
  ['renew', null],
  ['close', null],
] as const);

/** One of `resource_changes`; null: it does nothing. */
function readChange(
  value: unknown,
  index: number,
  modules: Modules,
  budget: Budget,
): PlannedChange | null {
  const where = `resource_changes.${index}`;
  const own = mapOf(value, where);
  const change = mapOf(own['change'], `${where}.change`);
  const actions = listOf(change['actions'], `${where}.change.actions`).join(',');
  const action = ACTIONS.get(actions);
  if (action === undefined) throw refused(`${where}.change.actions is not known`);
  if (action === null) return null;
  const address = wordOf(own['address'], `${where}.address`);
  const type = wordOf(own['type'], `${where}.type`);
  const name = wordOf(own['name'], `${where}.name`);
  const block = own['mode'] === 'data' ? 'data' : 'resource';
  const ofModule = own['module_address'];
  const module = ofModule === undefined ? '' : wordOf(ofModule, `${where}.module_address`);
  const path = withoutKeys(module);
  const { before, after, after_unknown, before_sensitive, after_sensitive } = change;
  const secrets = new Set([
    ...sensitiveTexts(before, before_sensitive),
    ...sensitiveTexts(after, after_sensitive),
  ]);
  const values = new Values(index, secrets, budget);
  const declare = (planned: Planned) => {
    const node = values.node(planned);
    return node.kind === 'map' ? declaration({ block, type, name }, node, index) : null;
  };
  const was = { values: before, unknown: false, sensitive: before_sensitive, given: null };
  const given = modules.expressions(path, { block, type, name });
  const will = { values: after, unknown: after_unknown, sensitive: after_sensitive, given };
  return {
    action,
    address: own['deposed'] === undefined ? address : `${address} (deposed)`,
    module: path,
    type: block === 'data' ? `data.${type}` : type,
    name,
    before: declare(was),
    after: action === 'delete' ? null : declare(will),
    reason: reasonOf(own['action_reason'], change['replace_paths']),
  };
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['replace_because_tainted', 'it is marked as tainted'],
  ['replace_by_request', '-replace was given'],
  ['replace_by_triggers', 'replace_triggered_by names something that changes'],
  ['delete_because_no_resource_config', 'the configuration does not have it any more'],
  ['delete_because_no_module', 'the configuration does not have its module any more'],
  ['delete_because_wrong_repetition', 'count or for_each was added or removed'],
  ['delete_because_count_index', 'count is smaller now'],
  ['delete_because_each_key', 'for_each does not have its key any more'],
  ['delete_because_no_move_target', 'it was moved to what the configuration does not have'],
]);

/** Arguments that are named. */
const PATHS_SHOWN_MAX = 5;

function reasonOf(reason: unknown, paths: unknown): string | null {
  const known = REASONS.get(reason);
  if (known !== undefined) return known;
  if (!Array.isArray(paths) || paths.length === 0) return null;
  const shown = paths.slice(0, PATHS_SHOWN_MAX).map((path) => {
    const steps = (Array.isArray(path) ? path : []).filter((step) => typeof step === 'string');
    return steps.join('.').slice(0, SHOWN_PATH_CHARS_MAX);
  });
  const named = [...new Set(shown)].join(', ');
  return `${named} ${shown.length === 1 ? 'has another value' : 'have other values'}`;
}

const SHOWN_PATH_CHARS_MAX = 60;

/** `module.a["x"].module.b[0]` without the keys of instances. */
function withoutKeys(address: string): string {
  return address.replace(/\[(?:"(?:[^"\\]|\\.)*"|\d+)\]/g, '');
}

/** What a resource is called in its module. */
interface Label {
  readonly block: string;
  readonly type: string;
  readonly name: string;
}

/** A document of Terraform with one resource. */
function declaration({ block, type, name }: Label, node: MapNode, offset: number): MapNode {
  const entry = (key: string, value: Node) => entryAt(offset, key, value);
  const map = (entries: Entry[]): MapNode => ({ ...at(offset), kind: 'map', entries });
  return map([entry(block, map([entry(type, map([entry(name, node)]))]))]);
}

function entryAt(offset: number, key: string, value: Node): Entry {
  return { key, keyStart: offset, keyEnd: offset, value };
}

function at(offset: number) {
  return { start: offset, end: offset };
}

/** Nodes of all values that were read. */
interface Budget {
  nodes: number;
}

/** One value, and what the plan says of it. */
interface Planned {
  values: unknown;
  unknown: unknown;
  sensitive: unknown;
  /** The expressions of the configuration that give it; null: they are not at hand. */
  given: unknown;
}

/** Makes nodes of the values of a resource. */
class Values {
  private readonly offset: number;
  private readonly secrets: ReadonlySet<string>;
  private readonly budget: Budget;

  constructor(offset: number, secrets: ReadonlySet<string>, budget: Budget) {
    this.offset = offset;
    this.secrets = secrets;
    this.budget = budget;
  }

  node({ values, unknown, sensitive, given }: Planned, depth = 0): Node {
    if (depth > DOCUMENTS.DEPTH_MAX) throw refused(`is nested deeper than ${DOCUMENTS.DEPTH_MAX}`);
    this.budget.nodes += 1;
    if (this.budget.nodes > PLANS.NODES_MAX) {
      throw refused(`has more than ${PLANS.NODES_MAX} values in resources that change`);
    }
    if (sensitive === true) return this.unknown('');
    if (unknown === true) return this.unknown(referencesOf(given).join(' '));
    if (Array.isArray(values) || Array.isArray(unknown)) {
      return this.list({ values, unknown, sensitive, given }, depth);
    }
    if (isMap(values) || isMap(unknown)) {
      return this.map({ values, unknown, sensitive, given }, depth);
    }
    const value = values === null || values === undefined ? 'null' : String(values);
    if (this.secrets.has(value)) return this.unknown('');
    return { ...at(this.offset), kind: 'scalar', value };
  }

  private list({ values, unknown, sensitive, given }: Planned, depth: number): ListNode {
    const lists = { values: asList(values), unknown: asList(unknown) };
    const length = Math.max(lists.values.length, lists.unknown.length);
    const items = Array.from({ length }, (_, index) => {
      const own = {
        values: lists.values[index],
        unknown: lists.unknown[index],
        sensitive: asList(sensitive)[index],
        given: Array.isArray(given) ? given[index] : null,
      };
      return this.node(own, depth + 1);
    });
    return { ...at(this.offset), kind: 'list', items };
  }

  private map({ values, unknown, sensitive, given }: Planned, depth: number): MapNode {
    const maps = { values: asMap(values), unknown: asMap(unknown) };
    const expressions = isExpression(given) ? null : given;
    const keys = new Set([...Object.keys(maps.values), ...Object.keys(maps.unknown)]);
    const entries = [...keys].flatMap((key) => {
      const own = {
        values: ownOf(maps.values, key),
        unknown: ownOf(maps.unknown, key),
        sensitive: ownOf(asMap(sensitive), key),
        given: ownOf(asMap(expressions), key) ?? null,
      };
      // What nobody has written is what the provider chooses: it is missing as in a file.
      const isChosen = own.unknown === true && isMap(expressions) && own.given === null;
      if (isChosen || (own.values === null && own.unknown !== true)) return [];
      return [entryAt(this.offset, key, this.node(own, depth + 1))];
    });
    return { ...at(this.offset), kind: 'map', entries };
  }

  private unknown(text: string): ScalarNode {
    return { ...at(this.offset), kind: 'scalar', value: text, computed: true };
  }
}

/** Shorter values are part of too much, such as `true`. */
const SECRET_CHARS_MIN = 8;

/** Texts that a resource marks as sensitive: they may stand again where it does not. */
function sensitiveTexts(values: unknown, sensitive: unknown): Set<string> {
  const texts = new Set<string>();
  const open = [[values, sensitive]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [value, mark] = pair;
    const isAll = mark === true;
    if (typeof value === 'string' && isAll && value.length >= SECRET_CHARS_MIN) texts.add(value);
    if (Array.isArray(value) && (isAll || Array.isArray(mark))) {
      value.forEach((item, index) => void open.push([item, isAll || asList(mark)[index]]));
    } else if (isMap(value) && (isAll || isMap(mark))) {
      for (const [key, item] of Object.entries(value)) {
        open.push([item, isAll || ownOf(asMap(mark), key)]);
      }
    }
  }
  return texts;
}

/** Whether this is one expression, not a block of them. */
function isExpression(given: unknown): boolean {
  return isMap(given) && (Array.isArray(given['references']) || 'constant_value' in given);
}

/** What an expression refers to, as templates write it. */
function referencesOf(expression: unknown): string[] {
  const references = asList(ownOf(asMap(expression), 'references'));
  return references.flatMap((one) => (typeof one === 'string' ? [`\${${one}}`] : []));
}

interface Configured extends Label {
  readonly expressions: Json;
}

/** The modules of a configuration. */
class Modules {
  /** By the path of the module: its resources by their labels. */
  private readonly known = new Map<string, Map<string, Configured>>();

  constructor(configuration: unknown) {
    const open = [{ path: '', module: ownOf(asMap(configuration), 'root_module'), depth: 0 }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { path, depth } = next;
      const module = asMap(next.module);
      if (depth > DOCUMENTS.DEPTH_MAX) {
        throw refused(`has modules that are nested deeper than ${DOCUMENTS.DEPTH_MAX}`);
      }
      const resources = new Map<string, Configured>();
      for (const one of asList(ownOf(module, 'resources')).map(asMap)) {
        const block = one['mode'] === 'data' ? 'data' : 'resource';
        const label = { block, type: String(one['type']), name: String(one['name']) };
        resources.set(keyOf(label), { ...label, expressions: asMap(one['expressions']) });
      }
      this.known.set(path, resources);
      if (this.known.size > PLANS.MODULES_MAX) {
        throw refused(`has more than ${PLANS.MODULES_MAX} modules`);
      }
      for (const [name, call] of Object.entries(asMap(ownOf(module, 'module_calls')))) {
        const below = path === '' ? `module.${name}` : `${path}.module.${name}`;
        wordOf(below, 'the path of a module');
        open.push({ path: below, module: ownOf(asMap(call), 'module'), depth: depth + 1 });
      }
    }
  }

  /** The expressions of a resource; null: the configuration does not have it. */
  expressions(module: string, label: Label): Json | null {
    return this.known.get(module)?.get(keyOf(label))?.expressions ?? null;
  }

  /** Documents that declare, for each resource, what it refers to. */
  references(budget: Budget): Map<string, Node> {
    const documents = new Map<string, Node>();
    for (const [path, resources] of this.known) {
      const entries = [...resources.values()].flatMap((one) => {
        const items = textsOfReferences(one.expressions, budget).map((value): Node => {
          return { ...at(0), kind: 'scalar', value, computed: true };
        });
        const list: ListNode = { ...at(0), kind: 'list', items };
        const node: MapNode = { ...at(0), kind: 'map', entries: [entryAt(0, 'references', list)] };
        return items.length === 0 ? [] : declaration(one, node, 0).entries;
      });
      documents.set(path, { ...at(0), kind: 'map', entries });
    }
    return documents;
  }
}

function keyOf({ block, type, name }: Label): string {
  return `${block} ${type}.${name}`;
}

function textsOfReferences(expressions: unknown, budget: Budget): string[] {
  const texts: string[] = [];
  const open = [expressions];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    budget.nodes += 1;
    if (budget.nodes > PLANS.NODES_MAX) {
      throw refused(`has more than ${PLANS.NODES_MAX} values and expressions`);
    }
    texts.push(...referencesOf(next));
    if (Array.isArray(next) || isMap(next)) {
      for (const one of Object.values(next)) {
        if (typeof one === 'object' && one !== null) open.push(one);
      }
    }
  }
  return texts;
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asMap(value: unknown): Json {
  return isMap(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function ownOf(map: Json, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function mapOf(value: unknown, where: string): Json {
  if (!isMap(value)) throw refused(`${where} is not an object`);
  return value;
}

function listOf(value: unknown, where: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw refused(`${where} is not a list`);
  return value;
}

function wordOf(value: unknown, where: string): string {
  if (typeof value !== 'string' || value === '' || value.length > PLANS.ADDRESS_CHARS_MAX) {
    throw refused(`${where} is not a text of 1 to ${PLANS.ADDRESS_CHARS_MAX} characters`);
  }
  return value;
}
