import type { Package } from './line.ts';

/** Handlebars and other engines whose templates hold little code. */
export const mustacheEngines: readonly Package[] = [
  {
    package: 'handlebars',
    link: 'https://handlebarsjs.com/api-reference/compilation.html',
    aliases: 'Handlebars handlebars',
    sinks: [
      { exports: 'compile precompile', kind: 'template' },
      {
        exports: 'SafeString',
        kind: 'markup',
        link: 'https://handlebarsjs.com/api-reference/utilities.html#handlebars-safestring-string',
      },
      {
        exports: 'compile',
        kind: 'escaping',
        options: 'noEscape',
        value: /^true$/,
        severity: 'medium',
      },
      {
        exports: 'compile()',
        kind: 'exposure',
        options: 'allowProtoMethodsByDefault allowProtoPropertiesByDefault',
        value: /^true$/,
        link: 'https://handlebarsjs.com/api-reference/runtime-options.html',
      },
      {
        exports: 'registerPartial',
        kind: 'template',
        args: [1],
        severity: 'high',
        link: 'https://handlebarsjs.com/api-reference/runtime.html',
      },
    ],
  },
  {
    package: 'express-handlebars',
    link: 'https://github.com/express-handlebars/express-handlebars',
    sinks: [
      {
        exports: 'create engine',
        kind: 'exposure',
        options:
          'runtimeOptions.allowProtoMethodsByDefault runtimeOptions.allowProtoPropertiesByDefault',
        value: /^true$/,
      },
      { exports: 'create.render create.renderView', kind: 'path' },
    ],
  },
  {
    package: 'hbs',
    link: 'https://github.com/pillarjs/hbs',
    aliases: 'hbs',
    sinks: [
      { exports: 'handlebars.compile', kind: 'template' },
      { exports: 'SafeString handlebars.SafeString', kind: 'markup' },
      { exports: 'registerPartials', kind: 'path' },
    ],
  },
  {
    package: '@handlebars/allow-prototype-access',
    link: 'https://github.com/handlebars-lang/allow-prototype-access',
    sinks: [{ exports: 'allowInsecurePrototypeAccess', kind: 'exposure' }],
  },
  {
    package: 'mustache',
    link: 'https://github.com/janl/mustache.js',
    sinks: [
      { exports: 'render', kind: 'template', severity: 'medium' },
      { exports: 'parse', kind: 'template', severity: 'low' },
    ],
  },
  {
    package: 'hogan.js',
    link: 'https://github.com/twitter/hogan.js',
    sinks: [{ exports: 'compile', kind: 'template' }],
  },
];
