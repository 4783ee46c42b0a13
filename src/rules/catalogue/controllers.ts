import type { Package } from './line.ts';

/** Controllers, resolvers and messages: what frameworks hand to a program from outside. */
export const controllers: readonly Package[] = [
  {
    package: '@loopback/rest',
    link: 'https://loopback.io/doc/en/lb4/Decorators_openapi.html',
    sinks: [
      {
        exports: '*.execute',
        kind: 'sql',
        receivers: 'repository dataSource',
        link: 'https://loopback.io/doc/en/lb4/Executing-database-commands.html',
      },
    ],
    sources: [
      {
        exports: 'requestBody',
        decorator: true,
        whole: true,
        object: true,
        link: 'https://loopback.io/doc/en/lb4/Parsing-requests.html',
      },
      {
        exports: 'param.query.string param.query.object param.filter param.where',
        decorator: true,
        object: true,
        link: 'https://loopback.io/doc/en/lb4/Decorators_openapi.html#query-parameters',
      },
      {
        exports: 'param.path.string param.header.string',
        decorator: true,
        link: 'https://loopback.io/doc/en/lb4/Decorators_openapi.html#path-parameters',
      },
    ],
  },
  {
    package: 'inversify-express-utils',
    link: 'https://github.com/inversify/inversify-express-utils',
    sources: [
      { exports: 'queryParam requestParam', decorator: true, object: true, link: '#decorators' },
      { exports: 'requestHeaders cookies', decorator: true, link: '#decorators' },
    ],
  },
  {
    package: '@tsed/common',
    link: 'https://tsed.dev/docs/controllers.html',
    sources: [
      {
        exports: 'BodyParams',
        decorator: true,
        whole: true,
        object: true,
        link: 'https://tsed.dev/docs/controllers.html#input-parameters',
      },
      {
        exports: 'PathParams HeaderParams',
        decorator: true,
        link: 'https://tsed.dev/docs/controllers.html#input-parameters',
      },
    ],
  },
  {
    package: '@midwayjs/core',
    link: 'https://midwayjs.org/en/docs/controller',
    sources: [
      {
        exports: 'Fields Files File Queries',
        decorator: true,
        object: true,
        link: 'https://midwayjs.org/en/docs/controller#request-parameters',
      },
    ],
  },
  {
    package: 'sails',
    link: 'https://sailsjs.com/documentation/reference/request-req',
    sinks: [
      {
        exports: '*.sendNativeQuery',
        kind: 'sql',
        free: true,
        link: 'https://sailsjs.com/documentation/reference/waterline-orm/datastores/send-native-query',
      },
      {
        exports: '*.upload',
        kind: 'path',
        args: [],
        options: 'dirname saveAs',
        receivers: 'req',
        link: 'https://sailsjs.com/documentation/concepts/file-uploads',
      },
      {
        exports: '*.view',
        kind: 'look',
        receivers: 'res',
        link: 'https://sailsjs.com/documentation/reference/response-res/res-view',
      },
      {
        exports: '*.attachment',
        kind: 'header',
        receivers: 'res',
        severity: 'low',
        link: 'https://sailsjs.com/documentation/reference/response-res/res-attachment',
      },
    ],
    sources: [
      {
        exports: 'Request.param() Request.allParams()',
        whole: true,
        object: true,
        link: 'https://sailsjs.com/documentation/reference/request-req/req-all-params',
      },
    ],
  },
  {
    package: '@feathersjs/feathers',
    link: 'https://feathersjs.com/api/hooks.html',
    sources: [
      {
        exports: 'HookContext.data HookContext.params.query',
        whole: true,
        object: true,
        link: 'https://feathersjs.com/api/hooks.html#hook-context',
      },
      {
        exports: 'HookContext.id HookContext.params.headers HookContext.params.route',
        link: 'https://feathersjs.com/api/services.html#params',
      },
      {
        exports: 'Params.query',
        whole: true,
        object: true,
        link: 'https://feathersjs.com/api/services.html#params',
      },
    ],
  },
  {
    package: '@apollo/server',
    link: 'https://www.apollographql.com/docs/apollo-server/api/apollo-server',
    sinks: [
      {
        exports: 'ApolloServer',
        kind: 'exposure',
        args: [],
        options: 'introspection',
        value: /^true$/,
        severity: 'low',
        link: '#introspection',
      },
      {
        exports: 'ApolloServer',
        kind: 'exposure',
        args: [],
        options: 'allowBatchedHttpRequests',
        value: /^true$/,
        severity: 'low',
        link: '#allowbatchedhttprequests',
      },
    ],
  },
  {
    package: 'apollo-server',
    link: 'https://www.apollographql.com/docs/apollo-server/v3/api/apollo-server',
    sinks: [
      {
        exports: 'ApolloServer',
        kind: 'exposure',
        args: [],
        options: 'cors.origin',
        value: /^true$/,
        when: 'cors.credentials',
        link: '#cors',
      },
      {
        exports: 'ApolloServer',
        kind: 'exposure',
        args: [],
        options: 'playground debug',
        value: /^true$/,
        severity: 'low',
        link: 'https://www.apollographql.com/docs/apollo-server/v2/api/apollo-server#playground',
      },
    ],
  },
  {
    package: 'mercurius',
    link: 'https://mercurius.dev/#/docs/api/options',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'graphiql',
        value: /^(?:true|playground)$/,
        severity: 'low',
      },
    ],
  },
  {
    package: 'express-graphql',
    link: 'https://github.com/graphql/express-graphql',
    sinks: [
      {
        exports: 'graphqlHTTP default',
        kind: 'exposure',
        args: [],
        options: 'graphiql',
        value: /^true$/,
        severity: 'low',
        link: '#options',
      },
    ],
  },
  {
    package: 'multer',
    link: 'https://github.com/expressjs/multer',
    sinks: [
      { exports: 'default', kind: 'path', args: [], options: 'dest', link: '#multeropts' },
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'preservePath',
        value: /^true$/,
        severity: 'high',
        link: '#multeropts',
      },
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'limits.fileSize',
        value: /^(?:Infinity|\d{10,})$/,
        severity: 'low',
        link: '#limits',
      },
    ],
  },
  {
    package: 'express-fileupload',
    link: 'https://github.com/richardgirges/express-fileupload',
    sinks: [
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'preserveExtension parseNested',
        value: /^true$/,
        severity: 'low',
        link: '#available-options',
      },
      {
        exports: 'default',
        kind: 'exposure',
        args: [],
        options: 'safeFileNames uriDecodeFileNames',
        value: /^(?:false)$/,
        severity: 'low',
        link: '#available-options',
      },
      {
        exports: 'default',
        kind: 'path',
        args: [],
        options: 'tempFileDir',
        link: '#using-useTempFiles-options',
      },
    ],
  },
  {
    package: 'formidable',
    link: 'https://github.com/node-formidable/formidable',
    receivers: 'form',
    sources: [
      { exports: '*.parse', callback: { parameter: 2 }, link: '#parserequest-callback' },
      { exports: '*.on', callback: { parameter: 1, event: 'file' }, link: '#file' },
    ],
  },
  {
    package: '@fastify/multipart',
    link: 'https://github.com/fastify/fastify-multipart',
    sources: [
      {
        exports: 'MultipartFile.filename MultipartFile.fields MultipartFile.fieldname',
        link: '#usage',
      },
      { exports: 'MultipartValue.value', link: '#handle-multiple-file-streams-and-fields' },
    ],
  },
  {
    package: 'graphql-upload',
    link: 'https://github.com/jaydenseric/graphql-upload',
    sources: [
      {
        exports: 'FileUpload.filename FileUpload.mimetype FileUpload.encoding',
        link: 'https://github.com/jaydenseric/graphql-upload/blob/master/processRequest.mjs',
      },
    ],
  },
  {
    package: 'skipper',
    link: 'https://github.com/sailshq/skipper',
    sinks: [
      {
        exports: '*.upload',
        kind: 'path',
        args: [],
        options: 'saveAs dirname',
        receivers: 'upstream',
        link: '#uploading-files-to-disk',
      },
    ],
  },
];
