import type { Package } from './line.ts';

/** Servers and frameworks: what of a request is from outside. */
export const servers: readonly Package[] = [
  {
    package: 'express',
    link: 'https://expressjs.com/en/5x/api.html',
    sources: [
      { exports: 'Request.body', whole: true, object: true, link: '#req.body' },
      {
        exports: 'Request.query Request.params Request.cookies Request.signedCookies',
        object: true,
        link: '#req.query',
      },
      {
        exports: 'Request.subdomains Request.host Request.baseUrl Request.ips Request.ip',
        link: '#req.subdomains',
      },
      { exports: 'Request.get() Request.header()', link: '#req.get' },
    ],
  },
  {
    package: 'fastify',
    link: 'https://fastify.dev/docs/latest/Reference/Request/',
    sources: [
      {
        exports:
          'FastifyRequest.body FastifyRequest.query FastifyRequest.params FastifyRequest.headers',
        object: true,
      },
      {
        exports:
          'FastifyRequest.host FastifyRequest.hostname FastifyRequest.ips FastifyRequest.url FastifyRequest.originalUrl',
      },
      {
        exports: 'FastifyRequest.cookies FastifyRequest.unsignCookie()',
        link: 'https://github.com/fastify/fastify-cookie',
      },
      {
        exports:
          'FastifyRequest.file() FastifyRequest.files() FastifyRequest.saveRequestFiles() FastifyRequest.parts()',
        link: 'https://github.com/fastify/fastify-multipart',
      },
    ],
  },
  {
    package: 'koa',
    link: 'https://koajs.com/',
    sources: [
      { exports: '*.use', callback: { parameter: 0, is: 'Context' } },
      { exports: 'Context.get() Context.request.get()', link: '#request' },
      {
        exports: 'Context.header Context.headers Context.request.header Context.request.headers',
        link: '#request',
      },
      {
        exports:
          'Context.query Context.request.query Context.querystring Context.request.querystring Context.search Context.request.search',
        object: true,
        link: '#request',
      },
      { exports: 'Context.cookies.get()', link: '#ctx-cookies-get-name-options' },
      {
        exports:
          'Context.subdomains Context.host Context.hostname Context.ips Context.request.subdomains Context.request.hostname',
        link: '#request',
      },
      {
        exports: 'Context.request.body Context.request.rawBody Context.request.files',
        whole: true,
        object: true,
        link: 'https://github.com/koajs/bodyparser',
      },
    ],
  },
  {
    package: '@koa/router',
    link: 'https://github.com/koajs/router/blob/master/API.md',
    sources: [
      {
        exports: '*.get *.post *.put *.patch *.delete *.del *.all *.use *.register',
        callback: { parameter: 0, is: 'Context' },
      },
      { exports: 'Context.params Context.captures', link: '#url-parameters' },
      {
        exports:
          'Context.request.body Context.request.query Context.query Context.headers Context.header',
        object: true,
      },
    ],
  },
  {
    package: '@hapi/hapi',
    link: 'https://hapi.dev/api/',
    sources: [
      {
        exports: 'Request.payload Request.query Request.params Request.paramsArray',
        object: true,
        link: '#request.payload',
      },
      { exports: 'Request.headers Request.raw.req Request.state', link: '#request.state' },
      {
        exports:
          'Request.info.referrer Request.info.host Request.info.hostname Request.path Request.url',
        link: '#request.info',
      },
    ],
  },
  {
    package: 'hono',
    link: 'https://hono.dev/docs/api/request',
    sources: [
      {
        exports: '*.get *.post *.put *.delete *.patch *.all *.use *.on *.options',
        link: 'https://hono.dev/docs/api/routing',
        callback: { parameter: 0, is: 'Context' },
      },
      { exports: 'Context.req.param() Context.req.query() Context.req.queries()', link: '#query' },
      { exports: 'Context.req.header()', link: '#header' },
      {
        exports: 'Context.req.json() Context.req.parseBody() Context.req.valid()',
        whole: true,
        object: true,
        link: '#parsebody',
      },
      {
        exports:
          'Context.req.text() Context.req.arrayBuffer() Context.req.blob() Context.req.formData()',
        link: '#text',
      },
      {
        exports: 'Context.req.url Context.req.path Context.req.raw.url Context.req.raw.headers',
        link: '#raw',
      },
    ],
  },
  {
    package: 'elysia',
    link: 'https://elysiajs.com/essential/handler.html',
    sources: [
      {
        exports: '*.get *.post *.put *.delete *.patch *.all',
        link: '#context',
        callback: { parameter: 0, is: 'Context' },
      },
      { exports: 'Context.body Context.query Context.params', object: true, link: '#context' },
      {
        exports: 'Context.headers Context.cookie Context.path Context.request.url',
        link: '#context',
      },
    ],
  },
  {
    package: 'h3',
    link: 'https://v1.h3.dev/utils/request',
    sources: [
      {
        exports:
          'getQuery() getValidatedQuery() getRouterParams() getRouterParam() getValidatedRouterParams()',
        object: true,
      },
      {
        exports: 'readBody() readValidatedBody() readRawBody()',
        whole: true,
        object: true,
        link: 'https://v1.h3.dev/utils/request#body-utils',
      },
      {
        exports: 'readFormData() readMultipartFormData()',
        link: 'https://v1.h3.dev/utils/request#body-utils',
      },
      { exports: 'getHeader() getHeaders() getRequestHeader() getRequestHeaders()' },
      { exports: 'getCookie() parseCookies()', link: 'https://v1.h3.dev/utils/cookie' },
      { exports: 'getRequestURL() getRequestHost() getRequestPath()' },
    ],
  },
  {
    package: 'restify',
    link: 'https://restify.com/docs/request-api/',
    sources: [
      { exports: 'Request.getQuery() Request.query() Request.getUrl() Request.href()' },
      {
        exports: 'Request.header() Request.trailer() Request.userAgent() Request.getContentType()',
      },
      {
        exports: 'Request.body Request.params Request.query Request.files',
        whole: true,
        object: true,
        link: 'https://restify.com/docs/plugins-api/#bodyparser',
      },
    ],
  },
  {
    package: 'uWebSockets.js',
    link: 'https://unetworking.github.io/uWebSockets.js/generated/interfaces/HttpRequest.html',
    sources: [
      { exports: 'HttpRequest.getQuery() HttpRequest.getParameter()' },
      { exports: 'HttpRequest.getHeader() HttpRequest.getUrl()', link: '#getHeader' },
      {
        exports: '*.get *.post *.put *.del *.patch *.any *.options',
        link: 'https://unetworking.github.io/uWebSockets.js/generated/interfaces/TemplatedApp.html',
        callback: { parameter: 1, is: 'HttpRequest' },
      },
    ],
  },
  {
    package: '@sveltejs/kit',
    link: 'https://svelte.dev/docs/kit/@sveltejs-kit#RequestEvent',
    sources: [
      { exports: 'RequestEvent.params' },
      {
        exports:
          'RequestEvent.url.searchParams RequestEvent.url.search RequestEvent.url.href RequestEvent.url.hash',
      },
      {
        exports: 'RequestEvent.cookies.get() RequestEvent.cookies.getAll()',
        link: 'https://svelte.dev/docs/kit/@sveltejs-kit#Cookies',
      },
      { exports: 'RequestEvent.request.headers RequestEvent.request.url' },
      {
        exports:
          'RequestEvent.request.formData() RequestEvent.request.json() RequestEvent.request.text()',
        whole: true,
      },
    ],
  },
  {
    package: 'astro',
    link: 'https://docs.astro.build/en/reference/api-reference/',
    sources: [
      { exports: 'APIContext.params', link: '#params' },
      {
        exports: 'APIContext.url.searchParams APIContext.request.url APIContext.request.headers',
        link: '#url',
      },
      { exports: 'APIContext.cookies.get()', link: '#cookies' },
      {
        exports:
          'APIContext.request.json() APIContext.request.formData() APIContext.request.text()',
        whole: true,
        link: '#request',
      },
    ],
  },
  {
    package: '@adonisjs/core',
    link: 'https://docs.adonisjs.com/guides/basics/request',
    sources: [
      {
        exports:
          'HttpContext.request.input() HttpContext.request.all() HttpContext.request.body() HttpContext.request.only() HttpContext.request.except() HttpContext.request.qs()',
        whole: true,
        object: true,
      },
      { exports: 'HttpContext.request.param() HttpContext.request.params() HttpContext.params' },
      {
        exports:
          'HttpContext.request.header() HttpContext.request.headers() HttpContext.request.cookie() HttpContext.request.plainCookie()',
      },
      {
        exports:
          'HttpContext.request.raw() HttpContext.request.url() HttpContext.request.completeUrl() HttpContext.request.file()',
      },
    ],
  },
  {
    package: 'ws',
    link: 'https://github.com/websockets/ws/blob/master/doc/ws.md',
    sources: [
      {
        exports: '*.on *.once',
        link: '#event-message',
        callback: { parameter: 0, event: 'message' },
      },
      {
        exports: '*.on *.addListener',
        link: '#event-ping',
        callback: { parameter: 0, event: 'ping' },
      },
    ],
  },
  {
    package: 'socket.io',
    link: 'https://socket.io/docs/v4/server-api',
    sources: [
      { exports: '*.onAny *.prependAny', link: '#socketonanycallback', callback: { parameter: 1 } },
      { exports: '*.use', link: '#serverusefn', callback: { parameter: 0, is: 'Socket' } },
      {
        exports:
          'Socket.handshake.query Socket.handshake.headers Socket.handshake.auth Socket.handshake.url',
        object: true,
        link: '#sockethandshake',
      },
    ],
  },
];
