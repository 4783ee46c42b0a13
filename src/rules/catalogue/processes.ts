import type { Package } from './line.ts';

/** Packages that start programs; those of `commands.ts` are more. */
export const processes: readonly Package[] = [
  {
    package: 'shelljs',
    link: 'https://github.com/shelljs/shelljs',
    receivers: 'shell',
    sinks: [
      { exports: 'cat head tail ls rm cp mv mkdir touch', kind: 'path', receivers: '' },
      { exports: 'cmd', kind: 'program', link: '#cmdcommand-args-options', receivers: '' },
      { exports: 'cp mv', kind: 'path', args: [1], receivers: '' },
    ],
  },
  {
    package: 'node-cmd',
    link: 'https://github.com/RIAEvangelist/node-cmd',
    sinks: [{ exports: 'run runSync get', kind: 'shell' }],
  },
  {
    package: 'exec-sh',
    link: 'https://github.com/tsertkov/exec-sh',
    sinks: [{ exports: 'default promise', kind: 'shell' }],
  },
  {
    package: 'shell-exec',
    link: 'https://github.com/shime/shell-exec',
    sinks: [{ exports: 'default', kind: 'shell' }],
  },
  {
    package: 'sudo-prompt',
    link: 'https://github.com/jorangreef/sudo-prompt',
    sinks: [{ exports: 'exec', kind: 'shell' }],
  },
  {
    package: '@vscode/sudo-prompt',
    link: 'https://github.com/microsoft/vscode-sudo-prompt',
    sinks: [{ exports: 'exec', kind: 'shell' }],
  },
  {
    package: 'ssh2',
    link: 'https://github.com/mscdex/ssh2#client-methods',
    sinks: [
      { exports: '*.exec', kind: 'shell' },
      { exports: '*.connect', kind: 'host', options: 'host' },
      { exports: '*.sftp.fastGet *.fastGet', kind: 'path', args: [1] },
    ],
  },
  {
    package: 'node-ssh',
    link: 'https://github.com/steelbrain/node-ssh',
    sinks: [
      { exports: '*.execCommand', kind: 'shell', link: '#api' },
      { exports: '*.exec', kind: 'program' },
      { exports: '*.connect', kind: 'host', options: 'host' },
      { exports: '*.getFile *.getDirectory', kind: 'path' },
    ],
  },
  {
    package: 'simple-ssh',
    link: 'https://github.com/MCluck90/simple-ssh',
    sinks: [{ exports: '*.exec', kind: 'shell' }],
  },
  {
    package: 'ssh-exec',
    link: 'https://github.com/mafintosh/ssh-exec',
    sinks: [{ exports: 'default', kind: 'shell' }],
  },
  {
    package: 'remote-exec',
    link: 'https://github.com/jksdua/node-remote-exec',
    sinks: [{ exports: 'default', kind: 'shell', args: [1] }],
  },
  {
    package: 'simple-git',
    link: 'https://github.com/steveukx/git-js',
    sinks: [
      { exports: '*.raw', kind: 'program', link: '#git-raw' },
      { exports: '*.clone *.mirror', kind: 'request', link: '#git-clone' },
      { exports: '*.clone', kind: 'path', args: [1] },
      { exports: '*.outputHandler *.customBinary', kind: 'program' },
      { exports: 'default simpleGit', kind: 'path', args: [0], options: 'baseDir' },
    ],
  },
  {
    package: 'isomorphic-git',
    link: 'https://isomorphic-git.org/docs/en',
    sinks: [
      { exports: 'clone init checkout', kind: 'path', options: 'dir' },
      { exports: 'clone fetch push', kind: 'request', options: 'url corsProxy', link: '/clone' },
    ],
  },
  {
    package: 'gm',
    link: 'https://github.com/aheckmann/gm',
    sinks: [
      { exports: 'default', kind: 'path' },
      { exports: '*.write', kind: 'path', link: '#basic-usage' },
    ],
  },
  {
    package: 'imagemagick',
    link: 'https://github.com/yourdeveloper/node-imagemagick',
    sinks: [
      { exports: 'identify', kind: 'path' },
      { exports: 'resize crop', kind: 'path', options: 'srcPath dstPath' },
    ],
  },
  {
    package: 'fluent-ffmpeg',
    link: 'https://github.com/fluent-ffmpeg/node-fluent-ffmpeg',
    sinks: [
      { exports: 'default *.input *.addInput', kind: 'path', link: '#adding-inputs' },
      { exports: '*.save *.saveToFile *.output', kind: 'path', link: '#output-options' },
      { exports: '*.outputOptions *.inputOptions *.addOption', kind: 'program' },
      { exports: 'setFfmpegPath setFfprobePath *.setFfmpegPath', kind: 'program' },
    ],
  },
  {
    package: 'open',
    link: 'https://github.com/sindresorhus/open',
    sinks: [
      { exports: 'default', kind: 'program' },
      { exports: 'openApp', kind: 'program', link: '#openappname-options' },
    ],
  },
  {
    package: 'opn',
    link: 'https://www.npmjs.com/package/opn',
    sinks: [{ exports: 'default', kind: 'program' }],
  },
  {
    package: 'run-applescript',
    link: 'https://github.com/sindresorhus/run-applescript',
    sinks: [{ exports: 'default runAppleScript runAppleScriptSync', kind: 'code' }],
  },
  {
    package: 'node-powershell',
    link: 'https://github.com/rannn505/child-shell',
    sinks: [{ exports: '*.addCommand *.invoke PowerShell.command', kind: 'shell' }],
  },
  {
    package: 'python-shell',
    link: 'https://github.com/extrabacon/python-shell',
    sinks: [
      { exports: 'PythonShell.runString', kind: 'code' },
      { exports: 'PythonShell.run PythonShell', kind: 'path', link: '#running-a-python-script' },
      { exports: 'PythonShell.run', kind: 'program', options: 'pythonPath' },
    ],
  },
  {
    package: 'dockerode',
    link: 'https://github.com/apocas/dockerode',
    sinks: [
      { exports: '*.exec', kind: 'program', options: 'Cmd' },
      { exports: '*.run *.createContainer', kind: 'program', args: [0], options: 'Image' },
      { exports: '*.createContainer', kind: 'path', options: 'HostConfig.Binds' },
    ],
  },
  {
    package: 'docker-cli-js',
    link: 'https://github.com/quobject/docker-cli-js',
    sinks: [{ exports: 'dockerCommand *.command', kind: 'shell' }],
  },
  {
    package: 'pm2',
    link: 'https://pm2.keymetrics.io/docs/usage/pm2-api',
    sinks: [{ exports: 'start', kind: 'program', args: [0], options: 'script interpreter' }],
  },
  {
    package: 'concurrently',
    link: 'https://github.com/open-cli-tools/concurrently',
    sinks: [{ exports: 'default concurrently', kind: 'shell' }],
  },
  {
    package: '@actions/exec',
    link: 'https://github.com/actions/toolkit/tree/main/packages/exec',
    sinks: [{ exports: 'exec getExecOutput', kind: 'shell' }],
  },
  {
    package: 'electron',
    link: 'https://www.electronjs.org/docs/latest/api',
    sinks: [
      {
        exports: 'shell.openExternal',
        kind: 'redirect',
        link: '/shell#shellopenexternalurl-options',
      },
      {
        exports: 'shell.openPath shell.trashItem shell.showItemInFolder',
        kind: 'path',
        link: '/shell',
      },
      { exports: '*.executeJavaScript', kind: 'code', link: '/web-contents' },
      { exports: '*.loadFile', kind: 'path' },
      {
        exports: 'BrowserWindow WebContentsView',
        kind: 'exposure',
        options: 'webPreferences.nodeIntegration',
        value: /^true$/,
        link: 'https://www.electronjs.org/docs/latest/tutorial/security',
      },
      {
        exports: 'BrowserWindow BrowserView',
        kind: 'exposure',
        options:
          'webPreferences.contextIsolation webPreferences.webSecurity webPreferences.sandbox',
        value: /^false$/,
        link: 'https://www.electronjs.org/docs/latest/tutorial/security',
      },
    ],
  },
  {
    package: '@tauri-apps/plugin-shell',
    link: 'https://v2.tauri.app/plugin/shell',
    sinks: [
      { exports: 'open', kind: 'redirect' },
      { exports: 'Command.create', kind: 'program' },
    ],
  },
  {
    package: 'dax-sh',
    link: 'https://github.com/dsherret/dax',
    sinks: [{ exports: 'raw', kind: 'shell', how: 'tag' }],
  },
  {
    package: 'worker_threads',
    link: 'https://nodejs.org/api/worker_threads.html',
    sinks: [{ exports: 'Worker', kind: 'code', when: 'eval', link: '#new-workerfilename-options' }],
  },
  {
    package: 'cluster',
    link: 'https://nodejs.org/api/cluster.html',
    sinks: [
      {
        exports: 'setupPrimary setupMaster',
        kind: 'program',
        options: 'exec',
        link: '#clustersetupprimarysettings',
      },
    ],
  },
  {
    package: 'process',
    link: 'https://nodejs.org/api/process.html',
    sinks: [{ exports: 'chdir', kind: 'path', link: '#processchdirdirectory' }],
  },
];
