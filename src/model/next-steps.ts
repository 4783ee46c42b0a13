import type { Static } from 'typebox';
import { regexText } from '../core/regex-text.ts';
import { commentWith } from './comments.ts';
import {
  type Finding,
  isAcceptable,
  isBlocking,
  isMarkable,
  isSuppressible,
  lineInResult,
  mayLowerSeverity,
  SEVERITIES,
  type Severity,
  severityRank,
} from './finding.ts';
import { approveUrl, findingsOf, RFC, type RfcRecord } from './records.ts';
import { isReviewNote } from './review.ts';
import { OWN_MARKER, type PipelineSettings, reviewSettings } from './rules.ts';
import { COUNT, exactly, TEXT } from './schema.ts';

const WAYS = ['fix', 'marker', 'rules', 'accept', 'review', 'override', 'submit'] as const;

const STEP = exactly({ way: { type: 'string', enum: [...WAYS] }, text: TEXT });

export const NEXT_STEPS = {
  type: 'array',
  description: 'The ways out that the caller has; only of a BLOCKED change',
  items: {
    ...STEP,
    properties: {
      ...STEP.properties,
      paste: { ...TEXT, description: 'What to write, exactly; put a reason in place of REASON' },
      finding_ids: { type: 'array', items: TEXT, description: 'What the step is for' },
      max_days: {
        ...COUNT,
        description: 'Of `accept`: so many days ahead it may end at most; absent: no such limit',
      },
      url: { ...TEXT, description: 'Where a person does it' },
    },
  },
} as const;
/** One way out of a BLOCKED verdict. */
export type NextStep = Static<typeof NEXT_STEPS>[number];

/** An RFC as readers get it. */
export const SHOWN_RFC = {
  ...RFC,
  properties: { ...RFC.properties, next_steps: NEXT_STEPS },
} as const;

/** What a caller can do about a verdict depends on this. */
export interface Means {
  /** The rules under which the next try is judged. */
  pipeline: PipelineSettings;
  /** Address of the service, without `/api/cra`; null: `cra analyze`, which keeps no RFC. */
  baseUrl: string | null;
}

type Blocked = Pick<RfcRecord, 'rfc_id' | 'overall_status' | 'risk_score' | 'gates' | 'push'>;

/**
 * The ways out of a BLOCKED verdict that a caller has, safe ones first; empty
 * for every other status. The one place that knows them: the API, the command line, the MCP tools
 * and the dashboard show what it says. Nothing in it is a secret; paths are the author's words.
 */
export function nextSteps(record: Blocked, means: Means): NextStep[] {
  if (record.overall_status !== 'BLOCKED') return [];
  const blocking = blockingFindings(record, means.pipeline);
  return [
    ...fixSteps(record, means, blocking),
    ...markerSteps(record, means, blocking),
    ...rulesSteps(means, blocking),
    ...acceptSteps(record, means, blocking),
    ...reviewSteps(record, means),
    decisionStep(record, means),
  ];
}

/** The listed findings for which a gate fails. */
function blockingFindings({ gates }: Blocked, pipeline: PipelineSettings): Finding[] {
  const { mode, block_severities } = reviewSettings(pipeline);
  const own = [...gates.risk.findings, ...gates.ast.findings];
  const reviewed = mode === 'shadow' ? [] : gates.llm.findings.filter((one) => !isReviewNote(one));
  return [
    ...own.filter((one) => isBlocking(one, pipeline)),
    ...reviewed.filter((one) => isBlocking(one, { block_severities })),
  ];
}

function fixSteps({ risk_score }: Blocked, { pipeline }: Means, blocking: Finding[]): NextStep[] {
  const steps: NextStep[] = [];
  if (blocking.length > 0) {
    const [what, each] =
      blocking.length === 1
        ? ['the finding that blocks', 'its fix says how']
        : [`the ${blocking.length} findings that block`, 'the fix of each says how'];
    steps.push({ way: 'fix', text: `Mend ${what} (${each}), and try again.` });
  }
  const { block_score: most } = pipeline;
  if (most !== null && risk_score >= most) {
    const text = `Split the change: its risk score is ${risk_score}, and ${most} blocks.`;
    steps.push({ way: 'fix', text });
  }
  return steps;
}

