import type { Package } from './line.ts';

/** Markdown, tools that rewrite markup, decoders, and sanitizers that are switched off. */
export const markupTools: readonly Package[] = [
  {
    package: 'snarkdown',
    link: 'https://github.com/developit/snarkdown#security',
    propagators: [{ exports: 'default' }],
  },
  {
    package: 'commonmark',
    link: 'https://github.com/commonmark/commonmark.js#a-note-on-security',
    propagators: [{ exports: '*.parse *.render', from: [0] }],
  },
  {
    package: 'markdown-it',
    link: 'https://github.com/markdown-it/markdown-it/blob/master/docs/security.md',
    sinks: [
      {
        exports: 'default',
        kind: 'escaping',
        options: 'html',
        value: /^true$/,
        severity: 'medium',
      },
      {
        exports: '*.set',
        kind: 'escaping',
        options: 'html',
        value: /^true$/,
        severity: 'medium',
        receivers: '',
        link: 'https://markdown-it.github.io/markdown-it/#MarkdownIt.set',
      },
    ],
  },
  {
    package: 'remarkable',
    link: 'https://github.com/jonschlinkert/remarkable#options',
    sinks: [
      {
        exports: 'Remarkable',
        kind: 'escaping',
        options: 'html',
        value: /^true$/,
        severity: 'medium',
      },
      {
        exports: '*.set',
        kind: 'escaping',
        options: 'html',
        value: /^true$/,
        severity: 'medium',
        receivers: '',
      },
    ],
  },
  {
    package: 'micromark',
    link: 'https://github.com/micromark/micromark#security',
    sinks: [
      {
        exports: 'micromark',
        kind: 'escaping',
        options: 'allowDangerousHtml',
        value: /^true$/,
        severity: 'medium',
      },
      {
        exports: 'micromark',
        kind: 'escaping',
        options: 'allowDangerousProtocol',
        value: /^true$/,
        severity: 'medium',
      },
    ],
  },
  {
    package: 'unified',
    link: 'https://github.com/unifiedjs/unified',
    sinks: [
      {
        exports: '*.use',
        kind: 'escaping',
        options: 'sanitize',
        value: /^false$/,
        severity: 'medium',
        link: 'https://github.com/remarkjs/remark-html#options',
      },
      {
        exports: '*.use',
        kind: 'escaping',
        options: 'allowDangerousHtml',
        value: /^true$/,
        severity: 'low',
        link: 'https://github.com/remarkjs/remark-rehype#options',
      },
    ],
  },
  {
    package: 'remark',
    link: 'https://github.com/remarkjs/remark',
    sinks: [
      {
        exports: '*.use',
        kind: 'escaping',
        options: 'sanitize',
        value: /^false$/,
        severity: 'medium',
        link: 'https://github.com/remarkjs/remark-html#options',
      },
    ],
  },
  {
    package: 'rehype',
    link: 'https://github.com/rehypejs/rehype',
    sinks: [
      {
        exports: '*.use',
        kind: 'escaping',
        options: 'allowDangerousHtml',
        value: /^true$/,
        severity: 'low',
        link: 'https://github.com/rehypejs/rehype/tree/main/packages/rehype-stringify#options',
      },
    ],
  },
  {
    package: '@asciidoctor/core',
    link: 'https://docs.asciidoctor.org/asciidoctor.js/latest/processor/convert-options',
    sinks: [
      {
        exports: '*.convert *.convertFile *.load *.loadFile',
        kind: 'exposure',
        options: 'safe',
        value: /^unsafe$/,
        link: 'https://docs.asciidoctor.org/asciidoctor.js/latest/processor/safe-modes/',
      },
      { exports: '*.convertFile *.loadFile', kind: 'path' },
    ],
  },
  {
    package: 'linkify-html',
    link: 'https://linkify.js.org/docs/linkify-html.html',
    propagators: [{ exports: 'default', from: [0] }],
  },
  {
    package: 'autolinker',
    link: 'https://github.com/gregjacobs/Autolinker.js',
    propagators: [{ exports: 'link *.link', from: [0] }],
  },
  {
    package: 'html-minifier',
    link: 'https://github.com/kangax/html-minifier',
    propagators: [{ exports: 'minify', from: [0] }],
  },
  {
    package: 'html-minifier-terser',
    link: 'https://github.com/terser/html-minifier-terser',
    propagators: [{ exports: 'minify', from: [0] }],
  },
  {
    package: 'juice',
    link: 'https://github.com/Automattic/juice',
    propagators: [{ exports: 'default inlineContent', from: [0] }],
  },
  {
    package: 'js-beautify',
    link: 'https://github.com/beautifier/js-beautify',
    propagators: [{ exports: 'html html_beautify', from: [0] }],
  },
  {
    package: 'he',
    link: 'https://github.com/mathiasbynens/he',
    sinks: [
      {
        exports: 'encode',
        kind: 'escaping',
        options: 'allowUnsafeSymbols',
        value: /^true$/,
        link: '#heencodetext-options',
      },
    ],
  },
  {
    package: 'html-entities',
    link: 'https://github.com/mdevils/html-entities#decodetext-options',
    propagators: [{ exports: 'decode decodeEntity', from: [0], decodes: true }],
  },
  {
    package: 'entities',
    link: 'https://github.com/fb55/entities',
    propagators: [
      { exports: 'decodeHTML decode decodeHTMLStrict decodeXML', from: [0], decodes: true },
    ],
  },
  {
    package: 'validator',
    link: 'https://github.com/validatorjs/validator.js#sanitizers',
    propagators: [
      { exports: 'unescape', from: [0], decodes: true },
      { exports: 'trim ltrim rtrim stripLow blacklist', from: [0] },
    ],
  },
  {
    package: 'lodash',
    link: 'https://lodash.com/docs/4.17.15#unescape',
    propagators: [{ exports: 'unescape', from: [0], decodes: true }],
  },
  {
    package: 'underscore',
    link: 'https://underscorejs.org/#unescape',
    propagators: [{ exports: 'unescape', from: [0], decodes: true }],
  },
  {
    package: 'dompurify',
    link: 'https://github.com/cure53/DOMPurify#can-i-configure-dompurify',
    aliases: 'DOMPurify',
    sinks: [
      {
        exports: 'sanitize',
        kind: 'escaping',
        options: 'ALLOW_UNKNOWN_PROTOCOLS',
        value: /^true$/,
        severity: 'medium',
      },
      {
        exports: 'sanitize',
        kind: 'escaping',
        options: 'SANITIZE_DOM',
        value: /^false$/,
        severity: 'low',
      },
      {
        exports: 'setConfig',
        kind: 'escaping',
        options: 'ALLOW_UNKNOWN_PROTOCOLS',
        value: /^true$/,
        severity: 'medium',
      },
    ],
  },
  {
    package: 'sanitize-html',
    link: 'https://github.com/apostrophecms/sanitize-html',
    sinks: [
      {
        exports: 'default',
        kind: 'escaping',
        options: 'allowedTags',
        value: /^false$/,
        severity: 'medium',
        link: '#what-if-i-want-to-allow-all-tags-or-all-attributes',
      },
      {
        exports: 'default',
        kind: 'escaping',
        options: 'allowedAttributes',
        value: /^false$/,
        severity: 'medium',
        link: '#what-if-i-want-to-allow-all-tags-or-all-attributes',
      },
      {
        exports: 'default',
        kind: 'escaping',
        options: 'allowVulnerableTags',
        value: /^true$/,
        severity: 'low',
      },
    ],
  },
];
