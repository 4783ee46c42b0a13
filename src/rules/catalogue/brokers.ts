import type { Package } from './line.ts';

/** Queues, brokers and sockets: what they deliver, and how they are connected to. */
export const brokers: readonly Package[] = [
  {
    package: 'mqtt',
    link: 'https://github.com/mqttjs/MQTT.js',
    receivers: 'mqttClient mqtt',
    sinks: [
      {
        exports: 'connect connectAsync',
        kind: 'secret',
        args: [],
        options: 'password',
        severity: 'medium',
        link: '#mqttconnecturl-options',
      },
      {
        exports: 'connect connectAsync',
        kind: 'tls',
        args: [0],
        value: /^(?:mqtt|ws|tcp):\/\/(?!localhost|127\.|\[::1\]|[\w-]+(?::|$))/,
        severity: 'low',
        link: '#mqttconnecturl-options',
      },
      {
        exports: '*.publish *.subscribe',
        kind: 'query',
        severity: 'medium',
        link: '#mqttclientpublishtopic-message-options-callback',
      },
    ],
    sources: [
      {
        exports: '*.on *.once',
        callback: { parameter: 0, event: 'message' },
        link: '#event-message',
      },
    ],
  },
  {
    package: 'kafkajs',
    link: 'https://kafka.js.org/docs',
    sinks: [
      {
        exports: 'Kafka',
        kind: 'secret',
        args: [],
        options: 'sasl.password',
        severity: 'medium',
        link: 'https://kafka.js.org/docs/configuration#sasl',
      },
      {
        exports: 'Kafka',
        kind: 'host',
        args: [],
        options: 'brokers',
        link: 'https://kafka.js.org/docs/configuration',
      },
      {
        exports: '*.send',
        kind: 'query',
        args: [],
        options: 'topic',
        severity: 'medium',
        link: 'https://kafka.js.org/docs/producing',
      },
    ],
  },
  {
    package: 'amqplib',
    link: 'https://amqp-node.github.io/amqplib/channel_api.html',
    sinks: [
      {
        exports: 'connect',
        kind: 'secret',
        args: [],
        options: 'password',
        severity: 'medium',
        link: '#connect',
      },
      {
        exports: '*.assertQueue *.bindQueue *.publish *.sendToQueue',
        kind: 'query',
        severity: 'medium',
        link: '#channel_assertQueue',
      },
    ],
    sources: [
      {
        exports: 'GetMessage.content GetMessage.fields GetMessage.properties',
        link: '#channel_get',
      },
    ],
  },
  {
    package: 'ioredis',
    link: 'https://github.com/redis/ioredis',
    sinks: [
      {
        exports: '*.keys *.scan',
        kind: 'query',
        severity: 'medium',
        link: 'https://redis.io/docs/latest/commands/keys/',
      },
    ],
    sources: [
      { exports: '*.on *.once', callback: { parameter: 1, event: 'message' }, link: '#pubsub' },
    ],
  },
  {
    package: 'redis',
    link: 'https://github.com/redis/node-redis',
    sinks: [
      {
        exports: '*.keys',
        kind: 'query',
        severity: 'medium',
        link: 'https://redis.io/docs/latest/commands/keys/',
      },
    ],
    sources: [
      {
        exports: '*.subscribe *.pSubscribe',
        callback: { parameter: 0 },
        link: 'https://github.com/redis/node-redis/blob/master/docs/pub-sub.md',
      },
    ],
  },
  {
    package: 'bullmq',
    link: 'https://docs.bullmq.io/',
    sinks: [
      {
        exports: 'Worker',
        kind: 'path',
        args: [1],
        link: 'https://docs.bullmq.io/guide/workers/sandboxed-processors',
      },
      {
        exports: 'Queue Worker QueueEvents',
        kind: 'host',
        args: [],
        options: 'connection.host',
        link: 'https://docs.bullmq.io/guide/connections',
      },
      {
        exports: 'Queue Worker',
        kind: 'secret',
        args: [],
        options: 'connection.password',
        severity: 'medium',
        link: 'https://docs.bullmq.io/guide/connections',
      },
    ],
    sources: [
      {
        exports: 'QueueEvents.on',
        callback: { parameter: 0, event: 'completed' },
        link: 'https://docs.bullmq.io/guide/events',
      },
    ],
  },
  {
    package: 'socket.io',
    link: 'https://socket.io/docs/v4/server-api',
    sinks: [
      {
        exports: 'Server',
        kind: 'exposure',
        args: [],
        options: 'cors.origin',
        value: /^\*$/,
        severity: 'low',
        link: 'https://socket.io/docs/v4/handling-cors/',
      },
      {
        exports: 'Server',
        kind: 'exposure',
        args: [],
        options: 'maxHttpBufferSize',
        value: /^\d{9,}$/,
        severity: 'low',
        link: 'https://socket.io/docs/v4/server-options/#maxhttpbuffersize',
      },
    ],
    sources: [
      {
        exports: 'Server.engine.on',
        callback: { parameter: 0, event: 'initial_headers' },
        link: '#engine',
      },
    ],
  },
  {
    package: 'ws',
    link: 'https://github.com/websockets/ws/blob/master/doc/ws.md',
    sinks: [
      {
        exports: 'WebSocketServer Server',
        kind: 'exposure',
        args: [],
        options: 'maxPayload',
        value: /^(?:0|\d{10,})$/,
        severity: 'low',
        link: '#new-websocketserveroptions-callback',
      },
      {
        exports: 'default WebSocket',
        kind: 'exposure',
        args: [],
        options: 'allowPartialTrustChain skipUTF8Validation',
        value: /^true$/,
        severity: 'low',
        link: '#new-websocketaddress-protocols-options',
      },
    ],
  },
  {
    package: 'nats',
    link: 'https://github.com/nats-io/nats.js',
    sinks: [
      {
        exports: 'connect',
        kind: 'secret',
        args: [],
        options: 'pass token',
        severity: 'medium',
        link: 'https://github.com/nats-io/nats.js/blob/main/core/README.md#connection-options',
      },
      {
        exports: '*.publish *.subscribe *.request',
        kind: 'query',
        severity: 'medium',
        link: 'https://docs.nats.io/nats-concepts/subjects',
      },
    ],
  },
  {
    package: '@aws-sdk/client-sqs',
    link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/client/sqs/',
    sinks: [
      {
        exports: 'SendMessageCommand *.sendMessage ReceiveMessageCommand',
        kind: 'request',
        args: [],
        options: 'QueueUrl',
        link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/client/sqs/command/SendMessageCommand/',
      },
    ],
  },
  {
    package: '@google-cloud/pubsub',
    link: 'https://cloud.google.com/nodejs/docs/reference/pubsub/latest',
    sinks: [
      {
        exports: '*.topic *.subscription',
        kind: 'query',
        severity: 'medium',
        link: 'https://cloud.google.com/nodejs/docs/reference/pubsub/latest/pubsub/pubsub',
      },
    ],
    sources: [
      {
        exports: 'Message.data Message.attributes Message.orderingKey',
        link: 'https://cloud.google.com/nodejs/docs/reference/pubsub/latest/pubsub/message',
      },
    ],
  },
  {
    package: 'rhea',
    link: 'https://github.com/amqp/rhea',
    sinks: [
      {
        exports: '*.connect connect',
        kind: 'host',
        args: [],
        options: 'host',
        link: '#connectoptions',
      },
    ],
  },
  {
    package: 'nsqjs',
    link: 'https://github.com/dudleycarr/nsqjs',
    sources: [{ exports: 'Message.body Message.json()', link: '#message' }],
  },
  {
    package: 'stompit',
    link: 'https://github.com/gdaws/node-stomp',
    sinks: [
      {
        exports: 'connect',
        kind: 'host',
        args: [],
        options: 'host',
        link: 'https://github.com/gdaws/node-stomp/blob/master/docs/connect.md',
      },
    ],
  },
];
