import { type SanitizerLine, USES, type Use } from './line.ts';

const HTML: readonly Use[] = ['html'];
const SQL: readonly Use[] = ['sql'];
const SHELL: readonly Use[] = ['command'];
const PATH: readonly Use[] = ['path'];
const REGEX: readonly Use[] = ['regex'];
const NODE = 'https://nodejs.org/api';
const MDN = 'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects';
const LODASH = 'https://lodash.com/docs';

/** Functions that make a text harmless for the uses named, and for no others. */
export const sanitizers: readonly SanitizerLine[] = [
  // Encodings of the language.
  {
    package: 'global',
    exports: 'encodeURIComponent',
    safeFor: ['html', 'path', 'url', 'redirect', 'regex'],
    link: `${MDN}/encodeURIComponent`,
  },
  { package: 'global', exports: 'encodeURI', safeFor: HTML, link: `${MDN}/encodeURI` },
  {
    package: 'global',
    exports: 'Number parseInt parseFloat BigInt Boolean isNaN isFinite',
    safeFor: USES,
    link: `${MDN}/Number`,
  },
  {
    package: 'Number',
    exports: 'parseInt parseFloat isInteger isSafeInteger isFinite isNaN',
    aliases: 'Number',
    safeFor: USES,
    link: `${MDN}/Number`,
  },
  {
    package: 'Math',
    exports: 'floor ceil round trunc abs sign sqrt min max',
    aliases: 'Math',
    safeFor: USES,
    link: `${MDN}/Math`,
  },
  { package: 'Date', exports: 'parse', aliases: 'Date', safeFor: USES, link: `${MDN}/Date/parse` },

  // Node.
  {
    package: 'path',
    exports: 'basename extname',
    aliases: 'path nodePath',
    safeFor: PATH,
    link: `${NODE}/path.html#pathbasenamepath-suffix`,
  },
  {
    package: 'querystring',
    exports: 'escape',
    aliases: 'querystring qs',
    safeFor: ['html', 'path', 'url', 'redirect', 'regex'],
    link: `${NODE}/querystring.html#querystringescapestr`,
  },

  // HTML.
  {
    package: 'he',
    exports: 'encode escape',
    aliases: 'he',
    safeFor: HTML,
    link: 'https://github.com/mathiasbynens/he#heencodetext-options',
  },
  {
    package: 'dompurify',
    exports: 'sanitize',
    aliases: 'DOMPurify dompurify purify',
    safeFor: HTML,
    link: 'https://github.com/cure53/DOMPurify#how-do-i-use-it',
  },
  {
    package: 'isomorphic-dompurify',
    exports: 'sanitize',
    safeFor: HTML,
    link: 'https://github.com/kkomelin/isomorphic-dompurify#usage',
  },
  {
    package: 'sanitize-html',
    exports: 'default',
    safeFor: HTML,
    link: 'https://github.com/apostrophecms/sanitize-html#how-to-use',
  },
  {
    package: 'xss',
    exports: 'default filterXSS process',
    aliases: 'xss',
    safeFor: HTML,
    link: 'https://github.com/leizongmin/js-xss#usages',
  },
  {
    package: 'escape-html',
    exports: 'default',
    safeFor: HTML,
    link: 'https://github.com/component/escape-html#api',
  },
  {
    package: 'html-escaper',
    exports: 'escape',
    safeFor: HTML,
    link: 'https://github.com/WebReflection/html-escaper#html-escaper',
  },
  {
    package: 'html-entities',
    exports: 'encode',
    aliases: 'entities htmlEntities',
    safeFor: HTML,
    link: 'https://github.com/mdevils/html-entities#encodetext-options',
  },
  {
    package: 'entities',
    exports: 'encode encodeHTML encodeXML encodeNonAsciiHTML escapeUTF8 escapeText',
    aliases: 'entities',
    safeFor: HTML,
    link: 'https://github.com/fb55/entities#how-to',
  },
  {
    package: 'striptags',
    exports: 'default',
    safeFor: HTML,
    link: 'https://github.com/ericnorris/striptags#usage',
  },
  {
    package: 'lodash',
    exports: 'escape',
    aliases: '_ lodash',
    safeFor: HTML,
    link: `${LODASH}/#escape`,
  },
  {
    package: 'lodash-es',
    exports: 'escape',
    safeFor: HTML,
    link: `${LODASH}/#escape`,
  },
  {
    package: 'underscore',
    exports: 'escape',
    safeFor: HTML,
    link: 'https://underscorejs.org/#escape',
  },
  {
    package: 'validator',
    exports: 'escape',
    aliases: 'validator',
    safeFor: HTML,
    link: 'https://github.com/validatorjs/validator.js#sanitizers',
  },
  {
    package: 'handlebars',
    exports: 'escapeExpression Utils.escapeExpression',
    aliases: 'Handlebars handlebars',
    safeFor: HTML,
    link: 'https://handlebarsjs.com/api-reference/utilities.html',
  },
  {
    package: 'mustache',
    exports: 'escape',
    aliases: 'Mustache mustache',
    safeFor: HTML,
    link: 'https://github.com/janl/mustache.js#variables',
  },
  {
    package: 'ejs',
    exports: 'escapeXML',
    aliases: 'ejs',
    safeFor: HTML,
    link: 'https://ejs.co/#docs',
  },
  {
    package: '@hapi/hoek',
    exports: 'escapeHtml',
    aliases: 'Hoek hoek',
    safeFor: HTML,
    link: 'https://hapi.dev/module/hoek/api/#escapehtmlstring',
  },

  // Shells.
  {
    package: 'shell-quote',
    exports: 'quote',
    aliases: 'shellQuote shellquote',
    safeFor: SHELL,
    link: 'https://github.com/ljharb/shell-quote#quoteargs',
  },
  {
    package: 'shell-escape',
    exports: 'default',
    safeFor: SHELL,
    link: 'https://github.com/xxorax/node-shell-escape#example',
  },
  {
    package: 'shellwords',
    exports: 'escape',
    aliases: 'shellwords',
    safeFor: SHELL,
    link: 'https://github.com/jimmycuadra/shellwords#usage',
  },
  {
    package: 'shescape',
    exports: 'quote quoteAll',
    safeFor: SHELL,
    link: 'https://github.com/ericcornelissen/shescape#usage',
  },
  {
    package: 'zx',
    exports: 'quote quotePowerShell',
    safeFor: SHELL,
    link: 'https://google.github.io/zx/quotes',
  },

  // SQL.
  {
    package: 'mysql',
    exports: 'escape escapeId format',
    aliases: 'mysql db pool conn connection',
    safeFor: SQL,
    link: 'https://github.com/mysqljs/mysql#escaping-query-values',
  },
  {
    package: 'mysql2',
    exports: 'escape escapeId format',
    safeFor: SQL,
    link: 'https://sidorares.github.io/node-mysql2/docs',
  },
  {
    package: 'sqlstring',
    exports: 'escape escapeId format',
    aliases: 'SqlString sqlstring',
    safeFor: SQL,
    link: 'https://github.com/mysqljs/sqlstring#escaping-query-values',
  },
  {
    package: 'pg',
    exports: 'escapeLiteral escapeIdentifier',
    aliases: 'pg client pool db pgClient',
    safeFor: SQL,
    link: 'https://node-postgres.com/apis/utilities',
  },
  {
    package: 'pg-format',
    exports: 'literal ident quoteLiteral quoteIdent',
    aliases: 'pgFormat',
    safeFor: SQL,
    link: 'https://github.com/datalanche/node-pg-format#functions',
  },
  {
    package: 'sequelize',
    exports: 'escape',
    aliases: 'sequelize',
    safeFor: SQL,
    link: 'https://sequelize.org/api/v6/class/src/sequelize.js~sequelize#instance-method-escape',
  },
  {
    package: 'express-mongo-sanitize',
    exports: 'sanitize',
    aliases: 'mongoSanitize',
    safeFor: SQL,
    link: 'https://github.com/fiznool/express-mongo-sanitize#how-to-use',
  },
  {
    package: 'mongo-sanitize',
    exports: 'default',
    safeFor: SQL,
    link: 'https://github.com/vkarpov15/mongo-sanitize#readme',
  },

  // Names of files, regular expressions, slugs.
  {
    package: 'sanitize-filename',
    exports: 'default',
    safeFor: PATH,
    link: 'https://github.com/parshap/node-sanitize-filename#api',
  },
  {
    package: 'lodash',
    exports: 'escapeRegExp',
    aliases: '_ lodash',
    safeFor: REGEX,
    link: `${LODASH}/#escapeRegExp`,
  },
  {
    package: 'lodash-es',
    exports: 'escapeRegExp',
    safeFor: REGEX,
    link: `${LODASH}/#escapeRegExp`,
  },
  {
    package: 'lodash',
    exports: 'toNumber toInteger kebabCase snakeCase camelCase',
    aliases: '_ lodash',
    safeFor: USES,
    link: `${LODASH}/#kebabCase`,
  },
  {
    package: 'escape-string-regexp',
    exports: 'default',
    safeFor: REGEX,
    link: 'https://github.com/sindresorhus/escape-string-regexp#usage',
  },
  {
    package: '@sindresorhus/slugify',
    exports: 'default',
    safeFor: USES,
    link: 'https://github.com/sindresorhus/slugify#usage',
  },
  {
    package: 'validator',
    exports: 'toInt toFloat toBoolean toDate',
    aliases: 'validator',
    safeFor: USES,
    link: 'https://github.com/validatorjs/validator.js#sanitizers',
  },

  // Digests: hexadecimal or base64 whatever goes in.
  {
    package: 'bcrypt',
    exports: 'hash hashSync',
    aliases: 'bcrypt',
    safeFor: ['html', 'sql', 'command', 'url', 'redirect', 'key'],
    link: 'https://github.com/kelektiv/node.bcrypt.js#api',
  },
  {
    package: 'bcryptjs',
    exports: 'hash hashSync',
    safeFor: ['html', 'sql', 'command', 'url', 'redirect', 'key'],
    link: 'https://github.com/dcodeIO/bcrypt.js#usage',
  },
  {
    package: 'md5',
    exports: 'default',
    safeFor: USES,
    link: 'https://github.com/pvorb/node-md5#api',
  },
  { package: 'uuid', exports: 'v3 v5', safeFor: USES, link: 'https://github.com/uuidjs/uuid#api' },
];
