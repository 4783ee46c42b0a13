import type { Severity } from '../../../model/finding.ts';
import { javascriptTable } from '../../../rules/catalogue/javascript.ts';
import { type CommandLine, words } from '../../../rules/catalogue/line.ts';
import type { SinkName } from '../../../rules/wording/sinks.ts';
import { lookUp, startsShell } from '../engine/catalogue-lines.ts';
import { RUNNER, RUNNER_FLAG, STARTS_OTHERS } from './kinds.ts';
import { ECMASCRIPT_NAMES } from './naming.ts';
import { type CallSite, type Danger, exportOf, type Sink, threatOf, wholeWords } from './sink.ts';
import { holes, UNKNOWN, type Value } from './value.ts';

const { commands } = javascriptTable;
const commandAt = lookUp<CommandLine>(commands, ECMASCRIPT_NAMES);
const MODULES = new Set(commands.map((line) => line.package));
/** Programs with options that name a further program to run. */
const OPTION_RUNNERS = /(?:^|\/)(?:git|hg|svn|ssh|scp|sftp|rsync|tar|zip|find|man)$/;
const GIT = /(?:^|\/)git$/;
/** Commands of git that take options which run programs, such as `--upload-pack`. */
const REMOTE_COMMANDS = words('archive checkout clone fetch ls-remote pull push submodule');
const OPTION_FIX = "Put '--' before the argument, and refuse what begins with a dash.";
/** Take one text and hand it to a shell, wherever they come from. */
const SHELL_CALLS = words('exec execSync execCommand execAsync execPromise execCmd');
/** Take a program and its arguments; a shell only when asked for one. */
const PROGRAM_CALLS = words('spawn spawnSync fork execFile execFileSync');
/** Of these, the names that say so without their module. */
const FREE_CALLS = new Set([...SHELL_CALLS, ...PROGRAM_CALLS].filter((name) => name !== 'fork'));
/** Names that a child_process (or shelljs) goes by where its import is out of sight. */
const RECEIVERS = /^(?:cp|child|childProcess|child_process|childprocess|shell|shelljs|sh)$/;
/** Connections that run commands on another machine. */
const REMOTES = /(?:^|\.)(?:conn|ssh|sshClient|sshConnection|sshConn)$/;
const SHELLS = /(?:^|[/\\])(?:ba|da|z|k|a)?sh$|(?:^|[/\\])(?:cmd|powershell|pwsh)(?:\.exe)?$/i;
/** A text that begins with a shell and its script: `sh -c `. */
const SHELL_START =
  /^\s*(?:\/(?:usr\/)?bin\/)?(?:(?:ba|da|z|k)?sh\s+-l?c|cmd\s+\/c|(?:powershell|pwsh)\s+-c\w*)\s+['"]?$/i;
const TAG = /(?<![\w$.])\$(?:\.\w{1,9}|\([^()\n]{0,200}\))?`[^`]{0,400}\$\{/;
const SHELL_FLAGS = /^(?:-l?i?c|\/[cCkK]|-[cC]ommand|-[eE]ncodedCommand)$/;

const FIX =
  'Call execFile or spawn with the program and an array of arguments, without a shell, and check ' +
  'the arguments against a list of allowed values.';

/** vuln-01: OS command injection (CWE-78). */
export const command: Sink = {
  hints: [
    wholeWords(
      [
        ...SHELL_CALLS,
        ...PROGRAM_CALLS,
        'execaCommand',
        'execaCommandSync',
        'shelljs',
        'child_process',
      ].filter((word) => word !== 'exec' && word !== 'fork'),
    ),
    // Not a regular expression's.
    {
      words: ['exec'],
      patterns: [
        /(?<![\w$.])exec(?![\w$])|\b(?:cp|child\w{0,20}|shell\w{0,10}|sh|conn\w{0,10}|ssh\w{0,20})\s{0,20}\??\.\s{0,20}exec\b/,
      ],
    },
    wholeWords(['execa', 'execaSync', 'node-pty', 'cross-spawn', 'tinyexec', 'nano-spawn']),
    // Here a client may have any name.
    { words: ['ssh2'], patterns: [/['"]ssh2['"]/] },
    {
      words: ['Bun', 'Deno'],
      patterns: [/\b(?:Bun\s{0,9}\.\s{0,9}spawn|Deno\s{0,9}\.\s{0,9}(?:run|Command))/],
    },
    { words: ['zx'], patterns: [/['"]zx(?:\/\w{1,20})?['"]/] },
    { words: ['$`', '$.', '$('], patterns: [TAG] },
  ],
  inCall(site) {
    const piped = intoInput(site);
    if (piped !== null) return piped;
    const takes = takenBy(site);
    switch (takes) {
      case 'shell':
        return shellText(site, 0);
      case 'program':
        return program(site, site.args);
      case 'list':
        return list(site);
      default:
        return null;
    }
  },
  inTag: (site) => (commandAt(site)?.takes === 'tag' ? tag(site) : null),
};

/** `upload.pipe(spawn('sh').stdin)`, `pipeline(upload, shell.stdin)` */
function intoInput(site: CallSite): Danger | null {
  const isPipe = site.name === 'pipe' && site.receiver !== null;
  if (!isPipe && site.name !== 'pipeline') return null;
  const all = isPipe ? [site.receiver ?? UNKNOWN, ...site.args] : site.args;
  const input = all.findIndex(({ made }) => made?.endsWith('.stdin') === true);
  if (input < 1 || !startsShell({ args: [], receiver: all[input] ?? null })) return null;
  return grade(all[0] ?? UNKNOWN, isPipe ? -1 : 0, 'shell command', site);
}

/** What a call does with its arguments, by the catalogue or by names that say it; else null. */
function takenBy(site: CallSite): CommandLine['takes'] | null {
  const line = commandAt(site);
  if (line !== null) return line.takes;
  const module = exportOf(site.origin, MODULES);
  if (module === null && !isLikely(site)) return null;
  const name = module === null || module === '' || module === 'default' ? site.name : module;
  // One of the module's functions, whichever it is: most take a command.
  if (name === '*') return 'shell';
  if (SHELL_CALLS.has(name)) return site.isNew ? null : 'shell';
  return PROGRAM_CALLS.has(name) || module === '' ? 'program' : null;
}

/** `Bun.spawn(['ls', x])`, `Deno.run({ cmd: ['ls', x] })` */
function list(site: CallSite): Danger | null {
  const [first, second] = site.args;
  const whole = first?.properties?.get('cmd') ?? first;
  if (whole?.elements == null) return whole === undefined ? null : program(site, [whole]);
  const [file, ...rest] = whole.elements;
  const args = {
    ...UNKNOWN,
    elements: rest,
    source: rest.find((item) => item.source)?.source ?? null,
  };
  return file === undefined ? null : program(site, [file, args, second ?? whole]);
}

/**
 * A template tag that starts a program: it quotes what stands in holes, unless that is the program
 * itself, a shell's script, or a shell was asked for.
 */
function tag(site: CallSite): Danger | null {
  const [text, options] = site.args;
  if (text === undefined) return null;
  const [start, hole] = text.pieces ?? [];
  if (usesShell(options)) return shellText(site, 0);
  const isProgram = typeof start === 'string' ? start.trim() === '' : start !== undefined;
  const first = typeof start === 'string' ? hole : start;
  const isScript = typeof start === 'string' && SHELL_START.test(start);
  if ((isProgram || isScript) && typeof first === 'object') {
    return grade(first, 0, isScript ? 'shell command' : 'program name', site);
  }
  const danger = grade(text, 0, 'program argument', site);
  const isFromOutside = danger?.id === 'vuln-01' || danger?.source?.strength === 'checked';
  return danger !== null && isFromOutside
    ? { ...danger, id: 'ast-command', severity: 'medium' }
    : null;
}

/** `exec` on a name that nothing declares; never `regex.exec`, `query.exec`, `connection.exec`. */
function isLikely(site: CallSite): boolean {
  if (site.origin?.startsWith('new ssh2.') === true) return true;
  if (site.origin !== null || site.isDeclared || site.isNew) return false;
  if (site.receiver === null) return FREE_CALLS.has(site.name);
  if (site.name === 'execSync') return true;
  if (site.name === 'exec' && REMOTES.test(site.receiverPath ?? '')) return true;
  return site.receiverPath !== null && RECEIVERS.test(site.receiverPath);
}

/** Whether the name can hardly mean anything else. */
function isCertain(site: CallSite): boolean {
  return site.origin !== null || site.receiver === null || RECEIVERS.test(site.receiverPath ?? '');
}

function shellText(site: CallSite, argument: number): Danger | null {
  const value = site.args[argument];
  return value === undefined ? null : grade(value, argument, 'shell command', site);
}

/** A program call: the text for its shell, or a program that somebody else chooses. */
function program(site: CallSite, args: readonly Value[]): Danger | null {
  const [file, second, third] = args;
  if (file === undefined) return null;
  const list = (second?.properties?.get('args') ?? second)?.elements ?? null;
  if (usesShell(second) || usesShell(third)) {
    const inFile = grade(file, 0, 'shell command', site);
    if (inFile !== null) return inFile;
    const worst = list?.find((item) => isOpen(item, site)) ?? second;
    return worst === undefined ? null : grade(worst, 1, 'shell command', site);
  }
  const isShell = ({ constant }: Value) => SHELLS.test(constant ?? '');
  const started = STARTS_OTHERS.test(file.constant ?? '') ? (list?.findIndex(isShell) ?? -1) : -1;
  if (isShell(file) || started >= 0) {
    const given = list?.slice(started + 1) ?? [];
    const at = given.findIndex((item) => SHELL_FLAGS.test(item.constant ?? ''));
    const script = at < 0 ? undefined : given[at + 1];
    return script === undefined ? null : grade(script, 1, 'shell command', site);
  }
  if (list !== null && RUNNER.test(file.constant ?? '')) {
    const at = list.findIndex((item) => RUNNER_FLAG.test(item.constant ?? ''));
    const script = at < 0 ? undefined : list[at + 1];
    const inScript = script === undefined ? null : grade(script, 1, 'shell command', site);
    if (inScript !== null) return inScript;
  }
  const picked = option(site, file, list);
  if (picked !== null) return picked;
  const { kind } = threatOf(file, 'command', site.safetyOf);
  const isChosen = (kind === 'strong' || kind === 'checked') && file.pieces === null;
  return isChosen ? grade(file, 0, 'program name', site) : null;
}

/** `git clone --upload-pack=...`: an argument that is taken for an option which runs programs. */
function option(site: CallSite, file: Value, list: readonly Value[] | null): Danger | null {
  const name = file.constant ?? file.fallback ?? '';
  if (list === null || !OPTION_RUNNERS.test(name)) return null;
  // What a caller names there is an address or a revision as a rule.
  const isRemote = GIT.test(name) && REMOTE_COMMANDS.has(list[0]?.constant ?? '');
  for (const value of list) {
    if (value.constant === '--') return null;
    if (value.pieces !== null) continue;
    const found = grade(value, 1, 'program option', site);
    if (found === null) continue;
    const isStrong = found.id === 'vuln-01';
    if (!isStrong && !(isRemote && found.source?.strength === 'weak')) continue;
    if (found.source != null && site.safetyOf('option', found.source) !== null) continue;
    return { ...found, id: 'ast-command', severity: 'medium', cwe: 'CWE-88', fix: OPTION_FIX };
  }
  return null;
}

function isOpen(value: Value, site: CallSite): boolean {
  return threatOf(value, 'command', site.safetyOf).kind !== null;
}

function usesShell(options: Value | undefined): boolean {
  const shell = options?.properties?.get('shell');
  if (shell === undefined) return false;
  return shell.constant !== 'false' && shell.constant !== '';
}

function grade(value: Value, argument: number, sink: SinkName, site: CallSite): Danger | null {
  const found = (id: string, severity: Severity): Danger => {
    return { id, severity, cwe: 'CWE-78', sink, fix: FIX, value, source, argument };
  };
  const { kind, source } = threatOf(value, 'command', site.safetyOf);
  switch (kind) {
    case 'strong':
      return found('vuln-01', 'critical');
    case 'checked':
      return found('ast-command', 'high');
    case 'weak':
      // Put together, the caller's text stands among the program's own words.
      if (value.pieces !== null && isCertain(site) && source?.safeFor.length === 0)
        return found('vuln-01', 'critical');
      return site.origin === null && value.pieces === null ? null : found('ast-command', 'high');
    case 'operator':
      return found('ast-command', 'medium');
    case 'built':
      return found('ast-command', isOwnText(value) ? 'medium' : 'high');
    case null:
      return null;
  }
}

/** Packages whose results are the output of a program, or the content of a file. */
const OWN_TEXT = /^(?:child_process|fs|fs\/promises|fs-extra|execa|cross-spawn|shelljs)[.(]/;

/**
 * Whether all that is not known of a text is what the program itself has read: the output of
 * another one (`git rev-parse`), or a file (`VERSION`). Nobody outside is seen to choose it.
 */
function isOwnText(value: Value): boolean {
  const open = holes(value).filter(({ source, safeFor }) => {
    return source === null && !safeFor.includes('command');
  });
  return open.length > 0 && open.every(({ made }) => OWN_TEXT.test(made ?? ''));
}
