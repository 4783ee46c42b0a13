import type { Package } from './line.ts';

/** What functions of a cloud, queues, parsers of forms and calls of procedures deliver. */
export const deliveries: readonly Package[] = [
  {
    package: 'aws-lambda',
    link: 'https://docs.aws.amazon.com/lambda/latest/dg/typescript-handler.html',
    sources: [
      {
        exports:
          'APIGatewayRequestAuthorizerEvent.headers APIGatewayRequestAuthorizerEvent.queryStringParameters APIGatewayRequestAuthorizerEvent.pathParameters',
        link: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-input.html',
      },
      {
        exports: 'CloudFrontRequestEvent.Records',
        link: 'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-event-structure.html',
      },
      {
        exports:
          'SQSEvent.Records SNSEvent.Records SESEvent.Records KinesisStreamEvent.Records DynamoDBStreamEvent.Records S3Event.Records',
        link: 'https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html',
      },
    ],
  },
  {
    package: '@azure/functions',
    link: 'https://learn.microsoft.com/azure/azure-functions/functions-reference-node',
    sources: [
      {
        exports: 'HttpRequest.query HttpRequest.params HttpRequest.headers HttpRequest.url',
        link: '#http-request',
      },
      {
        exports:
          'HttpRequest.json() HttpRequest.text() HttpRequest.formData() HttpRequest.blob() HttpRequest.arrayBuffer()',
        whole: true,
        link: '#http-request',
      },
      {
        exports:
          'app.serviceBusQueue app.serviceBusTopic app.storageQueue app.eventHub app.eventGrid',
        link: 'https://learn.microsoft.com/azure/azure-functions/functions-bindings-service-bus-trigger',
        callback: { parameter: 0, option: 'handler' },
      },
    ],
  },
  {
    package: '@google-cloud/functions-framework',
    link: 'https://github.com/GoogleCloudPlatform/functions-framework-nodejs',
    sources: [
      {
        exports: 'Request.body Request.query Request.headers Request.rawBody Request.params',
        object: true,
      },
      { exports: 'http', callback: { parameter: 0, is: 'Request' } },
      { exports: 'cloudEvent', callback: { parameter: 0 } },
    ],
  },
  {
    package: 'firebase-functions',
    link: 'https://firebase.google.com/docs/reference/functions/2nd-gen/node/firebase-functions',
    sources: [
      { exports: '*.onCall onCall', callback: { parameter: 0 } },
      { exports: '*.onRequest', callback: { parameter: 0, is: 'Request' } },
      {
        exports: 'Request.body Request.query Request.headers Request.rawBody Request.params',
        object: true,
      },
    ],
  },
  {
    package: '@netlify/functions',
    link: 'https://docs.netlify.com/functions/get-started',
    sources: [
      {
        exports:
          'HandlerEvent.queryStringParameters HandlerEvent.multiValueQueryStringParameters HandlerEvent.headers HandlerEvent.multiValueHeaders',
      },
      { exports: 'HandlerEvent.body HandlerEvent.rawUrl HandlerEvent.rawQuery HandlerEvent.path' },
    ],
  },
  {
    package: '@vercel/node',
    link: 'https://vercel.com/docs/functions/runtimes/node-js',
    sources: [
      {
        exports:
          'VercelRequest.query VercelRequest.cookies VercelRequest.headers VercelRequest.url',
        object: true,
      },
      { exports: 'VercelRequest.body', whole: true, object: true },
    ],
  },
  {
    package: 'kafkajs',
    link: 'https://kafka.js.org/docs/consuming',
    sources: [
      {
        exports:
          'EachMessagePayload.message EachMessagePayload.message.value EachMessagePayload.message.key',
      },
      {
        exports: 'EachBatchPayload.batch.messages',
        link: 'https://kafka.js.org/docs/consuming#a-name-each-batch-a-eachbatch',
      },
    ],
  },
  {
    package: 'amqplib',
    link: 'https://amqp-node.github.io/amqplib/channel_api.html',
    sources: [
      {
        exports:
          'ConsumeMessage.content ConsumeMessage.fields.routingKey ConsumeMessage.properties',
        link: '#channel_consume',
      },
      {
        exports: '*.consume',
        link: '#channel_consume',
        callback: { parameter: 0, is: 'ConsumeMessage' },
      },
    ],
  },
  {
    package: 'nats',
    link: 'https://github.com/nats-io/nats.node',
    sources: [
      {
        exports: 'Msg.data Msg.subject Msg.headers Msg.reply Msg.json() Msg.string()',
        link: 'https://github.com/nats-io/nats.node#publish-and-subscribe',
      },
    ],
  },
  {
    package: 'bullmq',
    link: 'https://docs.bullmq.io/guide/workers',
    sources: [
      { exports: 'Job.data Job.name', link: 'https://api.docs.bullmq.io/classes/v5.Job.html' },
    ],
  },
  {
    package: 'bull',
    link: 'https://github.com/OptimalBits/bull/blob/develop/REFERENCE.md',
    sources: [{ exports: 'Job.data Job.name', link: '#job' }],
  },
  {
    package: '@aws-sdk/client-sqs',
    link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/client/sqs',
    sources: [
      { exports: 'Message.Body Message.Attributes Message.MessageAttributes' },
      { exports: '*.Messages' },
    ],
  },
  {
    package: 'stompit',
    link: 'https://github.com/gdaws/node-stomp',
    sources: [{ exports: '*.readString', callback: { parameter: 1 } }],
  },
  {
    package: 'mailparser',
    link: 'https://nodemailer.com/extras/mailparser',
    sources: [{ exports: 'simpleParser()' }],
  },
  {
    package: 'busboy',
    link: 'https://github.com/mscdex/busboy',
    sources: [
      { exports: '*.on', link: '#special-events', callback: { parameter: 1, event: 'field' } },
      {
        exports: '*.once *.on',
        link: '#special-events',
        callback: { parameter: 2, event: 'file' },
      },
    ],
  },
  {
    package: 'formidable',
    link: 'https://github.com/node-formidable/formidable',
    sources: [
      {
        exports: '*.parse',
        object: true,
        link: '#parserequest-callback',
        callback: { parameter: 1 },
      },
      { exports: '*.parse()', object: true, link: '#parserequest-callback' },
    ],
  },
  {
    package: 'multiparty',
    link: 'https://github.com/pillarjs/multiparty',
    sources: [
      { exports: '*.parse', object: true, link: '#parserequest-cb', callback: { parameter: 1 } },
      { exports: '*.on', link: '#field-name-value', callback: { parameter: 1, event: 'field' } },
    ],
  },
  {
    package: 'raw-body',
    link: 'https://github.com/stream-utils/raw-body',
    sources: [{ exports: 'default()' }],
  },
  {
    package: 'co-body',
    link: 'https://github.com/cojs/co-body',
    sources: [{ exports: 'json() form() text()', whole: true, object: true }],
  },
  {
    package: 'micro',
    link: 'https://github.com/vercel/micro',
    sources: [
      { exports: 'json()', whole: true, object: true, link: '#json' },
      { exports: 'text() buffer()', link: '#text' },
    ],
  },
  {
    package: 'cookie',
    link: 'https://github.com/jshttp/cookie',
    sources: [{ exports: 'parse() parseCookie()', link: '#cookieparsestr-options' }],
  },
  {
    package: '@trpc/server',
    link: 'https://trpc.io/docs/server/procedures',
    sources: [
      { exports: '*.query *.mutation', callback: { parameter: 0, is: 'Options' } },
      { exports: 'Options.input', object: true },
    ],
  },
];
