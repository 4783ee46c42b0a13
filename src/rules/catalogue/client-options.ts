import type { Package } from './line.ts';

/** Options of clients, browsers and drivers that switch a protection off or hold a secret. */
export const clientOptions: readonly Package[] = [
  {
    package: 'superagent',
    link: 'https://forwardemail.github.io/superagent/',
    sinks: [
      { exports: '*.disableTLSCerts', kind: 'certificate', link: '#tls-options' },
      { exports: '*.trustLocalhost', kind: 'certificate', severity: 'low', link: '#tls-options' },
    ],
  },
  {
    package: 'http-proxy',
    link: 'https://github.com/http-party/node-http-proxy',
    sinks: [
      {
        exports: 'createProxyServer createProxy createServer',
        kind: 'certificate',
        args: [],
        options: 'secure',
        value: /^false$/,
        severity: 'high',
        link: '#options',
      },
      {
        exports: '*.web *.ws',
        kind: 'certificate',
        args: [],
        options: 'secure',
        value: /^false$/,
        severity: 'high',
        link: '#options',
      },
    ],
  },
  {
    package: 'http-proxy-middleware',
    link: 'https://github.com/chimurai/http-proxy-middleware',
    sinks: [
      {
        exports: 'createProxyMiddleware',
        kind: 'certificate',
        args: [],
        options: 'secure',
        value: /^false$/,
        severity: 'high',
        link: '#http-proxy-options',
      },
    ],
  },
  {
    package: 'puppeteer',
    link: 'https://pptr.dev/api/puppeteer.launchoptions',
    sinks: [
      {
        exports: 'launch connect',
        kind: 'certificate',
        args: [],
        options: 'acceptInsecureCerts ignoreHTTPSErrors',
        value: /^true$/,
        severity: 'medium',
      },
      {
        exports: 'launch',
        kind: 'exposure',
        args: [],
        options: 'args',
        value: /^--(?:no-sandbox|disable-web-security|allow-file-access-from-files)$/,
        severity: 'low',
        link: 'https://pptr.dev/troubleshooting#setting-up-chrome-linux-sandbox',
      },
    ],
  },
  {
    package: 'playwright',
    link: 'https://playwright.dev/docs/api/class-browser',
    sinks: [
      {
        exports: '*.newContext *.newPage *.launchPersistentContext',
        kind: 'certificate',
        args: [],
        options: 'ignoreHTTPSErrors',
        value: /^true$/,
        severity: 'medium',
        link: '#browser-new-context-option-ignore-https-errors',
      },
      {
        exports: '*.newContext',
        kind: 'exposure',
        args: [],
        options: 'bypassCSP',
        value: /^true$/,
        severity: 'low',
        link: '#browser-new-context-option-bypass-csp',
      },
    ],
  },
  {
    package: 'selenium-webdriver',
    link: 'https://www.selenium.dev/selenium/docs/api/javascript/',
    sinks: [
      {
        exports: '*.setAcceptInsecureCerts',
        kind: 'certificate',
        args: [0],
        value: /^true$/,
        severity: 'medium',
        link: 'https://www.selenium.dev/selenium/docs/api/javascript/Capabilities.html',
      },
    ],
  },
  {
    package: 'webdriverio',
    link: 'https://webdriver.io/docs/api',
    sinks: [
      {
        exports: 'remote attach',
        kind: 'certificate',
        args: [],
        options: 'capabilities.acceptInsecureCerts',
        value: /^true$/,
        severity: 'medium',
        link: 'https://webdriver.io/docs/capabilities',
      },
    ],
  },
  {
    package: 'electron',
    link: 'https://www.electronjs.org/docs/latest/api/app',
    sinks: [
      {
        exports: 'app.commandLine.appendSwitch',
        kind: 'certificate',
        args: [0],
        value: /^(?:ignore-certificate-errors|disable-web-security|allow-insecure-localhost)$/,
        link: 'https://www.electronjs.org/docs/latest/api/command-line-switches',
      },
      {
        exports: '*.loadURL',
        kind: 'request',
        receivers: 'mainWindow win browserWindow',
        link: 'https://www.electronjs.org/docs/latest/api/browser-window#winloadurlurl-options',
      },
    ],
  },
  {
    package: '@grpc/grpc-js',
    link: 'https://grpc.github.io/grpc/node/grpc.html',
    sinks: [
      {
        exports: 'credentials.createInsecure',
        kind: 'tls',
        severity: 'low',
        link: 'https://grpc.io/docs/guides/auth/#nodejs',
      },
      {
        exports: 'ServerCredentials.createInsecure',
        kind: 'tls',
        severity: 'low',
        link: 'https://grpc.io/docs/languages/node/basics/#starting-the-server',
      },
    ],
  },
  {
    package: 'minio',
    link: 'https://min.io/docs/minio/linux/developers/javascript/API.html',
    sinks: [
      {
        exports: 'Client',
        kind: 'tls',
        args: [],
        options: 'useSSL',
        value: /^false$/,
        severity: 'medium',
        link: '#constructor',
      },
      { exports: '*.fGetObject *.fPutObject', kind: 'path', args: [2], link: '#fGetObject' },
    ],
  },
  {
    package: 'aws-sdk',
    link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/latest/AWS/Config.html',
    sinks: [
      {
        exports: 'config.update S3 DynamoDB SQS',
        kind: 'tls',
        args: [],
        options: 'sslEnabled',
        value: /^false$/,
        link: '#sslEnabled-property',
      },
      {
        exports: 'config.update S3 DynamoDB Credentials',
        kind: 'secret',
        args: [],
        options: 'secretAccessKey',
        severity: 'medium',
        link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/latest/AWS/Config.html#secretAccessKey-property',
      },
      {
        exports: '*.executeStatement *.startQueryExecution',
        kind: 'sql',
        args: [],
        options: 'Statement QueryString sql Sql',
        link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/latest/AWS/Athena.html#startQueryExecution-property',
      },
      {
        exports: '*.scan *.query',
        kind: 'query',
        args: [],
        options: 'FilterExpression KeyConditionExpression ProjectionExpression',
        link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/latest/AWS/DynamoDB/DocumentClient.html#scan-property',
      },
      {
        exports: '*.put',
        kind: 'fields',
        args: [],
        options: 'Item',
        link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/latest/AWS/DynamoDB/DocumentClient.html#put-property',
      },
    ],
  },
  {
    package: 'cassandra-driver',
    link: 'https://docs.datastax.com/en/developer/nodejs-driver/4.6/api/type.ClientOptions/',
    sinks: [
      {
        exports: 'auth.PlainTextAuthProvider',
        kind: 'secret',
        args: [1],
        severity: 'medium',
        link: 'https://docs.datastax.com/en/developer/nodejs-driver/4.6/api/module.auth/class.PlainTextAuthProvider/',
      },
    ],
  },
  {
    package: 'ioredis',
    link: 'https://github.com/redis/ioredis',
    sinks: [
      {
        exports: 'default Redis Cluster',
        kind: 'secret',
        args: [],
        options: 'password redisOptions.password',
        severity: 'medium',
        link: '#connect-to-redis',
      },
    ],
  },
  {
    package: 'redis',
    link: 'https://github.com/redis/node-redis',
    sinks: [
      {
        exports: 'createClient createCluster',
        kind: 'secret',
        args: [],
        options: 'password',
        severity: 'medium',
        link: 'https://github.com/redis/node-redis/blob/master/docs/client-configuration.md',
      },
    ],
  },
  {
    package: 'mysql2',
    link: 'https://sidorares.github.io/node-mysql2/docs',
    sinks: [
      {
        exports: 'createConnection createPool createPoolCluster',
        kind: 'exposure',
        args: [],
        options: 'multipleStatements',
        value: /^true$/,
        severity: 'medium',
        link: 'https://github.com/mysqljs/mysql#multiple-statement-queries',
      },
      {
        exports: 'createConnection createPool',
        kind: 'secret',
        args: [],
        options: 'password',
        severity: 'medium',
        link: 'https://sidorares.github.io/node-mysql2/docs#first-query',
      },
      {
        exports: 'createConnection createPool',
        kind: 'exposure',
        args: [],
        options: 'stringifyObjects',
        value: /^false$/,
        severity: 'low',
        link: 'https://github.com/mysqljs/mysql#escaping-query-values',
      },
    ],
  },
  {
    package: 'mysql',
    link: 'https://github.com/mysqljs/mysql',
    sinks: [
      {
        exports: 'createConnection createPool',
        kind: 'exposure',
        args: [],
        options: 'multipleStatements',
        value: /^true$/,
        severity: 'medium',
        link: '#multiple-statement-queries',
      },
      {
        exports: 'createConnection createPool',
        kind: 'secret',
        args: [],
        options: 'password',
        severity: 'medium',
        link: '#connection-options',
      },
      {
        exports: 'createConnection createPool',
        kind: 'exposure',
        args: [],
        options: 'insecureAuth',
        value: /^true$/,
        link: '#connection-options',
      },
    ],
  },
];
