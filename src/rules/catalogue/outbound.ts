import type { Package } from './line.ts';

/** Further clients and tools: addresses they fetch, programs they start, files they write. */
export const outbound: readonly Package[] = [
  {
    package: '@actions/http-client',
    link: 'https://github.com/actions/toolkit/tree/main/packages/http-client',
    sinks: [{ exports: '*.get *.post *.getJson *.postJson *.request', kind: 'request', args: [0] }],
  },
  {
    package: 'apisauce',
    link: 'https://github.com/infinitered/apisauce',
    sinks: [
      { exports: 'create', kind: 'request', args: [], options: 'baseURL', link: '#create-an-api' },
    ],
  },
  {
    package: 'got-scraping',
    link: 'https://github.com/apify/got-scraping',
    sinks: [
      {
        exports: 'gotScraping gotScraping.get',
        kind: 'request',
        args: [0],
        options: 'url proxyUrl',
      },
    ],
  },
  {
    package: 'nodejs-file-downloader',
    link: 'https://github.com/ibrod83/nodejs-file-downloader',
    sinks: [
      { exports: 'default Downloader', kind: 'request', args: [], options: 'url', link: '#basic' },
      {
        exports: 'default Downloader',
        kind: 'path',
        args: [],
        options: 'directory fileName',
        link: '#custom-file-name',
      },
    ],
  },
  {
    package: 'wget-improved',
    link: 'https://github.com/bearjaws/node-wget',
    sinks: [
      { exports: 'download request', kind: 'request', args: [0], link: '#download-a-file' },
      { exports: 'download', kind: 'path', args: [1], link: '#download-a-file' },
    ],
  },
  {
    package: 'youtube-dl-exec',
    link: 'https://github.com/microlinkhq/youtube-dl-exec',
    sinks: [
      { exports: 'default exec', kind: 'program', args: [0], severity: 'high', link: '#usage' },
    ],
  },
  {
    package: 'systeminformation',
    link: 'https://systeminformation.io/security.html',
    sinks: [{ exports: 'inetChecksite inetLatency services processLoad versions', kind: 'shell' }],
  },
  {
    package: 'tree-kill',
    link: 'https://github.com/pkrumins/node-tree-kill',
    sinks: [
      {
        exports: 'default',
        kind: 'shell',
        link: 'https://github.com/pkrumins/node-tree-kill#readme',
      },
    ],
  },
  {
    package: 'kill-port',
    link: 'https://github.com/tiaanduplessis/kill-port',
    sinks: [{ exports: 'default', kind: 'shell' }],
  },
  {
    package: 'pdf-image',
    link: 'https://github.com/roest01/node-pdf-image',
    sinks: [{ exports: 'PDFImage', kind: 'shell', link: '#usage' }],
  },
  {
    package: 'textract',
    link: 'https://github.com/dbashford/textract',
    sinks: [
      {
        exports: 'fromFileWithPath fromFileWithMimeAndPath',
        kind: 'path',
        args: [0, 1],
        link: '#file',
      },
      { exports: 'fromUrl', kind: 'request', link: '#url' },
    ],
  },
  {
    package: 'git-clone',
    link: 'https://github.com/jaz303/git-clone',
    sinks: [
      {
        exports: 'default',
        kind: 'program',
        args: [0],
        severity: 'high',
        link: 'https://github.com/jaz303/git-clone#readme',
      },
    ],
  },
  {
    package: 'mysqldump',
    link: 'https://github.com/bradzacher/mysqldump',
    sinks: [
      { exports: 'default', kind: 'path', args: [], options: 'dumpToFile', link: '#options' },
    ],
  },
  {
    package: 'ping',
    link: 'https://github.com/danielzzz/node-ping',
    sinks: [
      {
        exports: 'promise.probe sys.probe',
        kind: 'program',
        args: [0],
        options: 'extra',
        severity: 'high',
        link: '#promise-wrapper',
      },
    ],
  },
  {
    package: 'apollo-link-http',
    link: 'https://www.apollographql.com/docs/react/api/link/apollo-link-http',
    sinks: [{ exports: 'HttpLink createHttpLink', kind: 'request', args: [], options: 'uri' }],
  },
  {
    package: '@octokit/core',
    link: 'https://github.com/octokit/core.js',
    sinks: [
      { exports: 'Octokit', kind: 'request', args: [], options: 'baseUrl', link: '#options' },
      { exports: '*.request', kind: 'request', link: '#rest-api-example' },
    ],
  },
  {
    package: 'stripe',
    link: 'https://github.com/stripe/stripe-node',
    sinks: [
      { exports: 'webhooks.constructEvent', kind: 'secret', args: [2], link: '#webhook-signing' },
    ],
  },
];
