import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { RulesSource } from '../analysis/job.ts';
import type { RulesCheck } from '../gates/patterns/rules-text.ts';
import { CraError } from '../model/errors.ts';
import { RULES } from '../model/limits.ts';
import type {
  BuiltRules,
  Pattern,
  PreparedKeywords,
  RuleSet,
  RulesJob,
  RulesText,
} from '../model/rules.ts';
import { createPatience, watchProcess } from '../rpc/child.ts';
import { runInChild, workerEntry } from '../rpc/thread-entry.ts';

const MIB = 1024 * 1024;

/** Rules that may become active. */
export type Built = NonNullable<BuiltRules['built']>;

/**
 * The rules to run under, as threads take them: the built-in rules, or the rules of a file, which
 * are compiled and tried on their own examples in a process of their own first. The built-in rules
 * are part of the program, whose tests do the same with them: at each start it would take seconds.
 * Throws INVALID_ARGUMENT.
 */
export async function loadActiveRules(path: string | null): Promise<RulesSource> {
  if (path === null) return readJson(BUILT_IN_ACTIVE);
  const source = await buildRules(readRulesText(path));
  return { revision: source.revision, rules: withoutExamples(source.rules) };
}

/** The same rules without their examples, which no scan needs: every thread keeps a copy. */
export function withoutExamples(rules: RuleSet): RuleSet {
  const strip = (pattern: Pattern) => ({ ...pattern, examples: { match: [], noMatch: [] } });
  const { ast } = rules;
  const catalogue = ast?.catalogue?.map((entry) => ({ ...entry, examples: [] }));
  return {
    ...rules,
    ...(catalogue !== undefined && { ast: { ...ast, catalogue } }),
    secret_patterns: rules.secret_patterns.map(strip),
    risk_patterns: rules.risk_patterns.map(strip),
    vulnerability_patterns: rules.vulnerability_patterns.map(strip),
  };
}

/**
 * Resolves, compiles and tries rules in a process of its own, so that rules which kill or stall it
 * never reach the threads. Throws INVALID_ARGUMENT that names each bad one.
 */
export async function buildRules(source: RulesText): Promise<Built> {
  await enter();
  try {
    return await build(source);
  } finally {
    leave();
  }
}

/** Processes that try rules now, and who waits for one: each takes a core and much memory. */
let building = 0;
const waiting: (() => void)[] = [];

async function enter(): Promise<void> {
  if (building < RULES.BUILDS_MAX) {
    building += 1;
    return;
  }
  if (waiting.length >= RULES.BUILDS_WAITING_MAX) {
    throw new CraError('RESOURCE_EXHAUSTED', 'other rules are being tried; try again later');
  }
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Gives the place to the longest waiting caller. */
function leave(): void {
  const next = waiting.shift();
  if (next === undefined) building -= 1;
  else next();
}

async function build(source: RulesText): Promise<Built> {
  const answer = await inChild({ kind: 'build', source }).catch((thrown) => {
    throw asRefusal(source.name, thrown);
  });
  const { problems, built } = answer as BuiltRules;
  if (built !== null) return built;
  const shown = problems.slice(0, RULES.PROBLEMS_SHOWN_MAX).join('; ');
  const more = problems.length - RULES.PROBLEMS_SHOWN_MAX;
  const rest = more > 0 ? `; and ${more} more` : '';
  throw new CraError('INVALID_ARGUMENT', `${source.name}: ${shown}${rest}`);
}

/** Compiles rules and runs their examples in a process of its own; returns their problems. */
export async function checkRules(rules: RuleSet): Promise<RulesCheck> {
  return (await inChild({ kind: 'check', rules })) as RulesCheck;
}

/** What its process did not survive, or not in time, is wrong with the rules. */
function asRefusal(name: string, thrown: unknown): unknown {
  const code = thrown instanceof CraError ? thrown.code : null;
  if (code === 'ABORTED') {
    const message = `${name}: the process that tries them did not survive`;
    return new CraError('INVALID_ARGUMENT', message, { details: { tried: false } });
  }
  if (code === 'DEADLINE_EXCEEDED') {
    const seconds = RULES.CHECK_CPU_MS / 1000;
    const message = `${name}: cannot be tried within ${seconds} s of CPU time`;
    return new CraError('INVALID_ARGUMENT', message, { details: { tried: false } });
  }
  return thrown;
}

function inChild(job: RulesJob): Promise<unknown> {
  return runInChild(workerEntry('rules'), job, (pid, giveUp) =>
    watchProcess(pid, RULES.CHECK_CPU_MS, createPatience(), () => giveUp('no result in its time')),
  );
}

/**
 * The text of a rules file: JSON, or (`.toml`) a gitleaks configuration. Throws INVALID_ARGUMENT
 * that names the file when it cannot be read or is larger than RULES.FILE_BYTES_MAX.
 */
export function readRulesText(path: string): RulesText {
  const name = `rules file ${path}`;
  const refuse = (problem: string, cause?: unknown) =>
    new CraError('INVALID_ARGUMENT', `${name} ${problem}`, { cause });
  let text: string;
  try {
    if (statSync(path).size > RULES.FILE_BYTES_MAX) {
      throw refuse(`is larger than ${RULES.FILE_BYTES_MAX / MIB} MiB`);
    }
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof CraError) throw thrown;
    throw refuse(`cannot be read: ${(thrown as NodeJS.ErrnoException).code}`, thrown);
  }
  return { name, text, isToml: isToml(path) };
}