/** Markers, or settings, of one answer. */
const PASTES_MAX = 20;
const PLACES_NAMED_MAX = 3;

function markerSteps(record: Blocked, { pipeline, baseUrl }: Means, blocking: Finding[]) {
  const { own_markers = 'base' } = pipeline;
  if (own_markers === 'off') return [];
  const byPaste = new Map<string, Finding[]>();
  for (const finding of blocking) {
    const marker = markerFor(finding);
    if (marker === null) continue;
    const isEarly = own_markers === 'base' && isHigh(finding);
    const key = `${isEarly} ${marker}`;
    byPaste.set(key, [...(byPaste.get(key) ?? []), finding]);
  }
  return [...byPaste].slice(0, PASTES_MAX).map(([key, findings]): NextStep => {
    const isEarly = key.startsWith('true');
    const when = isEarly ? whenInBase(record, baseUrl) : 'It counts at once.';
    const lines = findings.length === 1 ? 'the line' : 'each of the lines';
    const text =
      `If it is harmless, say so in a comment alone on the line before ${placesOf(findings)}, or ` +
      `behind the code on ${lines}. ${when}`;
    return { way: 'marker', text, paste: key.slice(key.indexOf(' ') + 1), ...idsOf(findings) };
  });
}

/**
 * The marker for a finding in the comment syntax of its file; null: no marker lowers it, or its
 * file takes no comments.
 */
function markerFor(finding: Finding): string | null {
  const { id, file, excerpt } = finding;
  if (file === null || lineInResult(finding) === null) return null;
  if (!isSuppressible(id) || !isMarkable(finding)) return null;
  return commentWith(`${OWN_MARKER} ${id}: REASON`, file, excerpt);
}

function isHigh({ severity }: Finding): boolean {
  return severityRank(severity) <= severityRank('high');
}

function whenInBase({ push }: Blocked, baseUrl: string | null): string {
  if (push !== null) {
    return (
      'It counts once somebody has approved or overridden the RFC of the push that brings it: ' +
      'push the marker by itself, have its RFC approved, then push this change.'
    );
  }
  const then =
    baseUrl === null
      ? 'then analyze this change on top of it'
      : 'then submit this change on top of it, with the marker as an unchanged line of the diff';
  return `It counts once it stands in the base: commit the marker by itself, ${then}.`;
}

function placesOf(findings: readonly Finding[]): string {
  const named = findings.slice(0, PLACES_NAMED_MAX).map(({ file, line }) => `${file}:${line}`);
  const left = findings.length - named.length;
  return left === 0 ? named.join(', ') : `${named.join(', ')} and ${left} more`;
}

function idsOf(findings: readonly Finding[]): Pick<NextStep, 'finding_ids'> {
  return { finding_ids: findings.map(({ finding_id }) => finding_id) };
}

/** What the rules file can say of it, by an administrator or, on a laptop, by its user. */
function rulesSteps({ pipeline, baseUrl }: Means, blocking: Finding[]): NextStep[] {
  const bySetting = new Map<string, { text: string; findings: Finding[] }>();
  for (const finding of blocking) {
    const setting = settingFor(finding, pipeline);
    if (setting === null) continue;
    const known = bySetting.get(setting.paste);
    if (known !== undefined) known.findings.push(finding);
    else bySetting.set(setting.paste, { text: setting.text, findings: [finding] });
  }
  const where =
    baseUrl === null
      ? 'in the rules file that SERVICE_RULES_PATH names'
      : 'in the rules of the service (role change-manager)';
  return [...bySetting].slice(0, PASTES_MAX).map(([paste, { text, findings }]): NextStep => {
    return { way: 'rules', text: `${text}, ${where}.`, paste, ...idsOf(findings) };
  });
}

