import type { Package } from './line.ts';

/** HTTP clients with promises: addresses, bases and proxies that their documentation names. */
export const httpClients: readonly Package[] = [
  {
    package: 'axios',
    link: 'https://axios-http.com/docs/req_config',
    aliases: 'axios',
    sinks: [
      {
        exports: 'get delete head options',
        kind: 'request',
        link: 'https://axios-http.com/docs/api_intro',
      },
      {
        exports: 'post put patch postForm putForm patchForm',
        kind: 'request',
        link: 'https://axios-http.com/docs/multipart',
      },
      { exports: 'default request', kind: 'request', args: [], options: 'url baseURL' },
      {
        exports: 'default request getUri get post',
        kind: 'request',
        args: [],
        options: 'proxy.host socketPath',
      },
      { exports: 'create', kind: 'request', args: [], options: 'baseURL url' },
      {
        exports: '*.request *.get *.post *.put *.patch *.delete *.head *.postForm',
        kind: 'request',
        link: 'https://axios-http.com/docs/instance',
      },
    ],
  },
  {
    package: 'got',
    link: 'https://github.com/sindresorhus/got/blob/main/documentation/2-options.md',
    aliases: 'got',
    sinks: [
      {
        exports: 'default get post put patch head delete',
        kind: 'request',
        args: [0],
        options: 'url',
        link: 'https://github.com/sindresorhus/got#documentation',
      },
      {
        exports: 'stream stream.get stream.post',
        kind: 'request',
        link: 'https://github.com/sindresorhus/got/blob/main/documentation/3-streams.md',
      },
      {
        exports: 'paginate paginate.each paginate.all',
        kind: 'request',
        link: 'https://github.com/sindresorhus/got/blob/main/documentation/4-pagination.md',
      },
      { exports: 'extend default', kind: 'request', args: [], options: 'prefixUrl' },
      {
        exports: '*.extend *.get *.post *.put *.delete',
        kind: 'request',
        args: [],
        options: 'prefixUrl url',
      },
      { exports: 'post get default', kind: 'request', args: [], options: 'unixSocketPath' },
    ],
  },
  {
    package: 'undici',
    link: 'https://undici.nodejs.org/#/docs/api/Dispatcher',
    aliases: 'undici',
    sinks: [
      {
        exports: 'request fetch',
        kind: 'request',
        args: [0],
        link: 'https://undici.nodejs.org/#/?id=undicirequesturl-options-promise',
      },
      {
        exports: 'stream pipeline',
        kind: 'request',
        link: 'https://undici.nodejs.org/#/?id=undicistreamurl-options-factory-promise',
      },
      {
        exports: 'connect upgrade',
        kind: 'request',
        link: 'https://undici.nodejs.org/#/?id=undiciconnecturl-options-promise',
      },
      {
        exports: 'Client Pool BalancedPool',
        kind: 'request',
        link: 'https://undici.nodejs.org/#/docs/api/Client',
      },
      {
        exports: 'ProxyAgent EnvHttpProxyAgent',
        kind: 'request',
        args: [0],
        options: 'uri',
        link: 'https://undici.nodejs.org/#/docs/api/ProxyAgent',
      },
      {
        exports: '*.request *.stream *.dispatch *.connect',
        kind: 'request',
        args: [],
        options: 'origin',
        link: 'https://undici.nodejs.org/#/docs/api/Dispatcher?id=parameter-dispatchoptions',
      },
      {
        exports: 'WebSocket EventSource',
        kind: 'request',
        link: 'https://undici.nodejs.org/#/docs/api/WebSocket',
      },
    ],
  },
  {
    package: 'node-fetch',
    link: 'https://github.com/node-fetch/node-fetch',
    sinks: [
      { exports: 'default', kind: 'request', link: '#fetchurl-options' },
      { exports: 'Request', kind: 'request', link: '#class-request' },
    ],
  },
  {
    package: 'cross-fetch',
    link: 'https://github.com/lquixada/cross-fetch',
    sinks: [{ exports: 'fetch default', kind: 'request' }],
  },
  {
    package: 'make-fetch-happen',
    link: 'https://github.com/npm/make-fetch-happen',
    sinks: [
      { exports: 'default', kind: 'request', args: [0] },
      {
        exports: 'defaults defaults()',
        kind: 'request',
        args: [],
        options: 'proxy',
        link: '#--optsproxy',
      },
    ],
  },
  {
    package: 'minipass-fetch',
    link: 'https://github.com/npm/minipass-fetch',
    sinks: [{ exports: 'default Request', kind: 'request' }],
  },
  {
    package: 'superagent',
    link: 'https://ladjs.github.io/superagent/',
    sinks: [
      {
        exports: 'get post put patch del delete head default',
        kind: 'request',
        link: '#request-basics',
      },
      {
        exports: 'agent.get agent.post agent.put',
        kind: 'request',
        link: '#agents-for-global-state',
      },
      { exports: '*.connect', kind: 'request', link: '#overriding-dns-resolution' },
    ],
  },
  {
    package: 'needle',
    link: 'https://github.com/tomas/needle',
    sinks: [
      {
        exports: 'default request',
        kind: 'request',
        args: [1],
        link: '#needlemethod-url-data-options-callback',
      },
      { exports: 'get head', kind: 'request', link: '#needlegeturl-options-callback' },
      {
        exports: 'post put patch delete',
        kind: 'request',
        link: '#needleposturl-data-options-callback',
      },
      {
        exports: 'default get post put',
        kind: 'request',
        args: [],
        options: 'proxy',
        link: '#all-options',
      },
    ],
  },
  {
    package: 'ky',
    link: 'https://github.com/sindresorhus/ky',
    aliases: 'ky',
    sinks: [
      {
        exports: 'default get post put patch head delete',
        kind: 'request',
        link: '#kyinput-options',
      },
      {
        exports: 'default.get create extend',
        kind: 'request',
        args: [],
        options: 'prefixUrl',
        link: '#prefixurl',
      },
      {
        exports: '*.get *.post *.put *.extend',
        kind: 'request',
        args: [0],
        options: 'prefixUrl',
        link: '#kyextenddefaultoptions',
      },
    ],
  },
  {
    package: 'ofetch',
    link: 'https://github.com/unjs/ofetch',
    sinks: [
      { exports: 'ofetch $fetch fetch', kind: 'request' },
      {
        exports: 'ofetch.raw ofetch.native $fetch.raw',
        kind: 'request',
        link: '#-access-to-raw-response',
      },
      {
        exports: 'ofetch.create ofetch $fetch.create',
        kind: 'request',
        args: [],
        options: 'baseURL',
        link: '#%EF%B8%8F-create-fetch-with-default-options',
      },
    ],
  },
];
