import type { Package } from './line.ts';

const FILTERS =
  '*.find *.findOne *.findOneAndUpdate *.findOneAndDelete *.findOneAndReplace *.updateOne ' +
  '*.updateMany *.deleteOne *.deleteMany *.replaceOne *.countDocuments';

/** Document stores, key-value stores, graphs and search engines. */
export const documentStores: readonly Package[] = [
  {
    package: 'mongodb',
    link: 'https://mongodb.github.io/node-mongodb-native/6.0/classes/Collection.html',
    sinks: [
      { exports: FILTERS, kind: 'filter', link: '#find' },
      { exports: '*.distinct', kind: 'filter', args: [1], link: '#distinct' },
      { exports: '*.aggregate', kind: 'filter', link: '#aggregate' },
      { exports: '*.command *.runCommand', kind: 'filter' },
      { exports: '*.updateOne *.updateMany *.findOneAndUpdate', kind: 'fields', args: [1] },
      { exports: '*.insertOne *.insertMany *.replaceOne', kind: 'fields', args: [0, 1] },
      {
        exports: '$regex',
        how: 'property',
        kind: 'regex',
        severity: 'medium',
        link: 'https://www.mongodb.com/docs/manual/reference/operator/query/regex',
      },
      {
        exports: '$match',
        how: 'property',
        kind: 'filter',
        link: 'https://www.mongodb.com/docs/manual/reference/operator/aggregation/match',
      },
      {
        exports: '$where $function $accumulator',
        how: 'property',
        kind: 'script',
        link: 'https://www.mongodb.com/docs/manual/reference/operator/query/where',
      },
      { exports: '*.mapReduce *.group', kind: 'script', args: [0, 1], versions: '<5' },
      { exports: '*.eval', kind: 'script', versions: '<4' },
      { exports: '*.collection', kind: 'query', severity: 'low' },
      { exports: 'MongoClient MongoClient.connect', kind: 'host' },
    ],
  },
  {
    package: 'mongoose',
    link: 'https://mongoosejs.com/docs/api/query.html',
    receivers: 'mongoose',
    sinks: [
      { exports: '*.$where', kind: 'script', link: '#Query.prototype.$where()' },
      { exports: '*.aggregate', kind: 'filter', receivers: '' },
      { exports: '*.findByIdAndUpdate *.findOneAndUpdate', kind: 'fields', args: [1], free: true },
      {
        exports: 'connect createConnection',
        kind: 'host',
        link: 'https://mongoosejs.com/docs/connections.html',
      },
    ],
  },
  {
    package: 'monk',
    link: 'https://automattic.github.io/monk',
    sinks: [
      { exports: '*.find *.findOne *.update *.remove *.findOneAndUpdate *.count', kind: 'filter' },
    ],
  },
  {
    package: 'mongojs',
    link: 'https://github.com/mongo-js/mongojs',
    sinks: [
      { exports: '*.find *.findOne *.update *.remove *.findAndModify *.count', kind: 'filter' },
    ],
  },
  {
    package: 'mongoist',
    link: 'https://github.com/mongoist/mongoist',
    sinks: [{ exports: '*.find *.findOne *.update *.remove *.findAsCursor', kind: 'filter' }],
  },
  {
    package: 'nedb',
    link: 'https://github.com/louischatriot/nedb',
    sinks: [
      {
        exports: '*.find *.findOne *.update *.remove *.count',
        kind: 'filter',
        link: '#finding-documents',
      },
      { exports: 'default', kind: 'path', args: [0], options: 'filename' },
    ],
  },
  {
    package: '@seald-io/nedb',
    link: 'https://github.com/seald/nedb',
    sinks: [
      { exports: '*.findAsync *.findOneAsync *.updateAsync *.removeAsync *.find', kind: 'filter' },
    ],
  },
  {
    package: 'nano',
    link: 'https://github.com/apache/couchdb-nano',
    sinks: [
      { exports: '*.find', kind: 'filter', args: [0], options: 'selector' },
      { exports: '*.use *.scope', kind: 'query', severity: 'low' },
      { exports: 'default', kind: 'host', args: [0], options: 'url' },
    ],
  },
  {
    package: 'pouchdb',
    link: 'https://pouchdb.com/api.html',
    sinks: [
      { exports: '*.find', kind: 'filter', options: 'selector', link: '#query_index' },
      { exports: 'default', kind: 'host', link: '#create_database' },
      { exports: '*.query', kind: 'script', link: '#query_database' },
    ],
  },
  {
    package: 'lokijs',
    link: 'https://github.com/techfort/LokiJS/wiki/Query-Examples',
    sinks: [
      { exports: '*.find *.findOne *.findAndRemove *.chain.find', kind: 'filter' },
      { exports: 'default', kind: 'path' },
    ],
  },
  {
    package: 'couchbase',
    link: 'https://docs.couchbase.com/nodejs-sdk/current/howtos/n1ql-queries-with-sdk.html',
    sinks: [
      { exports: '*.query', kind: 'sql' },
      { exports: '*.analyticsQuery', kind: 'sql' },
    ],
  },
  {
    package: '@azure/cosmos',
    link: 'https://learn.microsoft.com/javascript/api/@azure/cosmos/items',
    sinks: [{ exports: '*.query', kind: 'sql', args: [0], options: 'query' }],
  },
  {
    package: '@aws-sdk/client-dynamodb',
    link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/client/dynamodb',
    sinks: [
      { exports: 'ExecuteStatementCommand *.executeStatement', kind: 'sql', options: 'Statement' },
      {
        exports: 'ScanCommand QueryCommand *.scan *.query',
        kind: 'query',
        options: 'FilterExpression KeyConditionExpression ProjectionExpression',
      },
      {
        exports: 'UpdateItemCommand *.updateItem',
        kind: 'query',
        options: 'UpdateExpression ConditionExpression',
      },
      {
        exports: 'GetItemCommand PutItemCommand',
        kind: 'query',
        options: 'TableName',
        severity: 'low',
      },
    ],
  },
  {
    package: '@aws-sdk/lib-dynamodb',
    link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/Package/-aws-sdk-lib-dynamodb',
    sinks: [
      {
        exports: 'ScanCommand QueryCommand UpdateCommand',
        kind: 'query',
        options: 'FilterExpression KeyConditionExpression UpdateExpression',
      },
      { exports: 'PutCommand', kind: 'fields', options: 'Item' },
    ],
  },
  {
    package: 'redis',
    link: 'https://github.com/redis/node-redis',
    receivers: 'redis redisClient',
    sinks: [
      { exports: '*.eval *.scriptLoad', kind: 'script', link: '#lua-scripts' },
      { exports: '*.sendCommand', kind: 'query', receivers: '' },
      { exports: '*.search', kind: 'query', args: [1], receivers: '' },
      { exports: 'createClient', kind: 'host', args: [], options: 'url socket.host' },
    ],
  },
  {
    package: 'ioredis',
    link: 'https://redis.github.io/ioredis/classes/Redis.html',
    receivers: 'redis',
    sinks: [
      { exports: '*.eval *.script', kind: 'script', link: '#eval' },
      { exports: '*.call *.sendCommand', kind: 'query', link: '#call', receivers: '' },
      { exports: 'default Redis', kind: 'host', args: [0], options: 'host path' },
    ],
  },
  {
    package: '@upstash/redis',
    link: 'https://upstash.com/docs/redis/sdks/ts',
    sinks: [{ exports: '*.eval *.scriptLoad *.evalRo', kind: 'script' }],
  },
  {
    package: 'neo4j-driver',
    link: 'https://neo4j.com/docs/api/javascript-driver/current',
    receivers: 'neo4j',
    sinks: [
      { exports: '*.run', kind: 'query', args: [0], options: 'text', receivers: '' },
      { exports: '*.executeQuery', kind: 'query', receivers: 'driver' },
    ],
  },
  {
    package: 'arangojs',
    link: 'https://arangodb.github.io/arangojs',
    sinks: [
      { exports: '*.query', kind: 'query', args: [0], options: 'query' },
      { exports: 'aql.literal aql.join', kind: 'query' },
    ],
  },
  {
    package: 'gremlin',
    link: 'https://tinkerpop.apache.org/docs/current/reference/#gremlin-javascript',
    sinks: [{ exports: '*.submit', kind: 'script' }],
  },
  {
    package: 'orientjs',
    link: 'https://orientdb.dev/docs/3.0.x/orientjs/OrientJS-Query.html',
    sinks: [{ exports: '*.query *.exec *.command', kind: 'sql' }],
  },
  {
    package: 'surrealdb',
    link: 'https://surrealdb.com/docs/sdk/javascript/methods/query',
    sinks: [{ exports: '*.query *.queryRaw', kind: 'query' }],
  },
  {
    package: '@elastic/elasticsearch',
    link: 'https://www.elastic.co/docs/reference/elasticsearch/clients/javascript',
    sinks: [
      {
        exports: '*.search *.updateByQuery *.update',
        kind: 'script',
        options: 'body.script.source script.source script',
      },
      {
        exports: '*.search',
        kind: 'query',
        options: 'q body.query.query_string.query query.query_string.query',
      },
      { exports: '*.query', kind: 'sql', options: 'query body.query' },
      { exports: '*.search *.get *.delete', kind: 'query', options: 'index', severity: 'low' },
    ],
  },
  {
    package: '@opensearch-project/opensearch',
    link: 'https://docs.opensearch.org/latest/clients/javascript',
    sinks: [
      { exports: '*.search', kind: 'query', options: 'body.query.query_string.query q' },
      { exports: '*.updateByQuery', kind: 'script', options: 'body.script.source' },
    ],
  },
  {
    package: 'meilisearch',
    link: 'https://www.meilisearch.com/docs/reference/api/search',
    sinks: [{ exports: '*.search', kind: 'query', options: 'filter' }],
  },
  {
    package: 'algoliasearch',
    link: 'https://www.algolia.com/doc/api-reference/api-parameters/filters',
    sinks: [
      {
        exports: '*.search *.searchSingleIndex',
        kind: 'query',
        options: 'filters searchParams.filters',
      },
    ],
  },
  {
    package: 'typesense',
    link: 'https://typesense.org/docs/latest/api/search.html',
    sinks: [{ exports: '*.search', kind: 'query', options: 'filter_by' }],
  },
  {
    package: 'solr-client',
    link: 'https://github.com/lbdremy/solr-node-client',
    sinks: [
      { exports: '*.search *.get', kind: 'query' },
      { exports: '*.delete *.deleteByQuery', kind: 'query', args: [0, 1] },
    ],
  },
  {
    package: 'rethinkdb',
    link: 'https://rethinkdb.com/api/javascript/js',
    sinks: [
      { exports: 'js *.js', kind: 'script' },
      { exports: '*.filter', kind: 'filter' },
    ],
  },
  {
    package: 'firebase-admin',
    link: 'https://firebase.google.com/docs/reference/admin/node',
    sinks: [
      { exports: '*.ref *.child', kind: 'query', severity: 'low' },
      { exports: '*.doc *.collection', kind: 'query', severity: 'low' },
      { exports: '*.set *.add *.update', kind: 'fields' },
    ],
  },
  {
    package: '@google-cloud/firestore',
    link: 'https://cloud.google.com/nodejs/docs/reference/firestore/latest',
    sinks: [
      { exports: '*.doc *.collection *.collectionGroup', kind: 'query', severity: 'low' },
      { exports: '*.set *.add *.create', kind: 'fields' },
    ],
  },
  {
    package: 'graphql',
    link: 'https://graphql.org/graphql-js/graphql',
    sinks: [{ exports: 'graphql graphqlSync', kind: 'query', args: [1], options: 'source' }],
  },
  {
    package: 'graphql-request',
    link: 'https://github.com/graffle-js/graffle/tree/graphql-request',
    sinks: [
      { exports: '*.request *.rawRequest', kind: 'query', args: [0], options: 'document query' },
      { exports: 'request', kind: 'request', args: [0], options: 'url' },
    ],
  },
  {
    package: 'ldapjs',
    link: 'https://github.com/ldapjs/node-ldapjs/blob/master/docs/client.md',
    receivers: 'ldap ldapClient',
    sinks: [
      { exports: '*.search', kind: 'ldap', options: 'filter', link: '#search' },
      { exports: '*.search *.bind *.del *.modify', kind: 'ldap', link: '#bind' },
      { exports: 'createClient', kind: 'host', options: 'url' },
      { exports: 'parseFilter', kind: 'ldap' },
    ],
  },
  {
    package: 'ldapts',
    link: 'https://github.com/ldapts/ldapts',
    sinks: [
      { exports: '*.search', kind: 'ldap', args: [0], options: 'filter' },
      { exports: '*.bind *.del *.modify', kind: 'ldap' },
    ],
  },
  {
    package: 'activedirectory',
    link: 'https://github.com/gheeres/node-activedirectory',
    sinks: [
      {
        exports: '*.find *.findUsers *.findGroups *.findDeletedObjects',
        kind: 'ldap',
        args: [0],
        options: 'filter',
      },
      { exports: '*.authenticate *.findUser *.userExists', kind: 'ldap' },
    ],
  },
];
