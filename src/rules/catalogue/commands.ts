import type { CommandLine } from './line.ts';

const NODE = 'https://nodejs.org/api/child_process.html';
const EXECA = 'https://github.com/sindresorhus/execa/blob/main/docs/api.md';
const CHILD = 'cp child childProcess child_process childprocess';

/** Functions that start a shell or a program. */
export const commands: readonly CommandLine[] = [
  {
    package: 'child_process',
    exports: 'exec execSync',
    aliases: CHILD,
    takes: 'shell',
    link: `${NODE}#child_processexeccommand-options-callback`,
  },
  {
    package: 'child_process',
    exports: 'spawn spawnSync fork execFile execFileSync',
    aliases: CHILD,
    takes: 'program',
    link: `${NODE}#child_processspawncommand-args-options`,
  },
  {
    package: 'child-process-promise',
    exports: 'exec',
    takes: 'shell',
    link: 'https://github.com/patrick-steele-idem/child-process-promise#exec',
  },
  {
    package: 'child-process-promise',
    exports: 'spawn fork execFile',
    takes: 'program',
    link: 'https://github.com/patrick-steele-idem/child-process-promise#spawn',
  },
  {
    package: 'mz/child_process',
    exports: 'exec execSync',
    takes: 'shell',
    link: 'https://github.com/normalize/mz#child_process',
  },
  {
    package: 'mz/child_process',
    exports: 'execFile spawn fork',
    takes: 'program',
    link: 'https://github.com/normalize/mz#child_process',
  },
  {
    package: 'promisify-child-process',
    exports: 'exec execSync',
    takes: 'shell',
    link: 'https://github.com/jcoreio/promisify-child-process#api',
  },
  {
    package: 'promisify-child-process',
    exports: 'spawn fork execFile',
    takes: 'program',
    link: 'https://github.com/jcoreio/promisify-child-process#api',
  },
  {
    package: 'shelljs',
    exports: 'exec',
    aliases: 'shell shelljs sh',
    takes: 'shell',
    link: 'https://github.com/shelljs/shelljs#execcommand--options--callback',
  },
  {
    package: 'cross-spawn',
    exports: 'default spawn sync',
    takes: 'program',
    link: 'https://github.com/moxystudio/node-cross-spawn#usage',
  },
  {
    package: 'tinyexec',
    exports: 'x exec',
    takes: 'program',
    link: 'https://github.com/tinylibs/tinyexec#usage',
  },
  {
    package: 'nano-spawn',
    exports: 'default',
    takes: 'program',
    link: 'https://github.com/sindresorhus/nano-spawn#usage',
  },
  {
    package: 'node-pty',
    exports: 'spawn',
    aliases: 'pty',
    takes: 'program',
    link: 'https://github.com/microsoft/node-pty#example-usage',
  },
  {
    package: 'execa',
    exports: 'default execa execaSync execaNode sync node',
    takes: 'program',
    link: `${EXECA}#execafile-arguments-options`,
  },
  {
    package: 'execa',
    exports: 'execaCommand execaCommandSync command commandSync',
    aliases: 'execa',
    takes: 'shell',
    link: `${EXECA}#execacommandcommand-options`,
  },
  {
    package: 'global',
    exports: 'execa execaSync',
    takes: 'program',
    link: `${EXECA}#execafile-arguments-options`,
  },
  {
    package: 'global',
    exports: 'execaCommand execaCommandSync',
    takes: 'shell',
    link: `${EXECA}#execacommandcommand-options`,
  },
  { package: 'execa', exports: '$ $.sync $.s', takes: 'tag', link: `${EXECA}#command` },
  {
    package: 'zx',
    exports: '$ $.sync',
    takes: 'tag',
    link: 'https://google.github.io/zx/api#spawn',
  },
  {
    package: 'global',
    exports: '$',
    takes: 'tag',
    link: 'https://google.github.io/zx/getting-started#globals',
  },
  { package: 'bun', exports: '$', takes: 'tag', link: 'https://bun.com/docs/runtime/shell' },
  {
    package: 'bun',
    exports: 'spawn spawnSync',
    aliases: 'Bun',
    takes: 'list',
    link: 'https://bun.com/docs/api/spawn',
  },
  {
    package: 'deno',
    exports: 'Command',
    aliases: 'Deno',
    takes: 'program',
    link: 'https://docs.deno.com/api/deno/~/Deno.Command',
  },
  {
    package: 'deno',
    exports: 'run',
    aliases: 'Deno',
    takes: 'list',
    link: 'https://docs.deno.com/api/deno/~/Deno.run',
  },
  {
    package: 'ssh2',
    exports: 'Client.exec',
    aliases: 'conn ssh sshClient sshConnection sshConn',
    takes: 'shell',
    link: 'https://github.com/mscdex/ssh2#client-methods',
  },
  {
    package: 'node-ssh',
    exports: 'NodeSSH.execCommand',
    aliases: 'ssh',
    takes: 'shell',
    link: 'https://github.com/steelbrain/node-ssh#api',
  },
];
