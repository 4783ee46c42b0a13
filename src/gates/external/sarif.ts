import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { type CraError, invalidField } from '../../model/errors.ts';
import type { Severity } from '../../model/finding.ts';
import type { ReportSettings } from '../../model/rules.ts';
import { checkJsonValues } from '../../model/validate.ts';
import { REPORTS } from './limits.ts';
import { severityOf } from './severities.ts';

/** A result of another tool, as far as it says what and where. The tool wrote the texts. */
export interface ReportedResult {
  /** In lower case, of letters, digits and hyphens. */
  tool: string;
  /** Of the finding: `ext-<tool>-<rule>`. */
  id: string;
  /** As the tool writes it. */
  rule: string;
  severity: Severity;
  title: string | null;
  message: string;
  fix: string | null;
  cwe: string | null;
  /** Path with slashes, without scheme and leading dots; null: the result names no file. */
  path: string | null;
  /** From 1; null: the whole file. */
  line: number | null;
  endLine: number | null;
  column: number | null;
  /** What the tool knows it by in other versions of the file; null: it does not say. */
  fingerprint: string | null;
  /** Why the report takes it out of the verdict, as the rules let it; null: it does not. */
  suppressed: string | null;
}

export interface SarifReport {
  /** Names of the tools whose runs it has. */
  tools: readonly string[];
  results: readonly ReportedResult[];
}

/**
 * Reads SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0), compressed by gzip or not. Throws
 * INVALID_ARGUMENT, which quotes nothing of it, for what is not such a log, and for one beyond
 * REPORTS. What the tool suppresses counts, unless the settings say otherwise: a report only adds.
 */
export function readSarif(given: Uint8Array, settings: ReportSettings = {}): SarifReport {
  const tools = new Set<string>();
  const results: ReportedResult[] = [];
  for (const run of runsOf(parse(unpacked(given)))) {
    tools.add(run.tool);
    for (const result of run.results(settings)) if (result !== null) results.push(result);
  }
  return { tools: [...tools], results };
}

/** A report in parts, each of one tool alone. */
export interface SplitSarif {
  reports: { tool: string; results: number; sarif: Uint8Array }[];
  /** Ids of the commits that runs say they looked at, in lower case: a list for each that says. */
  commits: string[][];
}

/** Reads a report as `readSarif` does, and divides it by tool. */
export function splitSarif(given: Uint8Array): SplitSarif {
  const bytes = unpacked(given);
  const byTool = new Map<string, { results: number; runs: unknown[] }>();
  const commits: string[][] = [];
  for (const run of runsOf(parse(bytes))) {
    const own = byTool.get(run.tool) ?? { results: 0, runs: [] };
    byTool.set(run.tool, own);
    own.runs.push(run.run);
    for (const result of run.results({})) if (result !== null) own.results += 1;
    const named = run.commits();
    if (named.length > 0) commits.push(named);
  }
  const reports = [...byTool].map(([tool, { results, runs }]) => {
    const sarif =
      byTool.size === 1 ? bytes : Buffer.from(JSON.stringify({ version: '2.1.0', runs }));
    // Numbers may be longer when they are written again.
    if (sarif.length > REPORTS.BYTES_MAX) {
      throw refused(`has more than ${REPORTS.BYTES_MAX} bytes of ${tool}`);
    }
    return { tool, results, sarif };
  });
  return { reports, commits };
}

function runsOf(log: unknown): Run[] {
  if (!isMap(log)) throw refused('is not an object');
  if (log['version'] !== '2.1.0') throw refused('needs "version": "2.1.0"');
  const runs = log['runs'];
  if (!Array.isArray(runs)) throw refused('needs a list "runs"');
  if (runs.length > REPORTS.RUNS_MAX) throw refused(`has more than ${REPORTS.RUNS_MAX} runs`);
  if (runs.length === 0) throw refused('has no run of a tool');
  const readers = runs.map((run: unknown, index) => new Run(run, index));
  const results = readers.reduce((sum, { count }) => sum + count, 0);
  if (results > REPORTS.RESULTS_MAX) {
    throw refused(`has more than ${REPORTS.RESULTS_MAX} results (${results})`);
  }
  return readers;
}

