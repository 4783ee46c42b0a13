import type { Package, SinkLine } from '../line.ts';

/** Methods of clients for HTTP: the address is the first argument. */
const verbs: SinkLine = {
  exports:
    'get post put patch delete head options *.get *.post *.put *.patch *.delete *.head *.options',
  kind: 'request',
  args: [0],
  options: 'url',
};
/** These take the method first. */
const anyVerb: SinkLine = {
  exports: 'request stream *.request *.stream *.build_request *.open',
  kind: 'request',
  args: [1],
  options: 'url',
};

/** What sends requests, and opens connections, to where a text says. */
export const pythonClients: readonly Package[] = [
  {
    package: 'requests',
    link: 'https://requests.readthedocs.io/en/latest/api/',
    receivers: 'session http_session',
    sinks: [
      verbs,
      anyVerb,
      { exports: 'Request', kind: 'request', args: [1], options: 'url', receivers: '' },
    ],
  },
  {
    package: 'httpx',
    link: 'https://www.python-httpx.org/api/',
    receivers: 'http_client httpx_client async_client',
    sinks: [
      verbs,
      anyVerb,
      {
        exports: 'Client AsyncClient',
        kind: 'request',
        args: [],
        options: 'base_url',
        receivers: '',
      },
    ],
  },
  {
    package: 'aiohttp',
    link: 'https://docs.aiohttp.org/en/stable/client_reference.html',
    receivers: 'client_session aiohttp_session',
    sinks: [
      { ...verbs, exports: '*.get *.post *.put *.patch *.delete *.head *.options *.ws_connect' },
      { ...anyVerb, exports: 'request *.request' },
      {
        exports: 'ClientSession',
        kind: 'request',
        args: [0],
        options: 'base_url',
        receivers: '',
      },
    ],
  },
  {
    package: 'urllib.request',
    link: 'https://docs.python.org/3/library/urllib.request.html#urllib.request.urlopen',
    sinks: [{ exports: 'urlopen urlretrieve *.open', kind: 'request', args: [0], options: 'url' }],
  },
  {
    package: 'urllib2',
    link: 'https://docs.python.org/2.7/library/urllib2.html',
    sinks: [{ exports: 'urlopen', kind: 'request' }],
  },
  {
    package: 'urllib',
    link: 'https://docs.python.org/2.7/library/urllib.html',
    sinks: [{ exports: 'urlopen urlretrieve', kind: 'request' }],
  },
  {
    package: 'urllib3',
    link: 'https://urllib3.readthedocs.io/en/stable/reference/urllib3.poolmanager.html',
    sinks: [
      { exports: 'request *.request *.urlopen', kind: 'request', args: [1], options: 'url' },
      { exports: 'connection_from_url', kind: 'request' },
    ],
  },
  {
    package: 'http.client',
    link: 'https://docs.python.org/3/library/http.client.html#http.client.HTTPConnection',
    sinks: [
      { exports: 'HTTPConnection HTTPSConnection', kind: 'host', args: [0], options: 'host' },
    ],
  },
  {
    package: 'httplib',
    link: 'https://docs.python.org/2.7/library/httplib.html',
    sinks: [{ exports: 'HTTPConnection HTTPSConnection', kind: 'host' }],
  },
  {
    package: 'httplib2',
    link: 'https://httplib2.readthedocs.io/en/latest/libhttplib2.html',
    sinks: [{ exports: '*.request', kind: 'request', args: [0], options: 'uri' }],
  },
  {
    package: 'socket',
    link: 'https://docs.python.org/3/library/socket.html#socket.create_connection',
    sinks: [
      { exports: 'create_connection', kind: 'host', args: [0], options: 'address' },
      { exports: '*.connect *.connect_ex', kind: 'host', args: [0] },
    ],
  },
  {
    package: 'websocket',
    link: 'https://websocket-client.readthedocs.io/en/latest/core.html',
    sinks: [
      { exports: 'create_connection WebSocketApp', kind: 'request', args: [0], options: 'url' },
    ],
  },
  {
    package: 'websockets',
    link: 'https://websockets.readthedocs.io/en/stable/reference/asyncio/client.html',
    sinks: [{ exports: 'connect', kind: 'request', args: [0], options: 'uri' }],
  },
  {
    package: 'ftplib',
    link: 'https://docs.python.org/3/library/ftplib.html#ftplib.FTP',
    sinks: [{ exports: 'FTP FTP_TLS', kind: 'host', args: [0], options: 'host' }],
  },
  {
    package: 'smtplib',
    link: 'https://docs.python.org/3/library/smtplib.html#smtplib.SMTP',
    sinks: [{ exports: 'SMTP SMTP_SSL', kind: 'host', args: [0], options: 'host' }],
  },
  {
    package: 'xmlrpc.client',
    link: 'https://docs.python.org/3/library/xmlrpc.client.html#xmlrpc.client.ServerProxy',
    sinks: [{ exports: 'ServerProxy', kind: 'request', args: [0], options: 'uri' }],
  },
  {
    package: 'feedparser',
    link: 'https://feedparser.readthedocs.io/en/latest/introduction.html',
    sinks: [{ exports: 'parse', kind: 'request', args: [0] }],
  },
  {
    package: 'pandas',
    link: 'https://pandas.pydata.org/docs/reference/io.html',
    sinks: [
      {
        exports: 'read_csv read_json read_excel read_html read_xml read_parquet',
        kind: 'request',
        args: [0],
        options: 'filepath_or_buffer path_or_buf io',
      },
    ],
  },
  {
    package: 'wget',
    link: 'https://pypi.org/project/wget/',
    sinks: [{ exports: 'download', kind: 'request' }],
  },
  {
    package: 'treq',
    link: 'https://treq.readthedocs.io/en/latest/api.html',
    sinks: [verbs],
  },
  {
    package: 'playwright',
    link: 'https://playwright.dev/python/docs/api/class-page#page-goto',
    receivers: 'page',
    sinks: [{ exports: '*.goto', kind: 'request', args: [0], options: 'url' }],
  },
  {
    package: 'selenium',
    link: 'https://www.selenium.dev/documentation/webdriver/interactions/navigation/',
    receivers: 'driver browser',
    sinks: [{ exports: '*.get', kind: 'request', args: [0], options: 'url' }],
  },
];
