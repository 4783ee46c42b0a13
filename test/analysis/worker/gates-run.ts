import { type GateTools, readChange, runGates } from '../../../src/analysis/worker/gates.ts';
import { type ActiveRules, createRulesCache } from '../../../src/analysis/worker/rules-cache.ts';
import type { FindAccepted } from '../../../src/analysis/worker/suppress.ts';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { createSyntaxService } from '../../../src/gates/syntax/syntax-service.ts';
import type { TreeFiles } from '../../../src/model/change.ts';
import type { GateFinding } from '../../../src/model/finding.ts';
import type {
  AcceptedFingerprint,
  Allowlist,
  Pattern,
  PipelineSettings,
  RuleSet,
  SeverityMap,
} from '../../../src/model/rules.ts';
import { connectInProcess } from '../../../src/rpc/channel.ts';
import { Syntax } from '../../../src/rpc/contract.ts';
import { createClient, createServer, implement } from '../../../src/rpc/service.ts';
import { KEY, newFile, pattern, ruleSet } from '../../gates/patterns/scan-text.ts';
import { readPackaged } from '../../gates/syntax/code.ts';
import { PATIENT_MS } from '../../store/in-process.ts';

export interface RunOptions {
  /** In place of `patterns` and `allowlists`. */
  rules?: RuleSet;
  patterns?: readonly Pattern[];
  allowlists?: readonly Allowlist[];
  accepted?: readonly AcceptedFingerprint[];
  pipeline?: Partial<PipelineSettings>;
  repoName?: string;
  /** What the store answers when it is asked. */
  findAccepted?: FindAccepted;
  /** Whole files of both trees; absent: there is no repository. */
  files?: TreeFiles;
  /** Other files of the repository; absent: there is none. */
  program?: GateTools['program'];
  /** `binaries.allowed_paths` of the rules. */
  pathsAllowed?: readonly string[];
  severities?: SeverityMap;
  /** In place of the parser. */
  syntax?: GateTools['syntax'];
  /** The time, ms since the epoch. */
  nowMs?: number;
  /** Findings on added markers are among those answered. */
  added?: boolean;
  /** What came with a decision; absent: nothing is known of it. */
  decided?: GateTools['decided'];
}

/** Rules of the tests: a secret whose value is `tok_` and digits, and a call that is a risk. */
const PATTERNS = [
  pattern({
    id: 'secret-token',
    severity: 'medium',
    regex: '(tok_[0-9]{8})',
    keywords: ['tok_'],
  }),
  pattern({ id: 'risk-drop', severity: 'medium', regex: 'DROP TABLE', keywords: ['drop'] }),
];

const carrier = connectInProcess(
  createServer([implement(Syntax, createSyntaxService({ readPackaged }))]),
);
/** The deadlines of gate 2 are CPU time of a child process; in process the clock would count. */
const parser = createClient(Syntax, {
  call: (request, ...rest) => carrier.call({ ...request, timeoutMs: PATIENT_MS }, ...rest),
});

/** What gates 1 and 2, parser and suppression say about a diff. */
export async function findingsOf(
  diff: string | Buffer,
  options: RunOptions = {},
): Promise<GateFinding[]> {
  const tools = gateTools(options);
  const { findings } = await runGates(readChange(Buffer.from(diff)), tools, createCancelFlag());
  // The rules of a test are few, and whole classes of them are empty. Markers that a change adds
  // have tests of their own.
  const isNote = (id: string) => id === 'rules-empty' || (id === 'marker-added' && !options.added);
  return findings.filter(({ id }) => !isNote(id));
}

/** The gates with these rules. */
export function gateTools(options: RunOptions = {}): GateTools {
  const { patterns = PATTERNS, allowlists = [], accepted = [], pipeline = {} } = options;
  const base = options.rules ?? ruleSet(patterns, allowlists);
  const binaries = { allowed_paths: options.pathsAllowed ?? [] };
  const { severities = {} } = options;
  const own = { accepted, binaries, severities, pipeline: { ...base.pipeline, ...pipeline } };
  const rules = compiledOnce(options.rules ?? patterns, { ...base, ...own }, [allowlists, own]);
  const { repoName = 'shop' } = options;
  const { findAccepted = null, files = null, syntax = parser } = options;
  const { nowMs = Date.parse('2026-11-21T12:00:00Z') } = options;
  const tools = { rules, tenantId: 'default', repoName, fingerprintKey: KEY, syntax };
  const { decided, program = null } = options;
  return { ...tools, findAccepted, files, nowMs, decided, program };
}

/** By the object that the patterns come from, and by all else. */
const compiled = new WeakMap<object, Map<string, ActiveRules>>();

/** Many tests run the same patterns, and to compile all built-in ones costs more than a run. */
function compiledOnce(from: object, set: RuleSet, rest: unknown): ActiveRules {
  const known = compiled.get(from) ?? new Map<string, ActiveRules>();
  compiled.set(from, known);
  const key = JSON.stringify(rest);
  const rules = known.get(key) ?? createRulesCache().get('test', set);
  known.set(key, rules);
  return rules;
}

/** The same for a new file with this text. */
export function findingsIn(text: string, options?: RunOptions, path?: string) {
  return findingsOf(newFile(text, path), options);
}

/** `id by reason` of suppressed findings, `id` of the others. */
export function short(findings: readonly GateFinding[]): string[] {
  return findings.map(({ id, suppressed }) =>
    suppressed === null ? id : `${id} (${suppressed.by}: ${suppressed.reason})`,
  );
}
