import { once } from '../../../core/once.ts';
import type { ResourceKind } from '../../../model/rules.ts';
import { entriesOf, type Node, UNKNOWN_TEXT, valuesOf } from '../document.ts';
import { DOCUMENTS } from '../limits.ts';
import { SETTINGS } from '../settings.ts';
import { azurePipelines } from './azure-pipelines.ts';
import { chartValuesOf } from './chart-values.ts';
import { cloudformation, parametersOf } from './cloudformation.ts';
import { compose } from './compose.ts';
import { dockerfile } from './dockerfile.ts';
import { gitlab } from './gitlab.ts';
import { jenkins } from './jenkins.ts';
import { kubernetes } from './kubernetes.ts';
import { migration } from './migration.ts';
import { bitbucket, circleci, drone } from './pipelines.ts';
import { isNull, type Resolve, type Resource, withExpressions, within } from './resource.ts';
import { terraform, variablesOf } from './terraform.ts';
import { manifestsOf } from './terraform-kubernetes.ts';
import { workflow } from './workflow.ts';

/** What documents declare, and what their variables stand for. */
export interface Resources {
  readonly all: readonly Resource[];
  /** What other documents of the same module declare: few rules ask. */
  others(): readonly Resource[];
  /** Values at the end of paths of keys: lists are entered. */
  valuesAt(from: Node, paths: Paths): readonly Node[];
  /** The keys at which paths may begin in a node; null: nobody knows them all. */
  keysOf(node: Node): ReadonlySet<string> | null;
  /** Whether variables stand for more values than are followed. */
  readonly isCut: boolean;
}

/** Paths that count together, each as its steps: the keys that it may take. */
export type Paths = readonly (readonly Step[])[];

type Step = typeof ANY_KEY | readonly string[];

const ANY_KEY = '*';

/**
 * Paths as rules write them: `*` is any key, `a|b` both, `[a.b]` a key with a dot; blanks stand
 * between paths that count together.
 */
export function pathsOf(text: string): Paths {
  return text.split(' ').map((path) => {
    return [...path.matchAll(/\[[^\]]*\]|[^.]+/g)].map(([step]): Step => {
      const key = step.replace(/^\[(.*)\]$/, '$1');
      return key === ANY_KEY ? ANY_KEY : key.split('|');
    });
  });
}

/** The keys at which these paths may begin; null: at any. */
export function firstKeysOf(paths: Paths): readonly string[] | null {
  const keys = paths.flatMap(([first = ANY_KEY]) => first);
  return keys.includes(ANY_KEY) ? null : keys;
}

/**
 * The resources of a document; `module`: other documents of the same module of Terraform, for
 * values of variables. Documents of another kind have none.
 */
export function resourcesOf(
  kind: ResourceKind,
  roots: readonly Node[],
  module: readonly Node[] = [],
): Resources {
  const { declaredIn, resolver } = KINDS[kind];
  const resolve = resolver?.([...roots, ...module]) ?? ((node) => node);
  const view: View = { resolve, room: DOCUMENTS.BORROWED_MAX, isCut: false };
  return {
    all: roots.flatMap(declaredIn),
    others: once(() => module.flatMap(declaredIn)),
    valuesAt: (from, paths) => paths.flatMap((path) => nodesAt(from, path, view)),
    keysOf: (node) => keysIn(node, view),
    get isCut() {
      return view.isCut;
    },
  };
}

interface View {
  readonly resolve: Resolve;
  /** Items of lists behind variables that may still be entered. */
  room: number;
  isCut: boolean;
}

/** What a document of each kind declares, and how its expressions are resolved, if it has any. */
const KINDS: Readonly<Record<ResourceKind, Kind>> = {
  terraform: { declaredIn: terraform, resolver: variablesOf },
  cloudformation: { declaredIn: cloudformation, resolver: parametersOf },
  kubernetes: {
    declaredIn: (root) => [root, ...manifestsOf(root)].flatMap(kubernetes),
    resolver: (roots) => {
      const variable = variablesOf(roots);
      const chart = chartValuesOf(roots);
      return (node) => chart(variable(node));
    },
  },
  compose: { declaredIn: compose },
  dockerfile: { declaredIn: dockerfile },
  workflow: { declaredIn: workflow, resolver: () => withExpressions },
  gitlab: { declaredIn: gitlab },
  jenkins: { declaredIn: jenkins },
  'azure-pipelines': { declaredIn: azurePipelines, resolver: () => withExpressions },
  circleci: { declaredIn: circleci },
  bitbucket: { declaredIn: bitbucket },
  drone: { declaredIn: drone },
  migration: { declaredIn: migration },
  ...SETTINGS,
};

interface Kind {
  declaredIn(root: Node): Resource[];
  resolver?(roots: readonly Node[]): Resolve;
}

/** Values at the end of a path, resolved; lists on the way are entered. */
function nodesAt(from: Node, path: readonly Step[], view: View): Node[] {
  let nodes = entered([from], view);
  for (const step of path) {
    // Most resources have nothing at most paths.
    if (nodes.length === 0) return [];
    const next = nodes.flatMap((node) => {
      // What is inside of an expression is not known either.
      if (node.kind === 'scalar') {
        return node.computed === true ? [{ ...node, possible: true as const }] : [];
      }
      const inner =
        step === ANY_KEY
          ? entriesOf([node]).map(({ value }) => value)
          : step.flatMap((key) => valuesOf(node, key));
      return within(node, inner.length > 0 ? inner : unknownIn(node));
    });
    nodes = entered(next, view);
  }
  return nodes.filter((node) => node.kind !== 'scalar' || !isNull(node));
}

function keysIn(from: Node, view: View): Set<string> | null {
  const nodes = entered([from], view);
  const keys = new Set(entriesOf(nodes).map(({ key }) => key));
  const isKnown = nodes.every(({ kind }) => kind === 'map');
  return isKnown && ![...keys].some((key) => key.startsWith(UNKNOWN_TEXT)) ? keys : null;
}

/** What a key may have that is not there, where a template puts in more keys. */
function unknownIn(node: Node): Node[] {
  if (node.kind !== 'map') return [];
  const put = node.entries.find(({ key }) => key.startsWith(UNKNOWN_TEXT));
  if (put === undefined) return [];
  const { keyStart: start, keyEnd: end, key: value } = put;
  return [{ kind: 'scalar', start, end, value, computed: true, possible: true }];
}

/** A variable may stand for a list of variables, which may stand for lists. */
function entered(nodes: readonly Node[], view: View, depth = 0): Node[] {
  return nodes.flatMap((node): Node[] => {
    const known = view.resolve(node);
    if (known.kind !== 'list') return [known];
    if (known.borrowed === undefined) return entered(known.items, view, depth);
    view.room -= known.items.length + 1;
    if (view.room >= 0 && depth < DOCUMENTS.DEPTH_MAX) {
      return entered(within(known, known.items), view, depth + 1);
    }
    view.isCut = true;
    const { start, end } = known;
    return [{ kind: 'scalar', start, end, value: '', computed: true, possible: true }];
  });
}
