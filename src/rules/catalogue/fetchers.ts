import type { Package } from './line.ts';

/** Proxies, previews, feeds, images and downloads: what is fetched for a caller. */
export const fetchers: readonly Package[] = [
  {
    package: 'http-proxy',
    link: 'https://github.com/http-party/node-http-proxy',
    sinks: [
      {
        exports: 'createProxyServer createProxy createServer default',
        kind: 'request',
        args: [],
        options: 'target forward',
        link: '#options',
      },
      {
        exports: '*.web',
        kind: 'request',
        args: [],
        options: 'target forward',
        link: '#setup-a-basic-stand-alone-proxy-server',
      },
      {
        exports: '*.ws',
        kind: 'request',
        args: [3],
        options: 'target',
        link: '#proxying-websockets',
      },
    ],
  },
  {
    package: 'http-proxy-middleware',
    link: 'https://github.com/chimurai/http-proxy-middleware',
    sinks: [
      {
        exports: 'createProxyMiddleware legacyCreateProxyMiddleware default',
        kind: 'request',
        args: [],
        options: 'target forward',
        link: '#http-proxy-options',
      },
    ],
  },
  {
    package: 'express-http-proxy',
    link: 'https://github.com/villadora/express-http-proxy',
    sinks: [{ exports: 'default', kind: 'request', link: '#usage' }],
  },
  {
    package: 'koa-better-http-proxy',
    link: 'https://github.com/nsimmons/koa-better-http-proxy',
    sinks: [{ exports: 'default', kind: 'request' }],
  },
  {
    package: 'koa-proxies',
    link: 'https://github.com/vagusX/koa-proxies',
    sinks: [{ exports: 'default', kind: 'request', args: [], options: 'target' }],
  },
  {
    package: '@fastify/reply-from',
    link: 'https://github.com/fastify/fastify-reply-from',
    sinks: [{ exports: 'default', kind: 'request', args: [], options: 'base', link: '#base' }],
  },
  {
    package: '@fastify/http-proxy',
    link: 'https://github.com/fastify/fastify-http-proxy',
    sinks: [
      { exports: 'default', kind: 'request', args: [], options: 'upstream', link: '#upstream' },
    ],
  },
  {
    package: 'fast-proxy',
    link: 'https://github.com/fastify/fast-proxy',
    sinks: [{ exports: 'default', kind: 'request', args: [], options: 'base', link: '#opts' }],
  },
  {
    package: 'fast-gateway',
    link: 'https://github.com/BackendStack21/fast-gateway',
    sinks: [{ exports: 'default', kind: 'request', args: [], options: 'target' }],
  },
  {
    package: 'http-proxy-agent',
    link: 'https://github.com/TooTallNate/proxy-agents/tree/main/packages/http-proxy-agent',
    sinks: [{ exports: 'HttpProxyAgent default', kind: 'request' }],
  },
  {
    package: 'https-proxy-agent',
    link: 'https://github.com/TooTallNate/proxy-agents/tree/main/packages/https-proxy-agent',
    sinks: [{ exports: 'HttpsProxyAgent default', kind: 'request' }],
  },
  {
    package: 'socks-proxy-agent',
    link: 'https://github.com/TooTallNate/proxy-agents/tree/main/packages/socks-proxy-agent',
    sinks: [{ exports: 'SocksProxyAgent default', kind: 'request' }],
  },
  {
    package: 'pac-proxy-agent',
    link: 'https://github.com/TooTallNate/proxy-agents/tree/main/packages/pac-proxy-agent',
    sinks: [{ exports: 'PacProxyAgent default', kind: 'request' }],
  },
  {
    package: 'socks',
    link: 'https://github.com/JoshGlazebrook/socks',
    sinks: [
      {
        exports:
          'SocksClient.createConnection SocksClient.createConnectionChain SocksClient default',
        kind: 'host',
        args: [],
        options: 'proxy.host proxy.ipaddress destination.host',
        link: '#quick-start-example',
      },
    ],
  },
  {
    package: 'tunnel',
    link: 'https://github.com/koichik/node-tunnel',
    sinks: [
      {
        exports: 'httpOverHttp httpsOverHttp httpOverHttps httpsOverHttps',
        kind: 'host',
        args: [],
        options: 'proxy.host',
      },
    ],
  },
  {
    package: 'rss-parser',
    link: 'https://github.com/rbren/rss-parser',
    sinks: [{ exports: '*.parseURL', kind: 'request' }],
  },
  {
    package: '@extractus/feed-extractor',
    link: 'https://github.com/extractus/feed-extractor',
    sinks: [{ exports: 'extract read', kind: 'request', link: '#extract' }],
  },
  {
    package: '@extractus/article-extractor',
    link: 'https://github.com/extractus/article-extractor',
    sinks: [{ exports: 'extract', kind: 'request', link: '#extract' }],
  },
  {
    package: '@extractus/oembed-extractor',
    link: 'https://github.com/extractus/oembed-extractor',
    sinks: [{ exports: 'extract', kind: 'request', link: '#extract' }],
  },
  {
    package: 'open-graph-scraper',
    link: 'https://github.com/jshemas/openGraphScraper',
    sinks: [{ exports: 'default', kind: 'request', args: [], options: 'url', link: '#options' }],
  },
  {
    package: 'link-preview-js',
    link: 'https://github.com/OP-Engineering/link-preview-js',
    sinks: [{ exports: 'getLinkPreview', kind: 'request', link: '#api' }],
  },
  {
    package: 'unfurl.js',
    link: 'https://github.com/jacktuck/unfurl',
    sinks: [{ exports: 'unfurl default', kind: 'request' }],
  },
  {
    package: 'url-metadata',
    link: 'https://github.com/laurengarcia/url-metadata',
    sinks: [{ exports: 'default', kind: 'request' }],
  },
  {
    package: 'node-ical',
    link: 'https://github.com/jens-maus/node-ical',
    sinks: [
      { exports: 'fromURL async.fromURL', kind: 'request' },
      { exports: 'parseFile sync.parseFile async.parseFile', kind: 'path' },
    ],
  },
  {
    package: 'probe-image-size',
    link: 'https://github.com/nodeca/probe-image-size',
    sinks: [
      { exports: 'default', kind: 'request', link: '#probesrc--options-keepopen-----promise' },
    ],
  },
  {
    package: 'jimp',
    link: 'https://jimp-dev.github.io/jimp/api/jimp/classes/jimp',
    sinks: [
      { exports: 'Jimp.read read', kind: 'request', link: '#read' },
      { exports: '*.write *.writeAsync', kind: 'path', link: '#write' },
    ],
  },
  {
    package: 'canvas',
    link: 'https://github.com/Automattic/node-canvas',
    sinks: [
      { exports: 'loadImage', kind: 'request', link: '#loadimage' },
      { exports: 'registerFont', kind: 'path', link: '#registerfont' },
    ],
  },
  {
    package: '@napi-rs/canvas',
    link: 'https://github.com/Brooooooklyn/canvas',
    sinks: [{ exports: 'loadImage', kind: 'request' }],
  },
  {
    package: 'tesseract.js',
    link: 'https://github.com/naptha/tesseract.js/blob/master/docs/api.md',
    sinks: [
      { exports: 'recognize detect', kind: 'request', link: '#recognize' },
      { exports: '*.recognize *.detect', kind: 'request', link: '#worker-recognize' },
    ],
  },
  {
    package: 'pdfjs-dist',
    link: 'https://mozilla.github.io/pdf.js/api/draft/module-pdfjsLib.html',
    sinks: [
      {
        exports: 'getDocument',
        kind: 'request',
        args: [0],
        options: 'url',
        link: '#~DocumentInitParameters',
      },
    ],
  },
  {
    package: 'image-downloader',
    link: 'https://gitlab.com/demsking/image-downloader',
    sinks: [
      { exports: 'image', kind: 'request', args: [], options: 'url' },
      { exports: 'image default.image', kind: 'path', args: [], options: 'dest' },
    ],
  },
  {
    package: 'download',
    link: 'https://github.com/kevva/download',
    sinks: [
      { exports: 'default', kind: 'request' },
      { exports: 'default download', kind: 'path', args: [1], options: 'filename' },
    ],
  },
  {
    package: 'node-downloader-helper',
    link: 'https://github.com/hgouveia/node-downloader-helper',
    sinks: [
      { exports: 'DownloaderHelper', kind: 'request' },
      { exports: 'DownloaderHelper default', kind: 'path', args: [1], options: 'fileName' },
    ],
  },
  {
    package: 'cheerio',
    link: 'https://cheerio.js.org/docs/api/functions/fromURL',
    sinks: [{ exports: 'fromURL', kind: 'request' }],
  },
  {
    package: 'html-get',
    link: 'https://github.com/microlinkhq/html-get',
    sinks: [{ exports: 'default', kind: 'request', link: '#geturl-options' }],
  },
  {
    package: 'isomorphic-git',
    link: 'https://isomorphic-git.org/docs/en/clone',
    sinks: [
      {
        exports: 'clone fetch pull push getRemoteInfo listServerRefs',
        kind: 'request',
        args: [],
        options: 'url corsProxy',
      },
      {
        exports: 'clone init checkout add commit walk',
        kind: 'path',
        args: [],
        options: 'dir gitdir',
        link: 'https://isomorphic-git.org/docs/en/dir-vs-gitdir',
      },
    ],
  },
  {
    package: '@slack/webhook',
    link: 'https://tools.slack.dev/node-slack-sdk/webhook',
    sinks: [{ exports: 'IncomingWebhook', kind: 'request' }],
  },
  {
    package: 'openai',
    link: 'https://github.com/openai/openai-node',
    sinks: [{ exports: 'default OpenAI', kind: 'request', args: [], options: 'baseURL' }],
  },
  {
    package: 'ethers',
    link: 'https://docs.ethers.org/v6/api/providers/jsonrpc',
    sinks: [
      { exports: 'JsonRpcProvider WebSocketProvider FetchRequest', kind: 'request', args: [0] },
    ],
  },
];
