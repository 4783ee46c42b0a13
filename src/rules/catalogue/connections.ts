import type { Package } from './line.ts';

/** Clients of other protocols, sockets, and libraries that fetch what an option names. */
export const connections: readonly Package[] = [
  {
    package: 'http',
    link: 'https://nodejs.org/api/http.html',
    sinks: [
      {
        exports: 'request get',
        kind: 'request',
        args: [0],
        options: 'host hostname',
        link: '#httprequestoptions-callback',
      },
      { exports: 'request get request', kind: 'host', args: [], options: 'socketPath' },
    ],
  },
  {
    package: 'https',
    link: 'https://nodejs.org/api/https.html',
    sinks: [
      {
        exports: 'request get',
        kind: 'request',
        args: [0],
        options: 'host hostname',
        link: '#httpsrequestoptions-callback',
      },
    ],
  },
  {
    package: 'http2',
    link: 'https://nodejs.org/api/http2.html',
    sinks: [
      { exports: 'connect', kind: 'request', link: '#http2connectauthority-options-listener' },
    ],
  },
  {
    package: 'net',
    link: 'https://nodejs.org/api/net.html',
    sinks: [
      {
        exports: 'connect createConnection',
        kind: 'host',
        args: [1],
        link: '#netconnectport-host-connectlistener',
      },
      {
        exports: 'connect createConnection Socket.connect',
        kind: 'host',
        args: [],
        options: 'path host',
        link: '#socketconnectoptions-connectlistener',
      },
      {
        exports: '*.connect',
        kind: 'host',
        args: [1],
        options: 'host path',
        link: '#socketconnect',
      },
    ],
  },
  {
    package: 'tls',
    link: 'https://nodejs.org/api/tls.html',
    sinks: [
      {
        exports: 'connect',
        kind: 'host',
        args: [1],
        options: 'host path',
        link: '#tlsconnectoptions-callback',
      },
    ],
  },
  {
    package: 'dgram',
    link: 'https://nodejs.org/api/dgram.html',
    sinks: [
      {
        exports: '*.send',
        kind: 'host',
        args: [2, 4],
        link: '#socketsendmsg-offset-length-port-address-callback',
      },
      {
        exports: '*.connect *.addMembership',
        kind: 'host',
        args: [0, 1],
        link: '#socketconnectport-address-callback',
      },
    ],
  },
  {
    package: 'dns',
    link: 'https://nodejs.org/api/dns.html',
    sinks: [{ exports: 'setServers *.setServers', kind: 'host', link: '#dnssetserversservers' }],
  },
  {
    package: 'ws',
    link: 'https://github.com/websockets/ws/blob/master/doc/ws.md',
    sinks: [
      {
        exports: 'default WebSocket',
        kind: 'request',
        link: '#new-websocketaddress-protocols-options',
      },
    ],
  },
  {
    package: 'websocket',
    link: 'https://github.com/theturtle32/WebSocket-Node/blob/master/docs/index.md',
    sinks: [
      {
        exports: '*.connect',
        kind: 'request',
        link: 'https://github.com/theturtle32/WebSocket-Node/blob/master/docs/WebSocketClient.md',
      },
      {
        exports: 'w3cwebsocket',
        kind: 'request',
        link: 'https://github.com/theturtle32/WebSocket-Node/blob/master/docs/W3CWebSocket.md',
      },
    ],
  },
  {
    package: 'faye-websocket',
    link: 'https://github.com/faye/faye-websocket-node',
    sinks: [{ exports: 'Client', kind: 'request', link: '#using-the-websocket-client' }],
  },
  {
    package: 'sockjs-client',
    link: 'https://github.com/sockjs/sockjs-client',
    sinks: [{ exports: 'default', kind: 'request', link: '#sockjs-class' }],
  },
  {
    package: 'socket.io-client',
    link: 'https://socket.io/docs/v4/client-api',
    sinks: [
      { exports: 'io connect default', kind: 'request', link: '#iourl' },
      { exports: 'Manager', kind: 'request', link: '#new-managerurl-options' },
    ],
  },
  {
    package: 'reconnecting-websocket',
    link: 'https://github.com/pladaria/reconnecting-websocket',
    sinks: [{ exports: 'default', kind: 'request' }],
  },
  {
    package: 'eventsource',
    link: 'https://github.com/EventSource/eventsource',
    sinks: [{ exports: 'EventSource default', kind: 'request' }],
  },
  {
    package: '@grpc/grpc-js',
    link: 'https://grpc.github.io/grpc/node/grpc.Client.html',
    sinks: [{ exports: 'Client makeGenericClientConstructor()', kind: 'host' }],
  },
  {
    package: 'soap',
    link: 'https://github.com/vpulim/node-soap',
    sinks: [
      {
        exports: 'createClient createClientAsync',
        kind: 'request',
        args: [],
        options: 'endpoint',
        link: '#soapcreateclienturl-options-callback',
      },
      { exports: '*.setEndpoint', kind: 'request', link: '#clientsetendpointurl' },
    ],
  },
  {
    package: 'strong-soap',
    link: 'https://github.com/loopbackio/strong-soap',
    sinks: [
      { exports: 'soap.createClient', kind: 'request', link: '#soap-client' },
      { exports: 'WSDL.open', kind: 'request', link: '#wsdl' },
    ],
  },
  {
    package: 'easy-soap-request',
    link: 'https://github.com/circa10a/easy-soap-request',
    sinks: [{ exports: 'default', kind: 'request', args: [], options: 'url' }],
  },
  {
    package: 'xmlrpc',
    link: 'https://github.com/baalexander/node-xmlrpc',
    sinks: [
      {
        exports: 'createClient createSecureClient',
        kind: 'request',
        args: [0],
        options: 'host url',
        link: '#client-example',
      },
    ],
  },
  {
    package: 'jayson',
    link: 'https://github.com/tedeh/jayson',
    sinks: [
      {
        exports: 'Client.http Client.https Client.tcp client.http client.https client.tcp',
        kind: 'host',
        args: [0],
        options: 'host hostname',
        link: '#client',
      },
    ],
  },
  {
    package: 'nodemailer',
    link: 'https://nodemailer.com/smtp',
    sinks: [
      {
        exports: 'createTransport',
        kind: 'host',
        args: [0],
        options: 'host proxy',
        link: '#general-options',
      },
      {
        exports: '*.sendMail',
        kind: 'request',
        args: [],
        options: 'html.href text.href html.path text.path',
        link: 'https://nodemailer.com/message/alternatives',
      },
    ],
  },
  {
    package: 'imapflow',
    link: 'https://imapflow.com/docs/api/imapflow-client',
    sinks: [{ exports: 'ImapFlow', kind: 'host', args: [], options: 'host proxy' }],
  },
  {
    package: 'ssh2',
    link: 'https://github.com/mscdex/ssh2',
    sinks: [
      { exports: '*.connect', kind: 'host', args: [], options: 'host', link: '#client-methods' },
      { exports: '*.forwardOut', kind: 'host', args: [2], link: '#client-methods' },
    ],
  },
  {
    package: 'ssh2-sftp-client',
    link: 'https://github.com/theophilusx/ssh2-sftp-client',
    sinks: [
      { exports: '*.connect', kind: 'host', args: [], options: 'host', link: '#sec-5-2-1' },
      {
        exports: '*.get *.put *.delete *.rmdir *.mkdir *.list',
        kind: 'path',
        args: [0],
        link: '#sec-5-2',
      },
    ],
  },
  {
    package: 'basic-ftp',
    link: 'https://github.com/patrickjuchli/basic-ftp',
    sinks: [
      {
        exports: '*.access *.connect',
        kind: 'host',
        args: [0],
        options: 'host',
        link: '#client-api',
      },
      { exports: '*.downloadTo *.downloadToDir', kind: 'path', args: [0, 1], link: '#client-api' },
    ],
  },
  {
    package: 'mqtt',
    link: 'https://github.com/mqttjs/MQTT.js',
    sinks: [
      {
        exports: 'connect connectAsync',
        kind: 'host',
        args: [0],
        options: 'host hostname servers',
        link: '#mqttconnecturl-options',
      },
    ],
  },
  {
    package: 'amqplib',
    link: 'https://amqp-node.github.io/amqplib/channel_api.html',
    sinks: [{ exports: 'connect', kind: 'host', args: [0], options: 'hostname', link: '#connect' }],
  },
  {
    package: 'nats',
    link: 'https://github.com/nats-io/nats.node',
    sinks: [
      {
        exports: 'connect',
        kind: 'host',
        args: [],
        options: 'servers',
        link: '#connecting-to-a-nats-server',
      },
    ],
  },
  {
    package: 'openid-client',
    link: 'https://github.com/panva/openid-client/blob/v5.x/docs/README.md',
    sinks: [
      {
        exports: 'Issuer.discover Issuer.webfinger discovery',
        kind: 'request',
        link: '#issuerdiscoverissuer',
      },
    ],
  },
  {
    package: 'jwks-rsa',
    link: 'https://github.com/auth0/node-jwks-rsa',
    sinks: [
      {
        exports: 'default JwksClient passportJwtSecret expressJwtSecret koaJwtSecret',
        kind: 'request',
        args: [],
        options: 'jwksUri',
      },
    ],
  },
  {
    package: '@apidevtools/json-schema-ref-parser',
    link: 'https://apidevtools.com/json-schema-ref-parser/docs/ref-parser.html',
    sinks: [
      {
        exports: '*.dereference *.bundle *.resolve *.parse dereference bundle resolve parse',
        kind: 'request',
        link: '#dereferenceschema-options-callback',
      },
    ],
  },
  {
    package: '@apidevtools/swagger-parser',
    link: 'https://apitools.dev/swagger-parser/docs/swagger-parser.html',
    sinks: [
      {
        exports: 'validate dereference bundle resolve parse *.validate',
        kind: 'request',
        link: '#validateapi-options-callback',
      },
    ],
  },
  {
    package: 'swagger-client',
    link: 'https://github.com/swagger-api/swagger-js',
    sinks: [{ exports: 'default', kind: 'request', args: [0], options: 'url' }],
  },
  {
    package: 'webdav',
    link: 'https://github.com/perry-mitchell/webdav-client',
    sinks: [{ exports: 'createClient', kind: 'request', link: '#usage' }],
  },
  {
    package: 'web-push',
    link: 'https://github.com/web-push-libs/web-push',
    sinks: [
      {
        exports: 'sendNotification',
        kind: 'request',
        args: [],
        options: 'endpoint proxy',
        link: '#sendnotificationpushsubscription-payload-options',
      },
    ],
  },
  {
    package: 'minio',
    link: 'https://min.io/docs/minio/linux/developers/javascript/API.html',
    sinks: [
      { exports: 'Client', kind: 'host', args: [], options: 'endPoint', link: '#new-minio-client' },
    ],
  },
];
