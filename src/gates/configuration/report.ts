import { createHmac } from 'node:crypto';
import { lineIndex, lineStarts } from '../../core/line-offsets.ts';
import {
  type GateFinding,
  plainFinding,
  type Severity,
  severityRank,
} from '../../model/finding.ts';
import type { SettingsKind } from '../../model/rules.ts';
import { isLesserPath } from '../coverage/paths.ts';
import { type CompiledRule, type CompiledRules, titleOfRule } from '../patterns/compiled-rules.ts';
import { allows } from '../patterns/regex.ts';
import type { RemovedResource } from './changed-resources.ts';
import type { DocumentKind, ResourceFile } from './kinds.ts';
import { DOCUMENTS } from './limits.ts';
import type { Observation } from './observation.ts';
import { lineEnd, type Piece } from './pieces.ts';
import { isSettings, SETTINGS } from './settings.ts';
import type { SettledPart } from './weak-resources.ts';

/** Lines in which findings of rules on lines with these ids are silent. */
export interface SettledLines {
  readonly first: number;
  readonly last: number;
  readonly ids: ReadonlySet<string>;
}

/** The findings of one change, within the bounds of the list (DOCUMENTS). */
export class Report {
  readonly findings: GateFinding[] = [];
  /** By path: lines of which rules on documents say more than rules on lines. */
  readonly settled = new Map<string, SettledLines[]>();
  private readonly rules: CompiledRules;
  private readonly fingerprintKey: Uint8Array;
  private count = 0;
  private mildCount = 0;
  private isListFull = false;

  constructor(rules: CompiledRules, fingerprintKey: Uint8Array) {
    this.rules = rules;
    this.fingerprintKey = fingerprintKey;
  }

  /** What checks saw in a text. Of a piece with old lines counts only what touches new ones. */
  observed(path: string, piece: Piece, found: readonly Observation[]): void {
    if (found.length === 0) return;
    const { text, numbers, added } = piece;
    const starts = lineStarts(text);
    const seen = new Set<string>();
    // The mildest are left out where there are too many.
    const rankOf = (one: Observation) => severityRank(one.severity ?? this.severityOf(one.id));
    const sorted = [...found].sort((a, b) => rankOf(a) - rankOf(b) || a.start - b.start);
    for (const one of sorted) {
      const rule = this.rules.byId.get(one.id);
      if (rule === undefined) continue;
      const { start, end } = placeOf(text, one);
      const first = lineIndex(starts, start);
      const last = Math.max(first, lineIndex(starts, Math.max(start, end - 1)));
      if (added !== null && !added.slice(first, last + 1).includes(true)) continue;
      const from = starts[first] ?? 0;
      const line = text.slice(from, lineEnd(text, from));
      const key = `${one.id} ${first} ${one.match}`;
      if (seen.has(key) || isAllowed(rule, path, one.match, line)) continue;
      if (!this.hasRoom(seen.size, rankOf(one))) {
        this.unlisted(path, rankOf(one));
        return;
      }
      seen.add(key);
      const { severity, message } = rule.pattern;
      this.add(rule, one.match, {
        severity: one.severity ?? severity,
        message: one.note === undefined ? message : `${message} ${one.note}`,
        file: path,
        line: numbers[first] ?? null,
        end_line: numbers[last] ?? numbers[first] ?? null,
        column: Buffer.byteLength(text.slice(from, start)) + 1,
        excerpt: line.trim().slice(0, EXCERPT_CHARS_MAX).toWellFormed(),
      });
    }
  }

  /** Parts of a text of which rules on documents have said all. */
  settledIn(path: string, { text, numbers }: Piece, parts: readonly SettledPart[]): void {
    if (parts.length === 0) return;
    const starts = lineStarts(text);
    const lines = parts.flatMap(({ start, end, ids }): SettledLines[] => {
      const first = numbers[lineIndex(starts, start)] ?? null;
      const last = numbers[lineIndex(starts, Math.max(start, end - 1))] ?? null;
      return first === null || last === null ? [] : [{ first, last, ids }];
    });
    this.settled.set(path, [...(this.settled.get(path) ?? []), ...lines]);
  }

