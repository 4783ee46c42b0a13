import type { Severity } from '../../../model/finding.ts';
import { words } from '../../../rules/catalogue/line.ts';
import type { SinkName } from '../../../rules/wording/sinks.ts';
import {
  type CallSite,
  type Danger,
  exportOf,
  type Sink,
  sourceFor,
  threatOf,
  wholeWords,
} from './sink.ts';
import { holes, type Source, type Value } from './value.ts';

const GLOBALS = /^(?:window|globalThis|global|self|top|parent|frames)$/;
const VM_MODULES = new Set(['vm', 'vm2', 'isolated-vm']);
const VM_CALLS = words(`
  runInNewContext runInThisContext runInContext compileFunction Script SourceTextModule
`);
/** `setImmediate` takes functions only: text is ERR_INVALID_ARG_TYPE. */
const TIMERS = new Set(['setTimeout', 'setInterval', 'execScript']);
const FUNCTIONS = new Set(['Function', 'AsyncFunction', 'GeneratorFunction']);
/** A timer whose first argument is not a function written there, nor has one of the usual names. */
const TEXT_TIMER = new RegExp(
  String.raw`\b(?:set(?:Timeout|Interval)|execScript)\s{0,20}\(\s{0,80}` +
    String.raw`(?!\(|\)|[\w$]+\s?=>|` +
    String.raw`(?:async|function|resolve|reject|done|next|r|cb|callback)\b)`,
);
/** A module whose name is not a literal. */
const COMPUTED_MODULE = new RegExp(
  String.raw`(?<![\w$.])(?:require|import)\s{0,20}\(\s{0,80}` +
    String.raw`(?:[^'"\s)]|['"][^'"\n]{0,200}['"]\s{0,20}\+)`,
);