function unpacked(given: Uint8Array): Buffer {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: REPORTS.BYTES_MAX });
  } catch (thrown) {
    const isLarge = (thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw refused(isLarge ? `has more than ${REPORTS.BYTES_MAX} bytes` : 'is broken gzip');
  }
}

function parse(bytes: Buffer): unknown {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const json = isMarked ? bytes.subarray(3) : bytes;
  if (!isUtf8(json)) throw refused('is not UTF-8');
  checkJsonValues(json, REPORTS.VALUES_MAX, REPORTS.DEPTH_MAX);
  try {
    return JSON.parse(json.toString());
  } catch {
    throw refused('is not JSON');
  }
}

type JsonMap = Readonly<Record<string, unknown>>;

/** The results of one run, with the rules that they name. */
class Run {
  readonly tool: string;
  readonly run: JsonMap;
  /** Of its results, whatever they say. */
  readonly count: number;
  private readonly rules: readonly JsonMap[];
  private readonly rulesById: ReadonlyMap<string, JsonMap>;

  constructor(run: unknown, index: number) {
    this.run = isMap(run) ? run : {};
    const driver = mapOf(mapOf(this.run['tool'])['driver']);
    const name = textOf(driver['name']);
    if (name === null || slug(name) === '') throw refused(`runs[${index}] names no tool`);
    this.tool = slug(name);
    const extensions = listOf(mapOf(this.run['tool'])['extensions']).map(mapOf);
    const { results } = this.run;
    if (results !== undefined && results !== null && !Array.isArray(results)) {
      throw refused(`runs[${index}].results is not a list`);
    }
    this.count = listOf(results).length;
    this.rules = listOf(driver['rules']).map(mapOf);
    const all = [...this.rules, ...extensions.flatMap((one) => listOf(one['rules']).map(mapOf))];
    this.rulesById = new Map(
      all.flatMap((rule) => {
        const id = textOf(rule['id']);
        return id === null ? [] : [[id, rule]];
      }),
    );
  }

  *results(settings: ReportSettings): Generator<ReportedResult | null> {
    for (const result of listOf(this.run['results'])) yield this.resultOf(mapOf(result), settings);
  }

  /** Ids of the commits that it says it looked at. */
  commits(): string[] {
    return listOf(this.run['versionControlProvenance']).flatMap((one) => {
      const id = textOf(mapOf(one)['revisionId']);
      return id !== null && COMMIT.test(id) ? [id.toLowerCase()] : [];
    });
  }

  private resultOf(result: JsonMap, settings: ReportSettings): ReportedResult | null {
    // It was there before, and is no more; or it says that all is well.
    if (result['baselineState'] === 'absent' || PASSES.has(textOf(result['kind']) ?? ''))
      return null;
    const number = result['ruleIndex'];
    const byIndex = typeof number === 'number' ? this.rules[number] : undefined;
    const ruleId = textOf(result['ruleId']) ?? textOf(mapOf(result['rule'])['id']);
    const rule = (ruleId === null ? byIndex : (this.rulesById.get(ruleId) ?? byIndex)) ?? {};
    const name = ruleId ?? textOf(rule['id']) ?? 'unnamed';
    const place = this.placeOf(mapOf(listOf(result['locations'])[0]));
    return {
      tool: this.tool,
      id: this.findingId(name),
      rule: bounded(name, REPORTS.NAME_CHARS_MAX),
      severity: severityOf(
        {
          tool: this.tool,
          level: levelOf(result, rule),
          score: scoreOf(result, rule),
          tags: tagsOf(result, rule),
        },
        settings.severities ?? [],
      ),
      title: messageOf(rule['shortDescription']) ?? textOf(rule['name']),
      message: this.messageOf(result, rule),
      fix: messageOf(rule['help']),
      cwe: cweOf(result, rule),
      ...place,
      fingerprint: fingerprintOf(result),
      suppressed: suppressedIn(result, settings),
    };
  }

