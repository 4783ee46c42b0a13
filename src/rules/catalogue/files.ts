import type { Package } from './line.ts';

/** Files and archives: names that are read, written, served or unpacked. */
export const files: readonly Package[] = [
  {
    package: 'fs',
    link: 'https://nodejs.org/api/fs.html',
    sinks: [
      {
        exports: 'cp cpSync promises.cp',
        kind: 'path',
        args: [0, 1],
        link: '#fscpsrc-dest-options-callback',
      },
      {
        exports: 'opendir opendirSync promises.opendir',
        kind: 'path',
        link: '#fsopendirpath-options-callback',
      },
      {
        exports: 'watch watchFile promises.watch',
        kind: 'path',
        link: '#fswatchfilename-options-listener',
      },
      { exports: 'mkdtemp mkdtempSync promises.mkdtemp', kind: 'path' },
      { exports: 'openAsBlob statfs utimes lchown', kind: 'path' },
      { exports: 'glob globSync promises.glob', kind: 'path', args: [0], options: 'cwd' },
      { exports: 'realpath realpathSync readlinkSync', kind: 'look' },
    ],
  },
  {
    package: 'fs-extra',
    link: 'https://github.com/jprichardson/node-fs-extra/blob/master/docs',
    sinks: [
      { exports: 'outputFileSync outputJsonSync writeJSON outputJSON', kind: 'path' },
      { exports: 'ensureDirSync mkdirs mkdirsSync emptyDirSync ensureSymlink', kind: 'path' },
      { exports: 'pathExists pathExistsSync', kind: 'look' },
    ],
  },
  {
    package: 'express',
    link: 'https://expressjs.com/en/5x/api.html',
    aliases: 'express',
    sinks: [{ exports: 'static', kind: 'path', link: '#express.static', receivers: '' }],
  },
  {
    package: 'send',
    link: 'https://github.com/pillarjs/send',
    sinks: [
      { exports: 'default', kind: 'path', args: [1], unless: 'root' },
      { exports: 'default', kind: 'path', args: [], options: 'root' },
    ],
  },
  {
    package: 'serve-static',
    link: 'https://github.com/expressjs/serve-static',
    sinks: [{ exports: 'default', kind: 'path' }],
  },
  {
    package: 'serve-handler',
    link: 'https://github.com/vercel/serve-handler',
    sinks: [{ exports: 'default', kind: 'path', args: [], options: 'public' }],
  },
  {
    package: 'koa-send',
    link: 'https://github.com/koajs/send',
    sinks: [
      { exports: 'default', kind: 'path', args: [1], unless: 'root' },
      { exports: 'default', kind: 'path', args: [], options: 'root' },
    ],
  },
  {
    package: '@fastify/static',
    link: 'https://github.com/fastify/fastify-static',
    sinks: [{ exports: 'default', kind: 'path', args: [], options: 'root' }],
  },
  {
    package: 'adm-zip',
    link: 'https://github.com/cthackers/adm-zip/wiki/ADM-ZIP',
    sinks: [
      { exports: 'default', kind: 'path' },
      { exports: '*.extractAllTo *.extractAllToAsync', kind: 'path' },
      { exports: '*.extractEntryTo', kind: 'path', args: [1] },
      { exports: '*.addLocalFile *.addLocalFolder', kind: 'path' },
      { exports: '*.writeZip', kind: 'path' },
    ],
  },
  {
    package: 'unzipper',
    link: 'https://github.com/ZJONSSON/node-unzipper',
    sinks: [
      { exports: 'Extract', kind: 'path', options: 'path' },
      { exports: 'Open.file', kind: 'path', link: '#open-methods' },
      { exports: 'Open.url', kind: 'request', args: [0, 1] },
    ],
  },
  {
    package: 'extract-zip',
    link: 'https://github.com/max-mapper/extract-zip',
    sinks: [{ exports: 'default', kind: 'path', args: [0], options: 'dir' }],
  },
  {
    package: 'decompress',
    link: 'https://github.com/kevva/decompress',
    versions: '<4.2.1',
    sinks: [{ exports: 'default', kind: 'path', args: [0, 1] }],
  },
  {
    package: 'yauzl',
    link: 'https://github.com/thejoshwolfe/yauzl',
    sinks: [{ exports: 'open openPromise', kind: 'path' }],
  },
  {
    package: 'node-stream-zip',
    link: 'https://github.com/antelle/node-stream-zip',
    sinks: [
      { exports: '*.extract', kind: 'path', args: [1] },
      { exports: 'default async', kind: 'path', args: [], options: 'file' },
    ],
  },
  {
    package: 'tar',
    link: 'https://github.com/isaacs/node-tar',
    sinks: [
      {
        exports: 'x extract',
        kind: 'path',
        options: 'cwd C file f',
        link: '#tarxoptions-filelist-callback',
      },
      { exports: 'c create', kind: 'path', args: [1], options: 'cwd C file f' },
      { exports: 't list', kind: 'path', options: 'file f' },
      { exports: 'x extract', kind: 'exposure', options: 'preservePaths P', value: /^true$/ },
    ],
  },
  {
    package: 'tar-fs',
    link: 'https://github.com/mafintosh/tar-fs',
    sinks: [{ exports: 'extract pack', kind: 'path' }],
  },
  {
    package: 'archiver',
    link: 'https://www.archiverjs.com/docs/archiver',
    sinks: [
      { exports: '*.file', kind: 'path', link: '#file' },
      { exports: '*.directory', kind: 'path', link: '#directory' },
      { exports: '*.glob', kind: 'path', args: [0], options: 'cwd', link: '#glob' },
    ],
  },
  {
    package: 'compressing',
    link: 'https://github.com/node-modules/compressing',
    sinks: [
      { exports: '*.uncompress', kind: 'path', args: [0, 1] },
      { exports: '*.compressDir *.compressFile', kind: 'path', args: [0, 1] },
    ],
  },
  {
    package: 'node-7z',
    link: 'https://github.com/quentinrossetti/node-7z',
    sinks: [{ exports: 'extract extractFull add', kind: 'path', args: [0, 1] }],
  },
  {
    package: 'glob',
    link: 'https://github.com/isaacs/node-glob',
    sinks: [{ exports: 'default glob sync globSync', kind: 'path', args: [0], options: 'cwd' }],
  },
  {
    package: 'fast-glob',
    link: 'https://github.com/mrmlnc/fast-glob',
    sinks: [{ exports: 'default sync glob stream async', kind: 'path', args: [0], options: 'cwd' }],
  },
  {
    package: 'globby',
    link: 'https://github.com/sindresorhus/globby',
    sinks: [{ exports: 'globby globbySync default', kind: 'path', args: [0], options: 'cwd' }],
  },
  {
    package: 'mkdirp',
    link: 'https://github.com/isaacs/node-mkdirp',
    sinks: [{ exports: 'default mkdirp sync mkdirpSync', kind: 'path' }],
  },
  {
    package: 'ncp',
    link: 'https://github.com/AvianFlu/ncp',
    sinks: [{ exports: 'default ncp', kind: 'path', args: [0, 1] }],
  },
  {
    package: 'trash',
    link: 'https://github.com/sindresorhus/trash',
    sinks: [{ exports: 'default', kind: 'path' }],
  },
  {
    package: 'write-file-atomic',
    link: 'https://github.com/npm/write-file-atomic',
    sinks: [{ exports: 'default sync writeFile writeFileSync', kind: 'path' }],
  },
  {
    package: 'load-json-file',
    link: 'https://github.com/sindresorhus/load-json-file',
    sinks: [{ exports: 'loadJsonFile loadJsonFileSync default', kind: 'path' }],
  },
  {
    package: 'fs-jetpack',
    link: 'https://github.com/szwacz/fs-jetpack',
    sinks: [
      { exports: '*.read *.write *.remove *.append *.list *.dir', kind: 'path' },
      { exports: '*.copy *.move', kind: 'path', args: [0, 1] },
    ],
  },
  {
    package: 'ssh2-sftp-client',
    link: 'https://github.com/theophilusx/ssh2-sftp-client',
    sinks: [
      { exports: '*.get *.fastGet', kind: 'path', args: [0, 1] },
      { exports: '*.put *.fastPut *.delete *.rmdir', kind: 'path', args: [0, 1] },
      { exports: '*.connect', kind: 'host', options: 'host' },
    ],
  },
  {
    package: 'basic-ftp',
    link: 'https://github.com/patrickjuchli/basic-ftp',
    sinks: [
      { exports: '*.downloadTo *.uploadFrom *.uploadFromDir', kind: 'path', args: [0, 1] },
      { exports: '*.access', kind: 'host', options: 'host' },
    ],
  },
  {
    package: '@google-cloud/storage',
    link: 'https://cloud.google.com/nodejs/docs/reference/storage/latest',
    sinks: [
      { exports: '*.upload', kind: 'path', args: [0] },
      { exports: '*.download', kind: 'path', options: 'destination' },
    ],
  },
  {
    package: 'sharp',
    link: 'https://sharp.pixelplumbing.com/api-constructor',
    sinks: [
      { exports: 'default', kind: 'path' },
      {
        exports: '*.toFile',
        kind: 'path',
        link: 'https://sharp.pixelplumbing.com/api-output#tofile',
      },
    ],
  },
  {
    package: 'jimp',
    link: 'https://jimp-dev.github.io/jimp/api/jimp/classes/jimp',
    sinks: [{ exports: 'read Jimp.read', kind: 'request', link: '#read' }],
  },
  {
    package: 'pdfkit',
    link: 'https://pdfkit.org/docs/images.html',
    sinks: [{ exports: '*.image', kind: 'path' }],
  },
  {
    package: 'exceljs',
    link: 'https://github.com/exceljs/exceljs',
    sinks: [{ exports: '*.readFile *.writeFile', kind: 'path', link: '#reading-xlsx' }],
  },
  {
    package: 'xlsx',
    link: 'https://docs.sheetjs.com/docs/api',
    sinks: [{ exports: 'readFile writeFile writeFileXLSX', kind: 'path' }],
  },
  {
    package: 'dotenv',
    link: 'https://github.com/motdotla/dotenv',
    sinks: [{ exports: 'config configDotenv', kind: 'path', options: 'path' }],
  },
  {
    package: 'tmp',
    link: 'https://github.com/raszi/node-tmp',
    sinks: [
      { exports: 'file fileSync dir dirSync', kind: 'path', options: 'name template dir prefix' },
    ],
  },
  {
    package: 'formidable',
    link: 'https://github.com/node-formidable/formidable',
    sinks: [{ exports: 'default formidable IncomingForm', kind: 'path', options: 'uploadDir' }],
  },
];
