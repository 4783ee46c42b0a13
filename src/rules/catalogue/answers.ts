import type { Package } from './line.ts';

/** What servers answer with: pages, files, redirects, headers and templates of data. */
export const answers: readonly Package[] = [
  {
    package: '@hapi/hapi',
    link: 'https://hapi.dev/api/',
    receivers: 'h',
    sinks: [
      {
        exports: '*.file',
        kind: 'path',
        unless: 'confine',
        link: 'https://github.com/hapijs/inert#hfilepath-options',
      },
      { exports: '*.redirect', kind: 'redirect', link: '#h.redirect()' },
      { exports: '*.response', kind: 'page', severity: 'high', link: '#h.response()' },
      {
        exports: '*.view',
        kind: 'look',
        link: 'https://github.com/hapijs/vision/blob/master/API.md#hviewtemplate-context-options',
      },
      {
        exports: '*.state',
        kind: 'cookie',
        options: 'isHttpOnly isSecure',
        value: /^false$/,
        receivers: 'server',
        link: '#server.state()',
      },
      {
        exports: 'server Server',
        kind: 'exposure',
        args: [],
        options: 'routes.cors.origin',
        value: /^(?:\*|ignore)$/,
        severity: 'low',
        link: '#-routeoptionscors',
      },
    ],
  },
  {
    package: 'express',
    link: 'https://expressjs.com/en/5x/api.html',
    receivers: 'res response',
    sinks: [
      { exports: '*.render', kind: 'look', link: '#res.render' },
      {
        exports: '*.render',
        kind: 'locals',
        args: [1],
        link: 'https://expressjs.com/en/5x/api.html#app.render',
      },
      {
        exports: '*.sendFile *.download',
        kind: 'path',
        args: [],
        options: 'root',
        link: '#res.sendFile',
      },
      {
        exports: '*.cookie',
        kind: 'cookie',
        options: 'httpOnly',
        value: /^false$/,
        link: '#res.cookie',
      },
      { exports: '*.cookie', kind: 'random', args: [1], link: '#res.cookie' },
      { exports: '*.jsonp', kind: 'page', severity: 'low', link: '#res.jsonp' },
      {
        exports: 'json urlencoded',
        kind: 'exposure',
        args: [],
        options: 'limit',
        value: /^(?:Infinity|\d{3,}\s?mb|\d+\s?gb|\d{10,})$/i,
        severity: 'low',
        link: '#express.json',
      },
    ],
  },
  {
    package: 'fastify',
    link: 'https://fastify.dev/docs/latest/Reference/Reply/',
    receivers: 'reply',
    sinks: [
      { exports: '*.redirect', kind: 'redirect', args: [0, 1], link: '#redirectdest-code' },
      {
        exports: '*.sendFile *.download',
        kind: 'path',
        args: [1],
        link: 'https://github.com/fastify/fastify-static#sending-a-file-with-rootpath-option',
      },
      {
        exports: 'default fastify',
        kind: 'exposure',
        args: [],
        options: 'bodyLimit',
        value: /^(?:\d{10,}|Infinity)$/,
        severity: 'low',
        link: 'https://fastify.dev/docs/latest/Reference/Server/#bodylimit',
      },
      {
        exports: 'default fastify',
        kind: 'exposure',
        args: [],
        options: 'onProtoPoisoning onConstructorPoisoning',
        value: /^ignore$/,
        severity: 'high',
        link: 'https://fastify.dev/docs/latest/Reference/Server/#onprotopoisoning',
      },
    ],
  },
  {
    package: 'koa',
    link: 'https://koajs.com/',
    sinks: [
      {
        exports: '*.set',
        kind: 'cookie',
        args: [],
        options: 'httpOnly',
        value: /^false$/,
        receivers: 'cookies',
        link: '#ctx-cookies-set-name-value-options',
      },
      {
        exports: '*.attachment',
        kind: 'header',
        link: '#response-attachment-filename-options',
        receivers: 'ctx response',
        severity: 'low',
      },
    ],
  },
  {
    package: 'restify',
    link: 'https://restify.com/docs/response-api/',
    sinks: [
      {
        exports: '*.redirect',
        kind: 'redirect',
        args: [0, 1],
        receivers: 'res',
        link: '#redirect',
      },
      {
        exports: 'plugins.serveStatic plugins.serveStaticFiles',
        kind: 'path',
        args: [0],
        options: 'directory',
        link: 'https://restify.com/docs/plugins-api/#servestatic',
      },
      { exports: '*.sendRaw', kind: 'page', receivers: 'res', link: '#sendraw' },
    ],
  },
  {
    package: 'elysia',
    link: 'https://elysiajs.com/essential/handler.html',
    sinks: [
      { exports: 'file', kind: 'path', link: 'https://elysiajs.com/essential/handler.html#file' },
      {
        exports: 'redirect',
        kind: 'redirect',
        link: 'https://elysiajs.com/essential/handler.html#redirect',
      },
    ],
  },
  {
    package: '@adonisjs/core',
    link: 'https://docs.adonisjs.com/guides/basics/response',
    sinks: [
      {
        exports: '*.download *.attachment',
        kind: 'path',
        receivers: 'response',
        link: '#file-downloads',
      },
      { exports: '*.toPath', kind: 'redirect', receivers: 'redirect response', link: '#redirects' },
      {
        exports: '*.renderRaw *.renderRawSync',
        kind: 'template',
        receivers: 'view',
        link: 'https://docs.adonisjs.com/guides/views-and-templates/edgejs',
      },
    ],
  },
  {
    package: 'astro',
    link: 'https://docs.astro.build/en/reference/api-reference/',
    sinks: [
      { exports: '*.redirect', kind: 'redirect', receivers: 'Astro', link: '#redirect' },
      { exports: '*.rewrite', kind: 'look', receivers: 'Astro', link: '#rewrite', severity: 'low' },
    ],
  },
  {
    package: 'hono',
    link: 'https://hono.dev/docs/api/context',
    sinks: [
      { exports: '*.html', kind: 'page', link: '#html' },
      {
        exports: 'serveStatic',
        kind: 'path',
        args: [],
        options: 'root path',
        link: 'https://hono.dev/docs/getting-started/nodejs#serve-static-files',
      },
      {
        exports: 'cors',
        kind: 'exposure',
        args: [],
        options: 'origin',
        value: /^\*$/,
        when: 'credentials',
        link: 'https://hono.dev/docs/middleware/builtin/cors',
      },
    ],
  },
  {
    package: '@nestjs/common',
    link: 'https://docs.nestjs.com/controllers',
    sinks: [
      {
        exports: 'StreamableFile',
        kind: 'look',
        severity: 'low',
        link: 'https://docs.nestjs.com/techniques/streaming-files',
      },
      {
        exports: 'ValidationPipe',
        kind: 'exposure',
        args: [],
        options: 'skipMissingProperties',
        value: /^true$/,
        severity: 'low',
        link: 'https://docs.nestjs.com/techniques/validation',
      },
    ],
  },
  {
    package: '@nestjs/platform-express',
    link: 'https://docs.nestjs.com/techniques/file-upload',
    sinks: [
      {
        exports: 'FileInterceptor FilesInterceptor AnyFilesInterceptor',
        kind: 'path',
        args: [],
        options: 'dest',
        link: '#basic-example',
      },
    ],
  },
  {
    package: 'polka',
    link: 'https://github.com/lukeed/polka',
    sources: [
      { exports: 'Request.query Request.params Request.body', object: true, link: '#req' },
      { exports: 'Request.originalUrl Request.path Request.search Request.url', link: '#req' },
    ],
  },
];
