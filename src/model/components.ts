import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import { SEVERITIES } from './finding.ts';
import { RULES } from './limits.ts';
import { isNamedBranch } from './push.ts';
import type { RfcStatus, Transition } from './rfc.ts';
import { COUNT, exactly, type ReadonlyLists, SCORE, TEXT, TEXT_OR_NULL } from './schema.ts';

/** Modes of a component, by rule (`risk-acme-*`): they count before `pipeline.modes`. */
const MODES = {
  type: 'object',
  maxProperties: RULES.COMPONENT_MODES_MAX,
  additionalProperties: { type: 'string', enum: ['monitor', 'warn', 'block'] },
} as const;

const NAMES = { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 } as const;

/** A part of a repository that is judged as if it were a repository (docs/why/heads.md). */
export const COMPONENT = {
  type: 'object',
  required: ['id', 'paths'],
  additionalProperties: false,
  properties: {
    // It is part of the name of a commit status.
    id: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,62}$' },
    // Globs (`services/web/**`), or RE2 expressions after `re:`.
    paths: {
      type: 'array',
      minItems: 1,
      maxItems: RULES.COMPONENT_PATHS_MAX,
      items: { type: 'string', minLength: 1, maxLength: RULES.COMPONENT_PATH_CHARS_MAX },
    },
    // `repo_name` of the one repository that it is part of; absent: of all.
    repo: { type: 'string', minLength: 1 },
    // Names, perhaps with `*` at the end; absent: all.
    branches: { ...NAMES, maxItems: RULES.COMPONENT_PATHS_MAX },
    modes: MODES,
    // Replaces the values of `pipeline`.
    block_severities: { type: 'array', items: { type: 'string', enum: [...SEVERITIES] } },
    block_score: { type: ['integer', 'null'], minimum: 0, maximum: 100 },
    // What Git hosts show of its findings, in place of the settings of the host.
    findings: { type: 'string', enum: ['off', 'summary', 'lines'] },
    findings_severity: { type: 'string', enum: [...SEVERITIES] },
  },
} as const;
export type Component = ReadonlyLists<Static<typeof COMPONENT>>;

/** What the gates say of one component of a change. */
const PLAIN_VERDICT = exactly({
  id: TEXT,
  status: {
    type: 'string',
    enum: ['PASSED', 'BLOCKED', 'OVERRIDDEN', 'APPROVED', 'REJECTED'],
    description: 'Of a DRAFT: by gates 1 and 2',
  },
  risk_score: SCORE,
  findings: {
    type: 'array',
    maxItems: RULES.COMPONENT_FINDINGS_MAX,
    items: exactly({
      id: { ...TEXT, description: 'Rule' },
      severity: { type: 'string', enum: [...SEVERITIES] },
      file: { ...TEXT_OR_NULL, description: 'Null: it belongs to all components' },
      line: { type: ['integer', 'null'], minimum: 1 },
    }),
    description: 'The worst findings that count',
  },
  findings_total: COUNT,
  base: { ...TEXT_OR_NULL, description: 'Commit that its range begins at; null when absent' },
  same_as: {
    ...TEXT_OR_NULL,
    description: 'RFC that judged it, since which nothing in it has changed; null: this one',
  },
});
export const COMPONENT_VERDICT = {
  ...PLAIN_VERDICT,
  properties: {
    ...PLAIN_VERDICT.properties,
    held: {
      type: 'boolean',
      enum: [true],
      description: 'BLOCKED because the review of gate 3 failed, not for what it found',
    },
  },
} as const;
export type ComponentVerdict = Static<typeof PLAIN_VERDICT> & { held?: true };

/** The components of a repository, and the name of their map: equal for equal maps. */
export interface ComponentMap {
  key: string;
  components: readonly Component[];
}

