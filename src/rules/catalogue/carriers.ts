import type { Package } from './line.ts';

/** Functions that hand data on: parsers, formatters, renderers and loops of known libraries. */
export const carriers: readonly Package[] = [
  {
    package: 'async',
    link: 'https://caolan.github.io/async/v3/docs.html',
    aliases: 'async',
    propagators: [
      { exports: 'each eachSeries eachLimit forEach', callback: 0, from: [0], link: '#each' },
      { exports: 'map mapSeries filter concat', callback: 0, from: [0], link: '#map' },
      { exports: 'reduce transform', callback: 1, from: [0], link: '#reduce' },
    ],
  },
  {
    package: 'bluebird',
    link: 'https://bluebirdjs.com/docs/api-reference.html',
    propagators: [
      {
        exports: 'map each mapSeries filter',
        callback: 0,
        from: [0],
        link: 'https://bluebirdjs.com/docs/api/promise.map.html',
      },
      {
        exports: 'resolve all props',
        from: [0],
        link: 'https://bluebirdjs.com/docs/api/promise.resolve.html',
      },
    ],
  },
  {
    package: 'p-map',
    link: 'https://github.com/sindresorhus/p-map',
    propagators: [{ exports: 'default', callback: 0, from: [0] }],
  },
  {
    package: 'sprintf-js',
    link: 'https://github.com/alexei/sprintf.js',
    propagators: [
      { exports: 'sprintf', link: '#format-specification' },
      { exports: 'vsprintf', from: [0, 1] },
    ],
  },
  {
    package: 'string-format',
    link: 'https://github.com/davidchambers/string-format',
    propagators: [{ exports: 'default' }],
  },
  {
    package: 'string-template',
    link: 'https://github.com/Matt-Esch/string-template',
    propagators: [{ exports: 'default', from: [0, 1] }],
  },
  {
    package: 'common-tags',
    link: 'https://github.com/zspecza/common-tags',
    propagators: [{ exports: 'oneLine stripIndent stripIndents html oneLineTrim', from: [0] }],
  },
  {
    package: 'dedent',
    link: 'https://github.com/dmnd/dedent',
    propagators: [{ exports: 'default', from: [0] }],
  },
  {
    package: 'qs',
    link: 'https://github.com/ljharb/qs',
    propagators: [
      { exports: 'parse', from: [0], whole: true, link: '#parsing-objects' },
      { exports: 'stringify', from: [0], link: '#stringifying' },
    ],
  },
  {
    package: 'query-string',
    link: 'https://github.com/sindresorhus/query-string',
    propagators: [
      { exports: 'default.parse parse parseUrl', from: [0], whole: true },
      { exports: 'stringify stringifyUrl extract', from: [0] },
    ],
  },
  {
    package: 'json5',
    link: 'https://github.com/json5/json5',
    propagators: [{ exports: 'parse', from: [0], whole: true, link: '#json5parse' }],
  },
  {
    package: 'flatted',
    link: 'https://github.com/WebReflection/flatted',
    propagators: [{ exports: 'parse', from: [0], whole: true }],
  },
  {
    package: 'superjson',
    link: 'https://github.com/flightcontrolhq/superjson',
    propagators: [{ exports: 'parse deserialize', from: [0], whole: true }],
  },
  {
    package: 'yaml',
    link: 'https://eemeli.org/yaml',
    propagators: [{ exports: 'parse parseDocument', from: [0], whole: true, link: '#yaml-parse' }],
  },
  {
    package: 'js-yaml',
    link: 'https://github.com/nodeca/js-yaml',
    propagators: [
      { exports: 'load safeLoad loadAll', from: [0], whole: true, link: '#load-string---options-' },
    ],
  },
  {
    package: 'ini',
    link: 'https://github.com/npm/ini',
    propagators: [{ exports: 'parse decode', from: [0], whole: true }],
  },
  {
    package: 'smol-toml',
    link: 'https://github.com/squirrelchat/smol-toml',
    propagators: [{ exports: 'parse', from: [0], whole: true }],
  },
  {
    package: 'csv-parse',
    link: 'https://csv.js.org/parse/api/sync',
    propagators: [{ exports: 'parse', from: [0], whole: true }],
  },
  {
    package: 'papaparse',
    link: 'https://www.papaparse.com/docs',
    propagators: [{ exports: 'parse', from: [0], whole: true, link: '#strings' }],
  },
  {
    package: 'fast-xml-parser',
    link: 'https://github.com/NaturalIntelligence/fast-xml-parser',
    propagators: [{ exports: 'XMLParser.parse', from: [0], whole: true }],
  },
  {
    package: 'xml2js',
    link: 'https://github.com/Leonidas-from-XIV/node-xml2js',
    propagators: [
      { exports: 'parseString *.parseString', callback: 1, from: [0] },
      { exports: 'parseStringPromise *.parseStringPromise', from: [0], whole: true },
    ],
  },
  {
    package: 'gray-matter',
    link: 'https://github.com/jonschlinkert/gray-matter',
    propagators: [{ exports: 'default', from: [0], whole: true }],
  },
  {
    package: 'marked',
    link: 'https://marked.js.org',
    aliases: 'marked',
    propagators: [{ exports: 'default marked parse parseInline', from: [0], link: '/#usage' }],
  },
  {
    package: 'markdown-it',
    link: 'https://github.com/markdown-it/markdown-it',
    propagators: [{ exports: '*.render *.renderInline', from: [0] }],
  },
  {
    package: 'showdown',
    link: 'https://github.com/showdownjs/showdown',
    propagators: [{ exports: '*.makeHtml', from: [0] }],
  },
  {
    package: 'he',
    link: 'https://github.com/mathiasbynens/he',
    propagators: [
      { exports: 'decode unescape', from: [0], decodes: true, link: '#hedecodehtml-options' },
    ],
  },
  {
    package: 'iconv-lite',
    link: 'https://github.com/pillarjs/iconv-lite',
    propagators: [{ exports: 'decode encode', from: [0], decodes: true }],
  },
  {
    package: 'js-base64',
    link: 'https://github.com/dankogai/js-base64',
    propagators: [{ exports: 'decode Base64.decode fromBase64 atob', from: [0], decodes: true }],
  },
  {
    package: 'url-join',
    link: 'https://github.com/jfromaniello/url-join',
    propagators: [{ exports: 'default' }],
  },
  {
    package: 'upath',
    link: 'https://github.com/anodynos/upath',
    propagators: [{ exports: 'join joinSafe toUnix normalizeTrim resolve' }],
  },
  {
    package: 'change-case',
    link: 'https://github.com/blakeembrey/change-case',
    propagators: [{ exports: 'sentenceCase noCase capitalCase', from: [0] }],
  },
  {
    package: 'raw-body',
    link: 'https://github.com/stream-utils/raw-body',
    sources: [{ exports: 'default()', object: true }],
  },
  {
    package: 'co-body',
    link: 'https://github.com/cojs/co-body',
    sources: [
      { exports: 'default() json()', whole: true },
      { exports: 'form()', whole: true },
      { exports: 'text()' },
    ],
  },
  {
    package: 'stream/consumers',
    link: 'https://nodejs.org/api/webstreams.html#utility-consumers',
    propagators: [{ exports: 'text json buffer', from: [0], whole: true }],
  },
];
