import type { Package } from './line.ts';

/** Readers of other formats: those that run what they read, make objects of it or load entities. */
export const readers: readonly Package[] = [
  {
    package: 'node-serialize',
    link: 'https://github.com/luin/serialize',
    sinks: [{ exports: 'unserialize', kind: 'deserialise', link: '#security' }],
  },
  {
    package: 'serialize-to-js',
    link: 'https://github.com/commenthol/serialize-to-js',
    sinks: [{ exports: 'deserialize', kind: 'deserialise' }],
  },
  {
    package: 'funcster',
    link: 'https://github.com/jeffomatic/funcster',
    sinks: [{ exports: 'deepDeserialize deserialize', kind: 'deserialise' }],
  },
  {
    package: 'cryo',
    link: 'https://github.com/hunterloftis/cryo',
    sinks: [{ exports: 'parse', kind: 'deserialise' }],
  },
  {
    package: 'serialijse',
    link: 'https://github.com/erossignon/serialijse',
    sinks: [{ exports: 'deserialize deserializeZ', kind: 'deserialise' }],
  },
  {
    package: 'jsonfn',
    link: 'https://github.com/vkiryukhin/jsonfn',
    sinks: [{ exports: 'parse JSONfn.parse', kind: 'deserialise' }],
  },
  {
    package: 'php-unserialize',
    link: 'https://github.com/naholyr/js-php-unserialize',
    sinks: [{ exports: 'unserialize unserializeSession', kind: 'objects' }],
  },
  {
    package: 'php-serialize',
    link: 'https://github.com/steelbrain/php-serialize',
    sinks: [{ exports: 'unserialize', kind: 'objects' }],
  },
  {
    package: 'v8',
    link: 'https://nodejs.org/api/v8.html',
    sinks: [
      { exports: 'deserialize Deserializer', kind: 'objects', link: '#v8deserializebuffer' },
      { exports: 'setFlagsFromString', kind: 'program', link: '#v8setflagsfromstringflags' },
    ],
  },
  {
    package: 'bson',
    link: 'https://github.com/mongodb/js-bson',
    sinks: [{ exports: 'deserialize *.deserialize', kind: 'deserialise', when: 'evalFunctions' }],
  },
  {
    package: 'js-yaml',
    link: 'https://github.com/nodeca/js-yaml',
    versions: '<4',
    sinks: [
      {
        exports: 'load loadAll',
        kind: 'objects',
        unless: 'schema',
        link: '/tree/3.14.1#load-string---options-',
      },
    ],
  },
  {
    package: 'yamljs',
    link: 'https://github.com/jeremyfa/yaml.js',
    sinks: [
      { exports: 'load parseFile', kind: 'path' },
      { exports: 'parse', kind: 'format', severity: 'low' },
    ],
  },
  {
    package: 'libxmljs',
    link: 'https://github.com/libxmljs/libxmljs/wiki',
    sinks: [
      { exports: 'parseXml parseXmlString parseXmlAsync', kind: 'entities', when: 'noent' },
      { exports: 'parseHtml parseHtmlString parseXml', kind: 'entities', when: 'dtdload' },
      { exports: '*.find *.get', kind: 'xpath', link: '/Element' },
      { exports: 'SaxParser.parseString SaxPushParser.push', kind: 'entities', severity: 'medium' },
    ],
  },
  {
    package: 'libxmljs2',
    link: 'https://github.com/marudor/libxmljs2',
    sinks: [
      { exports: 'parseXml parseXmlString', kind: 'entities', when: 'noent' },
      { exports: '*.find *.get', kind: 'xpath' },
    ],
  },
  {
    package: 'libxmljs-mt',
    link: 'https://github.com/gagern/nodejs-libxmljs-mt',
    sinks: [{ exports: 'parseXml parseXmlAsync', kind: 'entities', when: 'noent' }],
  },
  {
    package: 'node-expat',
    link: 'https://github.com/xmppo/node-expat',
    sinks: [{ exports: '*.write *.parse *.end', kind: 'entities', severity: 'high' }],
  },
  {
    package: 'libxslt',
    link: 'https://github.com/albanm/node-libxslt',
    sinks: [
      { exports: 'parse parseFile', kind: 'code', severity: 'high' },
      { exports: '*.applyToFile *.applyToString', kind: 'entities', severity: 'high' },
    ],
  },
  {
    package: 'xslt-processor',
    link: 'https://github.com/DesignLiquido/xslt-processor',
    sinks: [{ exports: '*.xsltProcess', kind: 'code', args: [1], severity: 'medium' }],
  },
  {
    package: 'saxon-js',
    link: 'https://www.saxonica.com/saxon-js/documentation3/index.html',
    sinks: [
      { exports: 'transform', kind: 'request', options: 'stylesheetLocation sourceLocation' },
      { exports: 'XPath.evaluate', kind: 'xpath' },
    ],
  },
  {
    package: 'xpath',
    link: 'https://github.com/goto100/xpath/blob/master/docs/xpath%20methods.md',
    aliases: 'xpath',
    sinks: [
      { exports: 'select select1 evaluate selectWithResolver', kind: 'xpath' },
      { exports: 'parse createExpression', kind: 'xpath', link: '/../parsed%20expressions.md' },
      { exports: 'useNamespaces()', kind: 'xpath', severity: 'medium' },
    ],
  },
  {
    package: 'xpath-ts',
    link: 'https://github.com/backslash47/xpath-ts',
    sinks: [{ exports: 'select select1 parse', kind: 'xpath' }],
  },
  {
    package: 'fontoxpath',
    link: 'https://github.com/FontoXML/fontoxpath',
    sinks: [{ exports: 'evaluateXPath evaluateXPathToNodes evaluateXPathToString', kind: 'xpath' }],
  },
  {
    package: 'soap',
    link: 'https://github.com/vpulim/node-soap',
    sinks: [{ exports: 'createClient createClientAsync', kind: 'request' }],
  },
  {
    package: 'xml-crypto',
    link: 'https://github.com/node-saml/xml-crypto',
    sinks: [
      {
        exports: 'SignedXml',
        kind: 'hash',
        options: 'signatureAlgorithm',
        value: /rsa-sha1|hmac-sha1/,
        severity: 'medium',
      },
    ],
  },
  {
    package: 'protobufjs',
    link: 'https://protobufjs.github.io/protobuf.js',
    versions: '<7.2.5',
    sinks: [
      { exports: 'parse', kind: 'merge', severity: 'medium' },
      { exports: 'load loadSync', kind: 'path' },
    ],
  },
  {
    package: 'class-transformer',
    link: 'https://github.com/typestack/class-transformer',
    sinks: [
      {
        exports: 'plainToClassFromExist plainToInstance',
        kind: 'fields',
        args: [1],
        severity: 'low',
      },
    ],
  },
];
