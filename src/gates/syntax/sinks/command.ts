import type { Severity } from '../../../model/finding.ts';
import type { Value } from '../taint/value.ts';
import { type CallSite, type Danger, exportOf, type Sink, threatOf, wholeWords } from './sink.ts';

/** Modules whose `exec` and the like start a shell or a program. */
const MODULES = new Set([
  'child_process',
  'child-process-promise',
  'mz/child_process',
  'promisify-child-process',
  'shelljs',
  'cross-spawn',
  'execa',
  'node-pty',
]);
/** Take one text and hand it to a shell. */
const SHELL_CALLS = new Set([
  'exec',
  'execSync',
  'execCommand',
  'execAsync',
  'execPromise',
  'execCmd',
]);
/** Take a program and its arguments; a shell only when told so. */
const PROGRAM_CALLS = new Set([
  'spawn',
  'spawnSync',
  'fork',
  'execFile',
  'execFileSync',
  'execa',
  'execaSync',
  'sync',
]);
/** Names that a child_process (or shelljs) goes by where its import is out of sight. */
const RECEIVERS = /^(?:cp|child|childProcess|child_process|childprocess|shell|shelljs|sh)$/;
/** Connections that run commands on another machine. */
const REMOTES = /(?:^|\.)(?:conn|ssh|sshClient|sshConnection|sshConn)$/;
const SHELLS = /(?:^|[/\\])(?:ba|da|z|k|a)?sh$|(?:^|[/\\])(?:cmd|powershell|pwsh)(?:\.exe)?$/i;
const SHELL_FLAGS = /^(?:-l?i?c|\/[cCkK]|-[cC]ommand|-[eE]ncodedCommand)$/;

/** Of these, the names that say so without their module. */
const FREE_CALLS = new Set(
  [...SHELL_CALLS, ...PROGRAM_CALLS].filter((name) => !/^(?:sync|fork)$/.test(name)),
);

const FIX =
  'Call execFile or spawn with the program and an array of arguments, without a shell, and check ' +
  'the arguments against a list of allowed values.';

/** vuln-01: OS command injection (CWE-78). */
export const command: Sink = {
  hints: [
    wholeWords([...SHELL_CALLS, ...PROGRAM_CALLS, 'shelljs', 'child_process'].filter(isTelling)),
    // Not a regular expression's.
    {
      words: ['exec'],
      patterns: [
        /(?<![\w$.])exec(?![\w$])|\b(?:cp|child\w{0,20}|shell\w{0,10}|sh|conn\w{0,10}|ssh\w{0,20})\s{0,20}\??\.\s{0,20}exec\b/,
      ],
    },
    { words: ['execa'], patterns: [/\bexeca\b/] },
  ],
  inCall(site) {
    const module = exportOf(site.origin, MODULES);
    if (module === null && !isLikely(site)) return null;
    const name = module === null || module === '' || module === 'default' ? site.name : module;
    // One of the module's functions, whichever it is: most take a command.
    if (name === '*') return shellText(site, 0);
    if (isShellCall(name, site)) return shellText(site, 0);
    if (PROGRAM_CALLS.has(name) || module === '') return program(site);
    return null;
  },
};

/** `crossSpawn.sync` comes with the module's name. */
function isTelling(word: string): boolean {
  return !/^(?:exec|sync|fork)$/.test(word);
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

function isShellCall(name: string, site: CallSite): boolean {
  return SHELL_CALLS.has(name) && !(site.isNew || name === 'sync');
}

function shellText(site: CallSite, argument: number): Danger | null {
  const value = site.args[argument];
  return value === undefined ? null : grade(value, argument, 'a shell command', site);
}

/** A program call: the text for its shell, or a program that somebody else chooses. */
function program(site: CallSite): Danger | null {
  const [file, second, third] = site.args;
  if (file === undefined) return null;
  const list = second?.elements ?? null;
  if (usesShell(second) || usesShell(third)) {
    const inFile = grade(file, 0, 'a shell command', site);
    if (inFile !== null) return inFile;
    const worst = list?.find((item) => isOpen(item, site)) ?? second;
    return worst === undefined ? null : grade(worst, 1, 'a shell command', site);
  }
  if (file.constant !== null && SHELLS.test(file.constant)) {
    const at = list?.findIndex((item) => SHELL_FLAGS.test(item.constant ?? '')) ?? -1;
    const script = at < 0 ? undefined : list?.[at + 1];
    return script === undefined ? null : grade(script, 1, 'a shell command', site);
  }
  const isChosen = file.source?.strength === 'strong' && file.pieces === null;
  return isChosen ? grade(file, 0, 'the name of a program to run', site) : null;
}

function isOpen(value: Value, site: CallSite): boolean {
  return threatOf(value, 'command', site.isSafe).kind !== null;
}

function usesShell(options: Value | undefined): boolean {
  const shell = options?.properties?.get('shell');
  if (shell === undefined) return false;
  return shell.constant !== 'false' && shell.constant !== '';
}

function grade(value: Value, argument: number, sink: string, site: CallSite): Danger | null {
  const found = (id: string, severity: Severity): Danger => {
    return { id, severity, cwe: 'CWE-78', sink, fix: FIX, value, source, argument };
  };
  const { kind, source } = threatOf(value, 'command', site.isSafe);
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
      return found('ast-command', 'high');
    case null:
      return null;
  }
}