/** Where `npm run build` puts the rules of `src/rules`, as JSON, and their keywords. */
const BUILT_IN = new URL('../rules/default.json', import.meta.url);
/** The same without their examples, which are half of it. */
const BUILT_IN_ACTIVE = new URL('../rules/active.json', import.meta.url);
const KEYWORDS = new URL('../rules/keywords.json', import.meta.url);
const KEYWORD_TABLE = new URL('../rules/keywords.bin', import.meta.url);

/** The built-in rules with their revision, which the build has computed. */
export function readBuiltInRules(): RulesSource {
  return readJson(BUILT_IN);
}

/**
 * The built-in rules of a revision with their examples, JSON. They are read when a caller asks: a
 * start needs none of their 4 MB. UNAVAILABLE where the program was replaced meanwhile.
 */
export function readBuiltInJson(revision: string): Uint8Array {
  const file = readFileSync(BUILT_IN);
  const head = `{"revision":"${revision}","rules":`;
  if (!file.subarray(0, head.length).equals(Buffer.from(head))) {
    throw new CraError('UNAVAILABLE', 'the program was replaced: start the service again');
  }
  return file.subarray(head.length, -1);
}

function readJson(file: URL): RulesSource {
  return JSON.parse(readFileSync(file, 'utf8')) as RulesSource;
}

/** The keywords of the built-in rules, with the table, the 9 MB of it, in shared memory. */
export function readBuiltInKeywords(): PreparedKeywords {
  const { revision, index } = JSON.parse(readFileSync(KEYWORDS, 'utf8')) as StoredKeywords;
  const { automaton, ruleStart, ruleIds } = index;
  const { classes, outputStart, outputIds } = automaton;
  const file = openSync(KEYWORD_TABLE, 'r');
  try {
    const next = new Int32Array(new SharedArrayBuffer(fstatSync(file).size));
    readSync(file, next);
    return {
      revision,
      index: {
        ruleStart: Int32Array.from(ruleStart),
        ruleIds: Int32Array.from(ruleIds),
        automaton: {
          ...automaton,
          next,
          classes: Uint8Array.from(classes),
          outputStart: Int32Array.from(outputStart),
          outputIds: Int32Array.from(outputIds),
        },
      },
    };
  } finally {
    closeSync(file);
  }
}

/** As `storeKeywords` writes them: everything but the table. */
interface StoredKeywords {
  revision: string;
  index: {
    ruleStart: number[];
    ruleIds: number[];
    automaton: {
      stride: number;
      firstOutput: number;
      classes: number[];
      outputStart: number[];
      outputIds: number[];
    };
  };
}

/**
 * Writes the keywords of rules where `readBuiltInKeywords` looks for them.
 * @public The build calls it (tools/build-rules.mjs).
 */
export function storeKeywords({ revision, index }: PreparedKeywords): void {
  const { next, ...automaton } = index.automaton;
  if (!(next instanceof Int32Array)) throw new Error('the table of the keywords is too small');
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? [...(value as Int32Array)] : value;
  writeFileSync(KEYWORDS, JSON.stringify({ revision, index: { ...index, automaton } }, plain));
  writeFileSync(KEYWORD_TABLE, next);
}

/** Whether a path names a gitleaks configuration. */
export function isToml(path: string): boolean {
  return /\.toml$/i.test(path);
}