/** The components that a repository has by these rules; null when absent. */
export function componentMap(
  rules: { components?: readonly Component[] },
  repoName: string,
): ComponentMap | null {
  const { components = [] } = rules;
  if (components.length === 0) return null;
  const name = repoName.toLowerCase();
  const own = components.filter(({ repo }) => repo === undefined || repo.toLowerCase() === name);
  if (own.length === 0) return null;
  const places = own.map(({ id, paths, branches = null }) => [id, paths, branches]);
  const key = createHash('sha256').update(JSON.stringify(places)).digest('hex');
  return { key: key.slice(0, KEY_HEX_DIGITS), components: own };
}

const KEY_HEX_DIGITS = 16;

/** The components that a repository had by the rules that an RFC names; null when not known. */
export type EarlierMaps = (rfc: {
  rules_revision: string;
  repo_name: string;
}) => Promise<ComponentMap | null>;

/**
 * Whether a component is by one map what it was by an earlier one: verdicts of that map hold for
 * it. Its own paths and branches are the same, and what others claimed is claimed still: what
 * nobody claims any more would be new in it.
 */
export function keepsComponent(before: ComponentMap, now: ComponentMap, id: string): boolean {
  const [was, is] = [before, now].map(({ components }) => components.find((one) => one.id === id));
  if (was === undefined || is === undefined || textOf(was) !== textOf(is)) return false;
  const claimed = new Set(now.components.flatMap(({ paths }) => paths));
  return before.components.every(({ paths }) => paths.every((path) => claimed.has(path)));
}

function textOf({ paths, branches }: Component): string {
  return JSON.stringify([paths, branches ?? null]);
}

/** Whether a component is judged on a branch. */
export function isOfBranch({ branches }: Component, branch: string): boolean {
  return branches === undefined || isNamedBranch(branch, branches);
}

/** What a record says of the components that it judged. */
interface Judged {
  components?: ComponentVerdict[];
  /** Key of the map by which they were judged. */
  component_map?: string;
}

/** The same record with other verdicts of components; null: it has none. */
export function withComponents<Of extends Judged>(
  record: Of,
  judged: { key: string; components: ComponentVerdict[] } | null,
): Of {
  if (judged !== null) {
    return { ...record, components: judged.components, component_map: judged.key };
  }
  if (record.component_map === undefined) return record;
  const copy = { ...record };
  delete copy.components;
  delete copy.component_map;
  return copy;
}

/**
 * Components that a record speaks for: its change touches them, and it judged them itself.
 * A rejection speaks for all that it lists; an override or approval of a component that an earlier
 * RFC judged is a decision about that RFC.
 */
export function touchedComponents(record: Judged & { overall_status?: RfcStatus }): string[] {
  const { components = [], overall_status } = record;
  const isOwn = ({ same_as }: ComponentVerdict) =>
    same_as === null || overall_status === 'REJECTED';
  return components.filter(isOwn).map(({ id }) => id);
}

const PASSING: ReadonlySet<RfcStatus> = new Set(['PASSED', 'OVERRIDDEN', 'APPROVED']);

/** Whether a verdict or decision lets a component, or a change, pass. */
export function isPassing(status: RfcStatus): boolean {
  return PASSING.has(status);
}

/**
 * The verdicts of components after a decision about their RFC: it is about each of them, also about
 * components that another RFC judged (`same_as` names it). What was rejected by a decision about
 * that RFC stays so.
 */
export function decidedComponents<Of extends Judged>(
  record: Of,
  action: Transition | 'confirm',
): Partial<Judged> {
  const { components } = record;
  if (components === undefined || action === 'confirm') return {};
  const passed = action === 'approve' ? 'APPROVED' : 'PASSED';
  const statusAfter = (status: ComponentVerdict['status']): ComponentVerdict['status'] => {
    if (action === 'reject' || action === 'object') return 'REJECTED';
    // Another RFC was rejected for it: an override of this one does not withdraw that.
    if (status === 'REJECTED') return status;
    return status === 'PASSED' ? passed : 'OVERRIDDEN';
  };
  return { components: components.map((one) => ({ ...one, status: statusAfter(one.status) })) };
}