  /** A resource that the change removes. */
  removed({ id, address, path, isTemplateGone }: RemovedResource): void {
    const rule = this.rules.byId.get(id);
    if (rule === undefined || isAllowed(rule, path, address, address)) return;
    if (!this.hasRoom(0, severityRank('high'))) {
      this.unlisted(path, severityRank('high'));
      return;
    }
    const { severity, message } = rule.pattern;
    this.add(rule, address, {
      severity: isTemplateGone ? milder(severity) : severityAt(path, severity),
      message: `${message} The change removes ${shortened(address)}.`,
      file: path,
    });
  }

  /** Counts one more finding, unless a bound is reached. */
  private hasRoom(ofFile: number, rank: number): boolean {
    const { FINDINGS_MAX, FINDINGS_OF_CHANGE_MAX, MILD_OF_CHANGE_MAX } = DOCUMENTS;
    const isMildFull = isMild(rank) && this.mildCount >= MILD_OF_CHANGE_MAX;
    if (ofFile >= FINDINGS_MAX || this.count >= FINDINGS_OF_CHANGE_MAX || isMildFull) return false;
    this.count += 1;
    if (isMild(rank)) this.mildCount += 1;
    return true;
  }

  /** Findings beyond a bound; all that follow in the file are as mild as the first of them. */
  private unlisted(path: string, rank: number): void {
    const isFull = this.count >= DOCUMENTS.FINDINGS_OF_CHANGE_MAX;
    if (isFull && this.isListFull) return;
    this.isListFull ||= isFull;
    this.unread(path, 'commands', UNLISTED, isMild(rank) ? 'low' : 'high');
  }

  /** A file, or a part of it, that was not checked. `worst`: its severity outside of tests. */
  unread(
    path: string,
    kind: DocumentKind | ResourceFile,
    reason: string,
    worst: 'high' | 'medium' | 'low' = 'high',
  ): void {
    const isLesser = isLesserPath(path) || TEMPLATES.test(path);
    const severity = worst === 'high' && isLesser ? 'medium' : worst;
    this.findings.push(
      plainFinding({
        id: 'config-unread',
        gate: 'risk',
        severity,
        message: `this file was not checked as ${isSettings(kind) ? SETTINGS[kind].name : NAMES[kind]}: ${reason}`,
        file: path,
        fingerprint: this.fingerprint('config-unread', `${path}\0${reason}`),
        fix: 'Write it so that a parser can read it, or have a person look at it and override.',
      }),
    );
  }

  /** Weak resources of a file that the change does not touch. */
  knownBefore(path: string, count: number): void {
    const message = `${count} ${count === 1 ? 'finding stands' : 'findings stand'} in resources that were weak before, and that this change does not touch`;
    this.findings.push(
      plainFinding({
        id: 'config-known',
        gate: 'risk',
        severity: 'info',
        message,
        file: path,
        fingerprint: this.fingerprint('config-known', path),
      }),
    );
  }

  /** A migration that was there before the change. */
  altered(path: string): void {
    const message =
      'Databases that ran this migration do not run it again, or refuse it as its checksum differs.';
    this.findings.push(
      plainFinding({
        id: 'migration-altered',
        gate: 'risk',
        severity: isLesserPath(path) ? 'low' : 'medium',
        message,
        file: path,
        fingerprint: this.fingerprint('migration-altered', path),
        fix: 'Leave it as it is, and write a new migration.',
      }),
    );
  }

  severityOf(id: string): Severity {
    return this.rules.byId.get(id)?.pattern.severity ?? 'medium';
  }