/** The setting of the rules that takes a finding out of what blocks; null: no setting does. */
function settingFor(
  finding: Finding,
  { block_severities }: Pick<PipelineSettings, 'block_severities'>,
): { paste: string; text: string } | null {
  const { id, file, severity, message } = finding;
  if (file === null) return null;
  if (id === 'ast-unparsed' && LONG_LINE.test(message) && !block_severities.includes('medium')) {
    const paste = settingText({ ast: { generated_paths: [generatedPath(file)] } });
    return { paste, text: 'If a generator or another project wrote the file, name its path' };
  }
  if (PROGRAM.test(message) && !block_severities.includes('medium')) {
    const paste = settingText({ binaries: { allowed_paths: [globOf(file)] } });
    return { paste, text: 'If the program belongs there, name its path' };
  }
  const lesser = SEVERITIES.find((one) => isLesser(one, severity) && !blocks(one));
  if (lesser === undefined || !mayLowerSeverity(finding)) return null;
  const paste = settingText({ severities: { [id]: { [globOf(file)]: lesser } } });
  return { paste, text: `If the rule does not fit there, give it the severity ${lesser}` };

  function blocks(one: Severity): boolean {
    return block_severities.includes(one);
  }
}

function isLesser(one: Severity, than: Severity): boolean {
  return severityRank(one) > severityRank(than);
}

/** Of the findings that `ast.generated_paths` and `binaries.allowed_paths` lower. */
const LONG_LINE = /: a line is longer than \d+ bytes/;
const PROGRAM = /binaries\.allowed_paths/;

/** Fields of a rules file, without the braces around them. */
function settingText(fields: object): string {
  return JSON.stringify(fields, null, 1).replace(/\n\s*/g, ' ').slice(2, -2);
}

const VENDORED =
  /^(?:.*\/)?(?:vendor|third[_-]?party|bower_components|node_modules|vendored|external)\//;

/** The expression that names vendored and minified files, else the one file. */
function generatedPath(path: string): string {
  const [folder] = VENDORED.exec(path) ?? [];
  if (folder !== undefined) return `^${regexText(folder)}`;
  const [minified] = /\.min\.[a-z]+$/.exec(path) ?? [];
  return minified === undefined ? `^${regexText(path)}$` : `${regexText(minified)}$`;
}

/** A path as `severities` and `binaries` take it. */
function globOf(path: string): string {
  return /[*?]|^re:/.test(path) ? `re:^${regexText(path)}$` : path;
}

function acceptSteps(record: Blocked, { pipeline, baseUrl }: Means, blocking: Finding[]) {
  const acceptable = blocking.filter(isAcceptable);
  if (baseUrl === null || acceptable.length === 0) return [];
  const days = acceptable.flatMap(({ severity }) => pipeline.max_acceptance_days?.[severity] ?? []);
  const limit = days.length === 0 ? {} : { max_days: Math.min(...days) };
  const end = limit.max_days === undefined ? '' : `, at most ${limit.max_days} days ahead`;
  const which =
    acceptable.length === blocking.length ? '' : ` ${acceptable.length} of ${blocking.length}`;
  const what = which === '' ? 'what blocks' : `${which.trim()} findings that block`;
  const text =
    `Accept ${what} until a day: override with accept_findings: true and expires_at${end}. Later ` +
    'changes of this repository pass with it until then.';
  const url = approveUrl(baseUrl, record.rfc_id);
  return [{ way: 'accept', text, url, ...limit, ...idsOf(acceptable) } as const];
}

function reviewSteps({ rfc_id, gates }: Blocked, { baseUrl }: Means): NextStep[] {
  if (baseUrl === null || gates.llm.held !== true) return [];
  const text =
    'No model reviewed it. The service tries again by itself where that can help; ask for another ' +
    `review with POST rfc/${rfc_id}/review (role reviewer).`;
  return [{ way: 'review', text, url: approveUrl(baseUrl, rfc_id) }];
}

function decisionStep(record: Blocked, { baseUrl }: Means): NextStep {
  if (baseUrl === null) {
    const text =
      'Nobody can override it here. Submit it to the service (cra analyze --server URL), where a ' +
      'person can.';
    return { way: 'submit', text };
  }
  const isUnseen = findingsOf(record).some(({ id }) => id === 'commit-rejected');
  const why = isUnseen ? 'Somebody rejected this commit. ' : '';
  const text =
    `${why}A person who may override (role cab-member or higher, as the service is set) decides ` +
    'at the link, with a reason that is kept.';
  return { way: 'override', text, url: approveUrl(baseUrl, record.rfc_id) };
}
