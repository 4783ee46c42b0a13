import type { ParsedDiff } from '../../diff/diff.ts';
import { type ComponentPaths, componentPaths } from '../../gates/patterns/component-paths.ts';
import {
  type Component,
  type ComponentMap,
  type ComponentVerdict,
  componentMap,
  isOfBranch,
  withComponents,
} from '../../model/components.ts';
import { type GateFinding, hidesContent, isBlocking } from '../../model/finding.ts';
import { RULES } from '../../model/limits.ts';
import { findingsOf, type RfcRecord } from '../../model/records.ts';
import { isReviewNote } from '../../model/review.ts';
import { modesOf, type PipelineSettings, reviewSettings } from '../../model/rules.ts';
import {
  assessChange,
  type ChangeRisk,
  type GroupCurve,
  scoreChange,
} from '../../verdict/score.ts';
import type { MessageHints } from '../../verdict/score-model.ts';
import { applyModes } from '../../verdict/suppression.ts';
import { foldGates, worstFirst } from '../../verdict/verdict.ts';
import { countWithoutSpace, measureChange } from './change-shape.ts';
import type { ActiveRules } from './rules-cache.ts';

/** A change as its components are judged by. */
export interface PartitionedChange {
  bytes: Uint8Array;
  diff: ParsedDiff;
  /** Of the whole change. */
  risk: ChangeRisk;
  hints: MessageHints;
  curve: GroupCurve | null;
}

/** The components of the repository of an RFC that are judged on its branch, compiled. */
interface OwnComponents extends ComponentMap {
  paths: ComponentPaths;
}

function componentsHere(
  { repo_name }: Pick<RfcRecord, 'repo_name'>,
  { components }: Pick<ActiveRules, 'components'>,
): OwnComponents | null {
  const map = componentMap({ components }, repo_name);
  return map === null ? null : { ...map, paths: componentPaths(map) };
}

/**
 * The record with a verdict of each component that a change touches: by a file of it, under either
 * name where it moved, or by a finding. `found` are all findings, before any mode. What no
 * component claims, and a finding without a file, counts for each of those touched; what could not
 * be looked at may be of any, so it touches all. `change` of null: no file changes.
 */
export function withVerdicts(
  record: RfcRecord,
  change: PartitionedChange | null,
  found: readonly GateFinding[],
  rules: ActiveRules,
): RfcRecord {
  const here = componentsHere(record, rules);
  if (here === null) return withComponents(record, null);
  const { paths } = here;
  const files = change?.diff.files ?? [];
  const ofFile = files.map(({ oldPath, newPath, path, otherPaths }) => {
    const names = new Set([oldPath ?? path, newPath ?? path, ...otherPaths]);
    return new Set([...names].flatMap((name) => [...paths.ownersOf(name)]));
  });
  const ofFinding = found.map(({ file }) => (file === null ? null : paths.ownersOf(file)));
  const unseen = found.some(hidesContent) ? here.components.map(({ id }) => id) : [];
  const owners = [...ofFile, ...ofFinding].flatMap((own) => [...(own ?? [])]);
  const touched = new Set([...unseen, ...owners]);
  // Components that share all they have of the change have one risk.
  const risks = new Map<string, ChangeRisk>();
  const components = here.components
    .filter((one) => touched.has(one.id) && isOfBranch(one, record.branch))
    .map((component): ComponentVerdict => {
      const { id } = component;
      const own = ofFile.flatMap((owners, index) => (owners.has(id) ? [index] : []));
      const key = own.join();
      const risk = risks.get(key) ?? riskOf(change, own);
      risks.set(key, risk);
      const findings = found.filter((_, index) => ofFinding[index]?.has(id) !== false);
      return verdictOf(component, findings, risk, rules.pipeline, record.branch);
    });
  return withComponents(record, { key: here.key, components });
}

const NO_RISK: ChangeRisk = { chance: 0, factors: [] };

function riskOf(change: PartitionedChange | null, own: readonly number[]): ChangeRisk {
  if (change === null || own.length === 0) return NO_RISK;
  const { bytes, diff, risk, hints, curve } = change;
  if (own.length === diff.files.length) return risk;
  const files = own.flatMap((index) => diff.files[index] ?? []);
  return assessChange(
    measureChange(bytes, { ...diff, files }, countWithoutSpace(bytes)),
    hints,
    curve,
  );
}