/** A worker whose program is not a literal. */
const COMPUTED_WORKER =
  /\bWorker\s{0,9}\(\s{0,80}(?:new\s{1,9}URL\s{0,9}\(\s{0,80})?(?:[^'"`\sn)]|['"`]data:)/;

const CONSTRUCTOR_CALL =
  /(?:\.\s{0,20}|\[\s{0,20}['"`])constructor['"`\])\s]{0,20}(?:\?\.\s{0,20})?\(/;

const FIX =
  'Do not make code from data: use JSON.parse, a table of functions or a parser; give template ' +
  'engines fixed templates and the data apart.';

/** vuln-02: code injection (CWE-94, 95, 1336, 829). */
export const code: Sink = {
  hints: [
    wholeWords(['eval', 'AsyncFunction', 'GeneratorFunction', ...VM_CALLS, 'vm', 'vm2']),
    { words: ['function'], patterns: [/(?<![\w$.])Function\s{0,20}\(/] },
    { words: [...TIMERS], patterns: [TEXT_TIMER] },
    { words: ['require', 'import'], patterns: [COMPUTED_MODULE] },
    { words: ['getBuiltinModule'], patterns: [] },
    { words: ['._load'], patterns: [/\._load\b/] },
    { words: ['._compile'], patterns: [/\._compile\b/] },
    {
      words: ['worker'],
      patterns: [/\bnew\s{1,9}(?:\w{1,40}\.)?Worker\s{0,9}\(/, COMPUTED_WORKER],
    },
    // `f.constructor(text)`, `Object.getPrototypeOf(async () => {}).constructor`
    { words: ['constructor'], patterns: [CONSTRUCTOR_CALL] },
    {
      words: ['getPrototypeOf'],
      patterns: [/getPrototypeOf\s{0,20}\(\s{0,20}(?:async|function|\()/],
    },
  ],
  inCall(site) {
    if (isEval(site)) return evaluated(site, 0);
    if (isFunction(site)) return functionBody(site);
    if (isVm(site)) return tainted(site, 'code', 'CWE-94');
    if (isTimer(site) || isWorker(site)) return timer(site);
    if (isRequire(site) || isWorkerFile(site)) return required(site);
    // `new Module(name)._compile(code, name)`
    if (site.name === '_compile') return tainted(site, 'code', 'CWE-94');
    return null;
  },
};

function isGlobal(site: CallSite): boolean {
  if (site.origin !== null || site.isDeclared) return false;
  return site.receiver === null || GLOBALS.test(site.receiverPath ?? '');
}

function isEval(site: CallSite): boolean {
  return site.name === 'eval' && isGlobal(site) && !site.isNew;
}

function isFunction(site: CallSite): boolean {
  return FUNCTIONS.has(site.name) && isGlobal(site);
}

function isVm(site: CallSite): boolean {
  if (/^new vm2\.(?:Node)?VM\.run$/.test(site.origin ?? '')) return true;
  const module = exportOf(site.origin, VM_MODULES);
  if (module !== null) return VM_CALLS.has(module) || VM_CALLS.has(site.name);
  return site.receiverPath === 'vm' && !site.isDeclared && VM_CALLS.has(site.name);
}

function isTimer(site: CallSite): boolean {
  return TIMERS.has(site.name) && isGlobal(site) && !site.isNew;
}

/** `new Worker(code, { eval: true })` */
function isWorker(site: CallSite): boolean {
  const isNode =
    site.origin === 'worker_threads.Worker' || (site.origin === null && !site.isDeclared);
  const isMade = site.isNew && (site.name === 'Worker' || site.origin !== null);
  if (!isMade || !isNode) return false;
  const isOn = site.args[1]?.properties?.get('eval');
  return isOn !== undefined && isOn.constant !== 'false';
}

/** `new Worker(file)`: a program, perhaps in a `data:` address. */
function isWorkerFile(site: CallSite): boolean {
  const isNode = site.origin === 'worker_threads.Worker';
  return site.isNew && (isNode || (site.name === 'Worker' && isGlobal(site)));
}

function isRequire(site: CallSite): boolean {
  return (site.name === 'require' || site.name === 'import') && isGlobal(site) && !site.isNew;
}

/**
 * Text that runs: anything but a literal, and JSON within one, is a danger, and so is a literal in
 * base64 or hexadecimal, as malware in packages hides its code (CWE-506).
 */
function evaluated(site: CallSite, argument: number): Danger | null {
  const value = site.args[argument];
  if (value?.role === 'decoded') return decoded(value, argument);
  if (value === undefined || value.isTrusted || isData(value)) return null;
  // Objects and functions are not code: eval gives them back.
  if (value.properties !== null || value.role !== null || value.callable !== null) return null;
  return { ...base('CWE-95', 'code'), severity: 'critical', value, argument };
}

/** Text that is written in base64 or hexadecimal and runs as code or in a shell (CWE-506). */
export function decoded(value: Value, argument: number): Danger {
  const fix = 'Write the code as text that a reviewer can read.';
  const what = { ...base('CWE-506', 'decoded code'), id: 'ast-code', fix } as const;
  return { ...what, severity: 'high', value, argument };
}

/** Known text with nothing but JSON between. */
function isData(value: Value): boolean {
  return value.isJson || (value.pieces !== null && holes(value).every((hole) => hole.isJson));
}

/** The last argument is the body, those before are parameter names, which run as well. */
function functionBody(site: CallSite): Danger | null {
  for (let at = site.args.length - 1; at >= 0; at -= 1) {
    const danger = evaluated(site, at);
    if (danger !== null) return danger;
  }
  return null;
}

function timer(site: CallSite): Danger | null {
  const [value] = site.args;
  if (value === undefined || isData(value)) return null;
  const { kind, source } = threatOf(value, 'command', site.safetyOf);
  if (kind === 'strong' || kind === 'checked')
    return graded('timer or worker code', 'CWE-95', value, source);
  if (value.pieces === null || kind === null) return null;
  return graded('timer or worker code', 'CWE-95', value, source);
}

/** The first argument is a program, if it comes from outside. */
function tainted(site: CallSite, sink: SinkName, cwe: string): Danger | null {
  const [value] = site.args;
  if (value?.role === 'decoded') return decoded(value, 0);
  if (value === undefined || isData(value) || value.properties !== null) return null;
  const source = sourceFor(value, 'command', site.safetyOf);
  return source === null ? null : graded(sink, cwe, value, source);
}

/** A module that the sender chooses; with a fixed start only a file of that place. */
function required(site: CallSite): Danger | null {
  const [value] = site.args;
  const source = value === undefined ? null : sourceFor(value, 'command', site.safetyOf);
  if (value === undefined || source === null) return null;
  if (source.strength !== 'strong' && source.strength !== 'checked') return null;
  const sink = 'module name';
  const start = value.pieces?.[0];
  const isFree = !value.isResult && (typeof start !== 'string' || start === '');
  if (isFree && source.strength === 'strong') return critical(sink, 'CWE-829', value);
  return { ...base('CWE-829', sink), id: 'ast-code', severity: 'high', value, argument: 0 };
}

function critical(sink: SinkName, cwe: string, value: Value): Danger {
  return { ...base(cwe, sink), severity: 'critical', value, argument: 0 };
}

function graded(sink: SinkName, cwe: string, value: Value, source: Source | null): Danger {
  if (source?.strength === 'strong') return critical(sink, cwe, value);
  const severity: Severity = source?.strength === 'operator' ? 'medium' : 'high';
  return { ...base(cwe, sink), id: 'ast-code', severity, value, argument: 0 };
}

function base(
  cwe: string,
  sink: SinkName,
): { id: string; cwe: string; sink: SinkName; fix: string } {
  return { id: 'vuln-02', cwe, sink, fix: FIX };
}
