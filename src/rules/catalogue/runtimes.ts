import type { Package } from './line.ts';

/** Globals of Node, Bun and Deno: files, programs, sizes and answers. */
export const runtimes: readonly Package[] = [
  {
    package: 'deno',
    link: 'https://docs.deno.com/api/deno/',
    aliases: 'Deno',
    sinks: [
      {
        exports:
          'readFile readTextFile readFileSync readTextFileSync open openSync readDir readDirSync',
        kind: 'path',
        link: 'https://docs.deno.com/api/deno/~/Deno.readTextFile',
      },
      {
        exports:
          'writeFile writeTextFile writeFileSync writeTextFileSync remove removeSync mkdir create truncate',
        kind: 'path',
        link: 'https://docs.deno.com/api/deno/~/Deno.writeTextFile',
      },
      {
        exports: 'rename copyFile link symlink renameSync copyFileSync',
        kind: 'path',
        args: [0, 1],
        link: 'https://docs.deno.com/api/deno/~/Deno.rename',
      },
      {
        exports: 'Command run',
        kind: 'program',
        link: 'https://docs.deno.com/api/deno/~/Deno.Command',
      },
      {
        exports: 'connect connectTls',
        kind: 'host',
        args: [],
        options: 'hostname path',
        link: 'https://docs.deno.com/api/deno/~/Deno.connect',
      },
      { exports: 'dlopen', kind: 'module', link: 'https://docs.deno.com/api/deno/~/Deno.dlopen' },
    ],
  },
  {
    package: 'bun',
    link: 'https://bun.sh/docs',
    aliases: 'Bun',
    sinks: [
      { exports: 'file write mmap', kind: 'path', link: 'https://bun.sh/docs/api/file-io' },
      {
        exports: 'connect',
        kind: 'host',
        args: [],
        options: 'hostname unix',
        link: 'https://bun.sh/docs/api/tcp',
      },
      {
        exports: 'serve',
        kind: 'exposure',
        args: [],
        options: 'development',
        value: /^true$/,
        severity: 'low',
        link: 'https://bun.sh/docs/api/http#error-handling',
      },
      {
        exports: 'password.hash password.hashSync',
        kind: 'hash',
        args: [],
        options: 'cost timeCost',
        value: /^[1-5]$/,
        severity: 'medium',
        link: 'https://bun.sh/docs/api/hashing',
      },
    ],
  },
  {
    package: 'buffer',
    link: 'https://nodejs.org/api/buffer.html',
    aliases: 'Buffer',
    sinks: [
      {
        exports: 'Buffer.alloc Buffer.allocUnsafe alloc allocUnsafe allocUnsafeSlow',
        kind: 'format',
        args: [0],
        link: '#static-method-bufferallocsize-fill-encoding',
      },
    ],
  },
  {
    package: 'child_process',
    link: 'https://nodejs.org/api/child_process.html',
    sinks: [
      {
        exports: 'spawn spawnSync execFile exec',
        kind: 'path',
        args: [],
        options: 'cwd',
        severity: 'medium',
        link: '#child_processspawncommand-args-options',
      },
      {
        exports: 'fork spawn',
        kind: 'program',
        args: [],
        options: 'execPath argv0',
        link: '#child_processforkmodulepath-args-options',
      },
    ],
  },
  {
    package: 'zlib',
    link: 'https://nodejs.org/api/zlib.html',
    sinks: [
      {
        exports:
          'gunzip gunzipSync unzip unzipSync inflate inflateSync brotliDecompress brotliDecompressSync',
        kind: 'format',
        severity: 'low',
        link: '#class-options',
      },
    ],
  },
  {
    package: 'electron',
    link: 'https://www.electronjs.org/docs/latest/api/ipc-renderer',
    sinks: [
      {
        exports: '*.openExternal',
        kind: 'redirect',
        free: true,
        link: 'https://www.electronjs.org/docs/latest/api/shell#shellopenexternalurl-options',
      },
    ],
  },
  {
    package: 'tar',
    link: 'https://github.com/isaacs/node-tar',
    aliases: 'tar',
    sinks: [
      {
        exports: 'x extract',
        kind: 'archive',
        args: [],
        options: 'file f',
        when: 'preservePaths',
        link: '#reading-archives',
      },
    ],
  },
  {
    package: 'jszip',
    link: 'https://stuk.github.io/jszip/documentation/api_jszip.html',
    sources: [
      {
        exports: '*.forEach',
        callback: { parameter: 0 },
        link: 'https://stuk.github.io/jszip/documentation/api_jszip/for_each.html',
      },
    ],
  },
  {
    package: 'tar-stream',
    link: 'https://github.com/mafintosh/tar-stream',
    sources: [{ exports: '*.on', callback: { parameter: 0, event: 'entry' }, link: '#extracting' }],
  },
  {
    package: 'unzip-stream',
    link: 'https://github.com/mhr3/unzip-stream',
    sinks: [
      {
        exports: 'Extract',
        kind: 'path',
        args: [],
        options: 'path',
        link: '#extract-to-a-directory',
      },
    ],
  },
  {
    package: 'fstream',
    link: 'https://github.com/npm/fstream',
    sinks: [
      { exports: 'Writer Reader', kind: 'path', args: [0], options: 'path', link: '#readme' },
    ],
  },
  {
    package: 'mv',
    link: 'https://github.com/andrewrk/node-mv',
    sinks: [{ exports: 'default', kind: 'path', args: [0, 1] }],
  },
  {
    package: 'cpy',
    link: 'https://github.com/sindresorhus/cpy',
    sinks: [{ exports: 'default', kind: 'path', args: [0, 1] }],
  },
  {
    package: 'chokidar',
    link: 'https://github.com/paulmillr/chokidar',
    sinks: [{ exports: 'watch *.add', kind: 'path', severity: 'medium', link: '#api' }],
  },
  {
    package: 'serve-index',
    link: 'https://github.com/expressjs/serve-index',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'hidden',
        value: /^true$/,
        severity: 'low',
        link: '#hidden',
      },
    ],
  },
];