  /** A finding of a rule; `match` is what its fingerprint is made of. */
  private add(
    { pattern, reportId }: CompiledRule,
    match: string,
    fields: Pick<GateFinding, 'severity' | 'message'> & Partial<GateFinding>,
  ): void {
    this.findings.push(
      plainFinding({
        id: reportId,
        gate: 'risk',
        ...titleOfRule(pattern),
        fingerprint: this.fingerprint(reportId, match),
        cwe: pattern.cwe ?? null,
        fix: pattern.fix ?? null,
        ...fields,
      }),
    );
  }

  private fingerprint(id: string, match: string): string {
    const text = match.includes('\n') ? match.replace(/\s+/g, '') : match;
    const hmac = createHmac('sha256', this.fingerprintKey);
    return hmac.update(`${id}\0`).update(text).digest('hex');
  }
}

const UNLISTED = 'it has more findings than are listed';
/** Longer than an excerpt that is shown: it is cut later, when its secrets are hidden. */
const EXCERPT_CHARS_MAX = 512;
const TEMPLATES =
  /(?:^|\/)(?:_?templates?|generators?|skeletons?|scaffolds?|cookiecutter[^/]*)\/|\{\{/i;
const NAMES: Readonly<Record<DocumentKind | Exclude<ResourceFile, SettingsKind>, string>> = {
  terraform: 'Terraform',
  dockerfile: 'a Dockerfile',
  conf: 'settings of a server',
  data: 'resources',
  workflow: 'a workflow',
  action: 'an action',
  package: 'a package',
  gitlab: 'a pipeline of GitLab',
  compose: 'a file of Compose',
  migration: 'a migration',
  commands: 'a list of commands',
  jenkins: 'a Jenkinsfile',
  'azure-pipelines': 'a pipeline of Azure',
  circleci: 'a pipeline of CircleCI',
  bitbucket: 'a pipeline of Bitbucket',
  drone: 'a pipeline of Drone',
};

/** The allowlists of a rule hold for what a document says as well. */
export function isAllowed(rule: CompiledRule, path: string, match: string, line: string): boolean {
  if (rule.allowlists.length === 0) return false;
  const value = Buffer.from(match);
  const texts = { secret: value, match: value, line: Buffer.from(line) };
  return rule.allowlists.some((list) => allows(list, texts, Buffer.from(path)));
}

/** Where in its node an observation stands, if the text is there as it reads. */
function placeOf(text: string, { start, end, within }: Observation) {
  if (within === undefined) return { start, end: trimmedEnd(text, start, end) };
  const lines = within.split('\n');
  const first = (lines[0] ?? '').trim();
  const at = first === '' ? -1 : text.indexOf(first, start);
  if (at === -1 || at >= end) return { start, end: trimmedEnd(text, start, end) };
  let last = at + first.length;
  for (const line of lines.slice(1)) {
    const next = text.indexOf(line.trim(), last);
    if (next === -1 || next >= end) break;
    last = next + line.trim().length;
  }
  return { start: at, end: last };
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && /\s/.test(text[at - 1] ?? '')) at -= 1;
  return at;
}

/** Where infrastructure is shown or tried: what is made of it is thrown away. */
const TRIED =
  /(?:^|\/)(?:examples?|samples?|demos?|quick-?starts?|tutorials?|workshops?|labs?|docs?|tests?)\//i;

/** The severity of what a change does to resources that the file at `path` declares. */
export function severityAt(path: string, severity: Severity): Severity {
  return TRIED.test(path) ? milder(severity) : severity;
}

function milder(severity: Severity): Severity {
  return isMild(severityRank(severity)) ? severity : 'medium';
}

function isMild(rank: number): boolean {
  return rank > severityRank('medium');
}

/** Longer names of resources are cut. */
const ADDRESS_CHARS_MAX = 200;

/** The name of a resource as findings show it. */
export function shortened(address: string): string {
  return address.length <= ADDRESS_CHARS_MAX ? address : `${address.slice(0, ADDRESS_CHARS_MAX)}…`;
}
