import { execFileSync } from 'node:child_process';

/**
 * The manual page cra(1), from what `cra --help` and the help of each command print.
 * `cra` is the command line that runs the program.
 */
export function manPage({ cra, version, date }) {
  const [program, ...first] = cra;
  const help = (...args) => execFileSync(program, [...first, ...args], { encoding: 'utf8' });
  const commands = [...help('--help').matchAll(/^ {2}(\S+) {2,}(\S.*)$/gm)];
  if (commands.length === 0) throw new Error('cra --help names no command');
  return [
    `.TH CRA 1 "${date}" "cra ${version}" "User Commands"`,
    '.SH NAME',
    'cra \\- gate code changes by risk',
    '.SH SYNOPSIS',
    '.B cra',
    '.I COMMAND',
    '[\\fIOPTIONS\\fR]',
    '.SH DESCRIPTION',
    'Judges code changes, as a service and on the command line: risk patterns and secrets, an',
    'analysis of JavaScript and TypeScript, and a review by language models that are configured.',
    '.SH COMMANDS',
    ...commands.flatMap(([, name, summary]) => [
      `.SS cra ${escaped(name)}`,
      `${escaped(summary[0].toUpperCase() + summary.slice(1))}.`,
      '.PP',
      '.nf',
      ...help(name, '--help').trimEnd().split('\n').map(escaped),
      '.fi',
    ]),
    '.SH FILES',
    ...FILES.flatMap(([path, text]) => ['.TP', `.I ${escaped(path)}`, escaped(text)]),
    '.SH SEE ALSO',
    '.BR systemctl (1),',
    '.BR systemd.exec (5),',
    '.BR git (1)',
    '.PP',
    'The documents in /usr/share/doc/cra.',
    '',
  ].join('\n');
}

const FILES = [
  ['/etc/cra/cra.env', 'Settings of the service.'],
  ['/etc/credstore', 'Its secrets, one file each, which systemd hands over as credentials.'],
  ['/var/lib/cra', 'Its data directory: keys, diffs, mirrors, and the SQLite store.'],
];

/** Text of roff: backslashes, hyphens and a dot or quote at the start of a line are special. */
function escaped(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&');
}