  /** Some tools begin the names of their rules with their own. */
  private findingId(rule: string): string {
    const name = slug(rule);
    const own = name.startsWith(`${this.tool}-`) ? name.slice(this.tool.length + 1) : name;
    return `ext-${this.tool}-${own || 'unnamed'}`;
  }

  private messageOf(result: JsonMap, rule: JsonMap): string {
    const own = mapOf(result['message']);
    const id = textOf(own['id']);
    const known = id === null ? null : messageOf(mapOf(rule['messageStrings'])[id]);
    const text = textOf(own['text']) ?? known ?? messageOf(rule['fullDescription']);
    const values = listOf(own['arguments']);
    return fillIn(text ?? 'The tool gives no message.', (position) =>
      position < values.length ? (textOf(values[position]) ?? '') : undefined,
    );
  }

  private placeOf(location: JsonMap): Pick<ReportedResult, 'path' | 'line' | 'endLine' | 'column'> {
    const physical = mapOf(location['physicalLocation']);
    const region = mapOf(physical['region']);
    const line = lineOf(region['startLine']);
    return {
      path: this.pathOf(mapOf(physical['artifactLocation'])),
      line,
      endLine: line === null ? null : Math.max(line, lineOf(region['endLine']) ?? line),
      column: line === null ? null : lineOf(region['startColumn']),
    };
  }

  private pathOf(artifact: JsonMap): string | null {
    const number = artifact['index'];
    const listed = listOf(this.run['artifacts'])[typeof number === 'number' ? number : -1];
    const whole = textOf(artifact['uri']) === null ? mapOf(mapOf(listed)['location']) : artifact;
    const uri = textOf(whole['uri']);
    if (uri === null || uri === '') return null;
    const base = this.baseOf(textOf(whole['uriBaseId']), 0);
    return plainPath(isAbsolute(uri) ? uri : `${base}${uri}`);
  }

  /** A base may stand on another one. */
  private baseOf(id: string | null, depth: number): string {
    if (id === null || depth > BASES_MAX) return '';
    const base = mapOf(mapOf(this.run['originalUriBaseIds'])[id]);
    const uri = textOf(base['uri']) ?? '';
    const own = uri === '' || uri.endsWith('/') ? uri : `${uri}/`;
    return isAbsolute(own) ? own : `${this.baseOf(textOf(base['uriBaseId']), depth + 1)}${own}`;
  }
}

const COMMIT = /^[0-9a-f]{7,64}$/i;
const BASES_MAX = 8;
const PASSES: ReadonlySet<string> = new Set(['pass', 'notApplicable', 'informational']);

/**
 * A message with values in its places (`{0}`); a place without a value stays as it is. What is
 * behind `REPORTS.TEXT_CHARS_MAX` is not made at all: many places of one long value are far more
 * than the report.
 */
export function fillIn(message: string, valueAt: (position: number) => string | undefined): string {
  const text = bounded(message, REPORTS.TEXT_CHARS_MAX);
  let filled = '';
  let end = 0;
  for (const { 0: place, 1: position, index } of text.matchAll(/\{(\d{1,2})\}/g)) {
    if (filled.length > REPORTS.TEXT_CHARS_MAX) break;
    filled += text.slice(end, index) + (valueAt(Number(position)) ?? place);
    end = index + place.length;
  }
  return bounded(filled + text.slice(end), REPORTS.TEXT_CHARS_MAX);
}

function isAbsolute(uri: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|[\\/])/i.test(uri);
}

/** A path with slashes, as far as it is one: without scheme, host, drive, and leading `./`. */
function plainPath(uri: string): string {
  const path = /^file:/i.test(uri) ? uri.replace(/^file:(?:\/\/[^/]*)?/i, '') : uri;
  let decoded = path;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    // A path with a percent sign that nobody encoded.
  }
  const parts = decoded
    .replaceAll('\\', '/')
    .replace(/^\/?[a-z]:\//i, '')
    .split('/');
  const kept: string[] = [];
  for (const part of parts) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return kept.join('/');
}

