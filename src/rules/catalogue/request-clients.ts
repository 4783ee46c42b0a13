import type { Package } from './line.ts';

/** HTTP clients in the manner of request, builders of requests and clients of frameworks. */
export const requestClients: readonly Package[] = [
  {
    package: 'request',
    link: 'https://github.com/request/request',
    sinks: [
      {
        exports: 'default get post put patch del delete head',
        kind: 'request',
        args: [0],
        options: 'url uri baseUrl',
        link: '#requestoptions-callback',
      },
      {
        exports: 'defaults',
        kind: 'request',
        args: [],
        options: 'baseUrl proxy uri',
        link: '#convenience-methods',
      },
      {
        exports: '*.get *.post *.put *.del *.head',
        kind: 'request',
        args: [0],
        options: 'url uri',
      },
    ],
  },
  {
    package: 'request-promise',
    link: 'https://github.com/request/request-promise',
    sinks: [
      {
        exports: 'default get post put patch del head',
        kind: 'request',
        args: [0],
        options: 'url uri',
      },
    ],
  },
  {
    package: 'request-promise-native',
    link: 'https://github.com/request/request-promise-native',
    sinks: [
      {
        exports: 'default get post put patch del head',
        kind: 'request',
        args: [0],
        options: 'url uri',
      },
    ],
  },
  {
    package: 'wretch',
    link: 'https://github.com/elbywan/wretch',
    sinks: [
      {
        exports: 'default',
        kind: 'request',
        link: 'https://elbywan.github.io/wretch/api/functions/index.default.html',
      },
      {
        exports: '*.url',
        kind: 'request',
        link: 'https://elbywan.github.io/wretch/api/interfaces/index.Wretch#url',
      },
      {
        exports: '*.get *.delete *.head *.opts *.fetch',
        kind: 'request',
        link: 'https://elbywan.github.io/wretch/api/interfaces/index.Wretch#get',
      },
    ],
  },
  {
    package: 'phin',
    link: 'https://github.com/ethanent/phin',
    sinks: [
      { exports: 'default defaults unpromisified', kind: 'request', args: [0], options: 'url' },
    ],
  },
  {
    package: 'bent',
    link: 'https://github.com/mikeal/bent',
    sinks: [
      { exports: 'default', kind: 'request', args: [0, 1] },
      { exports: 'default()', kind: 'request', link: '#api' },
    ],
  },
  {
    package: 'urllib',
    link: 'https://github.com/node-modules/urllib',
    sinks: [
      { exports: 'request curl', kind: 'request', link: '#api-doc' },
      { exports: '*.request *.curl', kind: 'request', link: '#api-doc' },
    ],
  },
  {
    package: '@hapi/wreck',
    link: 'https://hapi.dev/module/wreck/api',
    sinks: [
      { exports: 'request', kind: 'request', args: [1], link: '#requestmethod-uri-options' },
      { exports: 'get post put patch delete', kind: 'request', link: '#geturi-options' },
      {
        exports: 'defaults request.base',
        kind: 'request',
        args: [],
        options: 'baseUrl',
        link: '#defaultsoptions',
      },
      { exports: '*.get *.post *.put *.patch *.delete', kind: 'request' },
    ],
  },
  {
    package: 'gaxios',
    link: 'https://github.com/googleapis/gaxios',
    sinks: [
      {
        exports: 'request',
        kind: 'request',
        args: [0],
        options: 'url baseURL',
        link: '#gaxios-options',
      },
      { exports: '*.request Gaxios', kind: 'request', args: [], options: 'url baseURL baseUrl' },
    ],
  },
  {
    package: 'node-libcurl',
    link: 'https://github.com/JCMais/node-libcurl',
    sinks: [
      { exports: 'curly curly.get curly.post curly.put', kind: 'request', link: '#quick-start' },
      {
        exports: '*.setOpt',
        kind: 'request',
        args: [1],
        link: '#simple-request---async--await-using-curly',
      },
    ],
  },
  {
    package: 'popsicle',
    link: 'https://github.com/serviejs/popsicle',
    sinks: [{ exports: 'fetch get request', kind: 'request' }],
  },
  {
    package: 'unirest',
    link: 'https://github.com/Kong/unirest-nodejs',
    sinks: [
      {
        exports: 'get post put patch delete head default',
        kind: 'request',
        link: '#creating-request',
      },
      { exports: '*.url *.proxy', kind: 'request', link: '#proxystring' },
    ],
  },
  {
    package: 'restler',
    link: 'https://github.com/danwrong/restler',
    sinks: [{ exports: 'get post put del head request json postJson putJson', kind: 'request' }],
  },
  {
    package: 'teeny-request',
    link: 'https://github.com/googleapis/teeny-request',
    sinks: [
      {
        exports: 'teenyRequest teenyRequest.defaults',
        kind: 'request',
        args: [0],
        options: 'uri url',
      },
    ],
  },
  {
    package: 'simple-get',
    link: 'https://github.com/feross/simple-get',
    sinks: [
      {
        exports: 'default concat get post put patch head delete',
        kind: 'request',
        args: [0],
        options: 'url hostname host',
      },
    ],
  },
  {
    package: 'hyperquest',
    link: 'https://github.com/substack/hyperquest',
    sinks: [{ exports: 'default get put post delete', kind: 'request', args: [0], options: 'uri' }],
  },
  {
    package: 'centra',
    link: 'https://github.com/ethanent/centra',
    sinks: [{ exports: 'default', kind: 'request' }],
  },
  {
    package: 'typed-rest-client',
    link: 'https://github.com/microsoft/typed-rest-client',
    sinks: [
      { exports: 'RestClient RestClient.RestClient', kind: 'request', args: [1] },
      { exports: '*.get *.del *.create *.update *.replace *.post *.put', kind: 'request' },
    ],
  },
  {
    package: '@nestjs/axios',
    link: 'https://docs.nestjs.com/techniques/http-module',
    sinks: [
      { exports: '*.get *.post *.put *.patch *.delete *.head', kind: 'request' },
      { exports: '*.request *.axiosRef', kind: 'request', args: [], options: 'url baseURL' },
    ],
  },
  {
    package: 'follow-redirects',
    link: 'https://github.com/follow-redirects/follow-redirects',
    sinks: [
      {
        exports: 'https.get http.get http.request https.request',
        kind: 'request',
        args: [0],
        options: 'host hostname',
      },
    ],
  },
];