function verdictOf(
  component: Component,
  found: readonly GateFinding[],
  risk: ChangeRisk,
  pipeline: PipelineSettings,
  branch: string,
): ComponentVerdict {
  const { id } = component;
  const settings = settingsOf(component, pipeline);
  const findings = foldGates(applyModes(found, settings, branch));
  const open = worstFirst(findings).filter(({ suppressed }) => suppressed === null);
  const { risk_score } = scoreChange(risk, findings);
  const limit = settings.block_score;
  const isTooRisky = limit !== null && risk_score >= limit;
  const fails = isTooRisky || open.some((finding) => isBlocking(finding, settings));
  return {
    id,
    status: fails ? 'BLOCKED' : 'PASSED',
    risk_score,
    findings: open.slice(0, RULES.COMPONENT_FINDINGS_MAX).map(({ id: rule, severity, ...at }) => {
      return { id: rule, severity, file: at.file, line: at.line };
    }),
    findings_total: open.length,
    base: null,
    same_as: null,
  };
}

function settingsOf(component: Component, pipeline: PipelineSettings): PipelineSettings {
  const { block_severities, block_score } = component;
  return {
    ...pipeline,
    ...(block_severities === undefined ? {} : { block_severities }),
    ...(block_score === undefined ? {} : { block_score }),
    // The last entry counts.
    modes: [...(pipeline.modes ?? []), ...modesOf(component)],
  };
}

/**
 * Ids of the components that files move to from others: a diff that finds renames does not show
 * what they bring to those.
 */
export function movedTo(
  record: Pick<RfcRecord, 'repo_name'>,
  { files }: ParsedDiff,
  rules: ActiveRules,
): string[] {
  const moved = files.filter(({ oldPath, newPath }) => oldPath !== newPath);
  const renamed = moved.filter(({ oldPath, newPath }) => oldPath !== null && newPath !== null);
  const here = renamed.length === 0 ? null : componentsHere(record, rules);
  if (here === null) return [];
  const ids = renamed.flatMap(({ oldPath, newPath }) => {
    const before = here.paths.ownersOf(oldPath ?? '');
    return [...here.paths.ownersOf(newPath ?? '')].filter((id) => !before.has(id));
  });
  return [...new Set(ids)];
}

/**
 * The record with what gate 3 says of its components: what it found in their files, or that its
 * review is held. What somebody has decided stays.
 */
export function withReviewOfParts(record: RfcRecord, rules: ActiveRules): RfcRecord {
  const { components, component_map: key, gates, overall_status } = record;
  const isOpen = ['DRAFT', 'PASSED', 'BLOCKED'].includes(overall_status);
  if (components === undefined || key === undefined || !isOpen) return record;
  const here = componentsHere(record, rules);
  const { block_severities } = reviewSettings(rules.pipeline);
  const { llm } = gates;
  const grave =
    llm.status !== 'fail'
      ? []
      : findingsOf({ gates }).filter((one) => {
          const isOpenReview = one.gate === 'llm' && one.suppressed === null && !isReviewNote(one);
          return isOpenReview && block_severities.includes(one.severity);
        });
  const verdicts = components.map((one): ComponentVerdict => {
    const { held, ...known } = one;
    const owners = (file: string | null) => (file === null ? null : here?.paths.ownersOf(file));
    const isFound = grave.some(({ file }) => owners(file)?.has(one.id) !== false);
    if (isFound) return { ...known, status: 'BLOCKED' };
    if (llm.held === true && one.status === 'PASSED') {
      return { ...known, status: 'BLOCKED', held: true };
    }
    return held === true && llm.held !== true ? { ...known, status: 'PASSED' } : one;
  });
  return withComponents(record, { key, components: verdicts });
}

/**
 * The record with what an attachment says of its components: one with a finding that blocks it is
 * BLOCKED. `found` are the findings of the attachment, before any mode.
 */
export function withFindingsOfParts(
  record: RfcRecord,
  found: readonly GateFinding[],
  { components: all, pipeline }: ActiveRules,
): RfcRecord {
  const { components, component_map: key, branch } = record;
  if (components === undefined || key === undefined) return record;
  const here = componentsHere(record, { components: all });
  const verdicts = components.map((one): ComponentVerdict => {
    if (one.status !== 'PASSED') return one;
    const component = here?.components.find(({ id }) => id === one.id);
    const settings = component === undefined ? pipeline : settingsOf(component, pipeline);
    const own = found.filter(({ file }) => {
      return file === null || here === null || here.paths.ownersOf(file).has(one.id);
    });
    const isFound = applyModes(own, settings, branch).some((each) => isBlocking(each, settings));
    return isFound ? { ...one, status: 'BLOCKED' } : one;
  });
  return withComponents(record, { key, components: verdicts });
}