function scoreOf(result: JsonMap, rule: JsonMap): number | null {
  const scores = [result, rule].map((one) => Number(mapOf(one['properties'])['security-severity']));
  return scores.find((one) => Number.isFinite(one) && one > 0) ?? null;
}

function levelOf(result: JsonMap, rule: JsonMap): string {
  const ofRule = textOf(mapOf(rule['defaultConfiguration'])['level']);
  return textOf(result['level']) ?? ofRule ?? 'warning';
}

function tagsOf(result: JsonMap, rule: JsonMap): Set<string> {
  const tags = [result, rule].flatMap((one) => listOf(mapOf(one['properties'])['tags']));
  return new Set(tags.slice(0, TAGS_MAX).map((tag) => (textOf(tag) ?? '').toLowerCase()));
}

/** Of a result and its rule together. */
const TAGS_MAX = 100;

/**
 * Why the tool takes a result out of its own verdict, as the rules let it: somebody suppressed it,
 * and nobody is to review that any more (3.27.23, 3.35.3: without a status it is accepted), or it
 * was there before (3.27.24). Null: it does not.
 */
function suppressedIn(result: JsonMap, { honours = [] }: ReportSettings): string | null {
  const suppressions = listOf(result['suppressions']).map(mapOf);
  const isAccepted = suppressions.every(({ status = 'accepted' }) => status === 'accepted');
  if (honours.includes('suppressions') && suppressions.length > 0 && isAccepted) {
    const isInSource = suppressions.some(({ kind }) => kind === 'inSource');
    return `the report says that it is suppressed (${isInSource ? 'inSource' : 'external'})`;
  }
  const isOld = result['baselineState'] === 'unchanged';
  if (honours.includes('baseline') && isOld) return 'the report says that it was there before';
  return null;
}

/** From tags (`external/cwe/cwe-079`, `CWE-79: ...`), properties, or taxa. */
function cweOf(result: JsonMap, rule: JsonMap): string | null {
  const texts = [result, rule].flatMap((one) => {
    const properties = mapOf(one['properties']);
    const relations = listOf(one['relationships']).map((each) => mapOf(mapOf(each)['target']));
    const taxa = listOf(one['taxa']).map(mapOf);
    return [
      ...listOf(properties['tags']),
      ...[properties['cwe']].flat(),
      ...[...relations, ...taxa].map((each) => {
        const component = textOf(mapOf(each['toolComponent'])['name']);
        return component === 'CWE'
          ? `CWE-${textOf(each['id'])?.replace(/^CWE-/i, '') ?? ''}`
          : null;
      }),
    ];
  });
  for (const text of texts) {
    const number = /\bcwe-0*(\d{1,5})\b/i.exec(
      textOf(text)?.slice(0, CWE_TEXT_CHARS_MAX) ?? '',
    )?.[1];
    if (number !== undefined) return `CWE-${number}`;
  }
  return null;
}

const CWE_TEXT_CHARS_MAX = 200;

function fingerprintOf(result: JsonMap): string | null {
  for (const name of ['fingerprints', 'partialFingerprints']) {
    const values = Object.entries(mapOf(result[name])).sort(([a], [b]) => (a < b ? -1 : 1));
    if (values.length > 0) return bounded(JSON.stringify(values), REPORTS.TEXT_CHARS_MAX);
  }
  return null;
}

function messageOf(value: unknown): string | null {
  const text = textOf(mapOf(value)['text']);
  return text === null || text.trim() === '' ? null : bounded(text, REPORTS.TEXT_CHARS_MAX);
}

function slug(text: string): string {
  const plain = text.slice(0, REPORTS.NAME_CHARS_MAX).toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

function bounded(text: string, charsMax: number): string {
  return (text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`).toWellFormed();
}

const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const mapOf = (value: unknown): JsonMap => (isMap(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const lineOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : null;

function refused(why: string): CraError {
  return invalidField('report', why);
}
