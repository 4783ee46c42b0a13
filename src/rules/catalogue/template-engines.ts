import type { Package } from './line.ts';

/** Template engines: templates from outside are programs; escaping that is off. */
export const templateEngines: readonly Package[] = [
  {
    package: 'ejs',
    link: 'https://ejs.co/#docs',
    aliases: 'ejs',
    sinks: [
      { exports: 'render compile', kind: 'template' },
      { exports: 'renderFile', kind: 'path' },
      {
        exports: 'renderFile render',
        kind: 'template',
        args: [1],
        severity: 'high',
        link: 'https://github.com/mde/ejs/blob/main/SECURITY.md',
      },
      {
        exports: 'compile render',
        kind: 'code',
        options: 'localsName outputFunctionName',
        severity: 'high',
      },
    ],
  },
  {
    package: 'pug',
    link: 'https://pugjs.org/api/reference.html',
    aliases: 'pug',
    sinks: [
      { exports: 'render compile compileClient', kind: 'template' },
      { exports: 'renderFile compileFile compileFileClient', kind: 'path' },
      {
        exports: 'compile render renderFile compileClient',
        kind: 'code',
        versions: '<3.0.1',
        options: 'pretty',
        severity: 'high',
        link: 'https://github.com/pugjs/pug/security/advisories/GHSA-p493-635q-r6gr',
      },
    ],
  },
  {
    package: 'jade',
    link: 'https://github.com/pugjs/pug/tree/1.11.0',
    aliases: 'jade',
    sinks: [
      { exports: 'render compile compileClient', kind: 'template' },
      { exports: 'renderFile compileFile', kind: 'path' },
    ],
  },
  {
    package: 'nunjucks',
    link: 'https://mozilla.github.io/nunjucks/api.html',
    aliases: 'nunjucks',
    sinks: [
      { exports: 'renderString *.renderString compile Template', kind: 'template' },
      {
        exports: 'configure Environment',
        kind: 'escaping',
        options: 'autoescape',
        value: /^false$/,
        severity: 'medium',
        link: '#configure',
      },
      { exports: 'runtime.SafeString runtime.markSafe', kind: 'markup', link: '#autoescaping' },
      { exports: 'configure FileSystemLoader', kind: 'path', link: '#filesystemloader' },
    ],
  },
  {
    package: 'eta',
    link: 'https://eta.js.org/docs',
    aliases: 'eta',
    receivers: 'eta',
    sinks: [
      {
        exports: '*.renderString *.renderStringAsync',
        kind: 'template',
        link: 'https://eta.js.org/docs/4.x.x/api',
      },
      { exports: 'render compile', kind: 'template', versions: '<3' },
      { exports: '*.render *.renderAsync', kind: 'look' },
      {
        exports: 'Eta',
        kind: 'escaping',
        options: 'autoEscape',
        value: /^false$/,
        severity: 'medium',
        link: 'https://eta.js.org/docs/4.x.x/api/configuration',
      },
      {
        exports: 'Eta',
        kind: 'code',
        options: 'functionHeader varName',
        link: 'https://eta.js.org/docs/4.x.x/api/configuration',
      },
    ],
  },
  {
    package: 'dot',
    link: 'https://olado.github.io/doT',
    aliases: 'doT dot',
    sinks: [
      { exports: 'template compile', kind: 'template' },
      { exports: 'process', kind: 'path', options: 'path destination' },
      { exports: 'template', kind: 'code', options: 'varname', severity: 'high' },
    ],
  },
  {
    package: 'lodash.template',
    link: 'https://lodash.com/docs/4.17.15#template',
    sinks: [{ exports: 'default', kind: 'template' }],
  },
  {
    package: 'underscore',
    link: 'https://underscorejs.org',
    sinks: [
      {
        exports: 'template',
        kind: 'code',
        options: 'variable',
        severity: 'high',
        link: '#template',
      },
    ],
  },
  {
    package: 'liquidjs',
    link: 'https://liquidjs.com/api/classes/Liquid.html',
    sinks: [
      {
        exports: '*.parseAndRender *.parseAndRenderSync *.parse',
        kind: 'template',
        severity: 'medium',
      },
      { exports: '*.renderFile *.renderFileSync *.parseFile', kind: 'look' },
      {
        exports: 'Liquid',
        kind: 'exposure',
        options: 'ownPropertyOnly',
        value: /^false$/,
        severity: 'low',
        link: 'https://liquidjs.com/tutorials/options.html',
      },
      {
        exports: 'Liquid',
        kind: 'path',
        options: 'root partials layouts',
        link: 'https://liquidjs.com/tutorials/options.html',
      },
    ],
  },
  {
    package: 'squirrelly',
    link: 'https://squirrelly.js.org/docs',
    aliases: 'Sqrl',
    sinks: [
      { exports: 'render compile', kind: 'template' },
      { exports: 'renderFile', kind: 'path' },
      {
        exports: 'renderFile render',
        kind: 'template',
        args: [1],
        severity: 'high',
        link: 'https://securitylab.github.com/advisories/GHSL-2021-023-squirrelly/',
      },
      {
        exports: 'getConfig',
        kind: 'escaping',
        options: 'autoEscape',
        value: /^false$/,
        severity: 'medium',
      },
    ],
  },
  {
    package: 'art-template',
    link: 'https://aui.github.io/art-template/docs/api.html',
    sinks: [
      { exports: 'render compile', kind: 'template' },
      { exports: 'default', kind: 'path' },
      {
        exports: 'compile render',
        kind: 'escaping',
        options: 'escape',
        value: /^false$/,
        severity: 'medium',
        link: 'https://aui.github.io/art-template/docs/options.html',
      },
    ],
  },
  {
    package: 'twig',
    link: 'https://github.com/twigjs/twig.js/wiki',
    sinks: [
      { exports: 'twig', kind: 'template', options: 'data' },
      { exports: 'twig', kind: 'path', options: 'path' },
      { exports: 'renderFile', kind: 'path' },
    ],
  },
  {
    package: 'swig',
    link: 'https://node-swig.github.io/swig-templates/docs/api',
    aliases: 'swig',
    sinks: [
      { exports: 'render compile precompile', kind: 'template' },
      { exports: 'renderFile compileFile', kind: 'path' },
      {
        exports: 'setDefaults Swig',
        kind: 'escaping',
        options: 'autoescape',
        value: /^false$/,
        severity: 'medium',
      },
    ],
  },
  {
    package: 'swig-templates',
    link: 'https://node-swig.github.io/swig-templates/docs/api',
    sinks: [
      { exports: 'render compile precompile', kind: 'template' },
      { exports: 'renderFile compileFile', kind: 'path' },
      {
        exports: 'Swig setDefaults',
        kind: 'escaping',
        options: 'autoescape',
        value: /^false$/,
        severity: 'medium',
      },
    ],
  },
  {
    package: 'velocityjs',
    link: 'https://github.com/shepherdwind/velocity.js',
    sinks: [
      { exports: 'render', kind: 'template' },
      { exports: 'parse', kind: 'template', severity: 'high' },
    ],
  },
  {
    package: 'jsrender',
    link: 'https://www.jsviews.com/#jsrapi',
    sinks: [
      { exports: 'templates', kind: 'template', link: 'https://www.jsviews.com/#d.templates' },
      {
        exports: 'views.settings.allowCode',
        kind: 'exposure',
        args: [0],
        value: /^true$/,
        link: 'https://www.jsviews.com/#allowcodetag',
      },
      { exports: 'renderFile', kind: 'path' },
    ],
  },
  {
    package: 'dustjs-linkedin',
    link: 'https://www.dustjs.com/docs/api',
    sinks: [
      { exports: 'compile renderSource compileFn', kind: 'template' },
      { exports: 'loadSource', kind: 'code' },
    ],
  },
  {
    package: 'edge.js',
    link: 'https://edgejs.dev/docs/rendering',
    receivers: 'edge',
    sinks: [
      { exports: '*.renderRaw *.renderRawSync', kind: 'template' },
      { exports: '*.render *.renderSync', kind: 'look' },
    ],
  },
  {
    package: 'template7',
    link: 'https://github.com/nolimits4web/template7',
    sinks: [{ exports: 'compile', kind: 'template' }],
  },
  {
    package: 'tempura',
    link: 'https://github.com/lukeed/tempura',
    sinks: [{ exports: 'compile', kind: 'template' }],
  },
  {
    package: 'blueimp-tmpl',
    link: 'https://github.com/blueimp/JavaScript-Templates',
    sinks: [{ exports: 'default', kind: 'template' }],
  },
  {
    package: 'hamljs',
    link: 'https://github.com/tj/haml.js',
    sinks: [{ exports: 'render compile', kind: 'template' }],
  },
  {
    package: 'es6-template-strings',
    link: 'https://github.com/medikoo/es6-template-strings',
    sinks: [{ exports: 'default', kind: 'template' }],
  },
  {
    package: '@ladjs/consolidate',
    link: 'https://github.com/ladjs/consolidate',
    sinks: [
      {
        exports:
          'ejs.render pug.render handlebars.render nunjucks.render lodash.render dot.render swig.render',
        kind: 'template',
      },
      { exports: 'ejs pug handlebars nunjucks lodash swig', kind: 'path' },
    ],
  },
  {
    package: 'consolidate',
    link: 'https://github.com/tj/consolidate.js',
    sinks: [
      {
        exports:
          'ejs.render jade.render handlebars.render nunjucks.render lodash.render dot.render swig.render',
        kind: 'template',
      },
      { exports: 'ejs jade handlebars nunjucks lodash swig', kind: 'path' },
    ],
  },
  {
    package: '@fastify/view',
    link: 'https://github.com/fastify/point-of-view',
    receivers: 'reply',
    sinks: [{ exports: '*.view *.viewAsync', kind: 'look' }],
  },
  {
    package: 'mjml',
    link: 'https://github.com/mjmlio/mjml/blob/master/packages/mjml/README.md',
    sinks: [
      {
        exports: 'default',
        kind: 'path',
        versions: '<5',
        unless: 'ignoreIncludes',
        severity: 'medium',
      },
      { exports: 'default', kind: 'look', options: 'filePath' },
    ],
  },
  {
    package: 'ractive',
    link: 'https://ractive.js.org/api/#initialization-options',
    sinks: [
      { exports: 'default', kind: 'template', options: 'template' },
      { exports: 'parse', kind: 'template', link: 'https://ractive.js.org/api/#ractiveparse' },
    ],
  },
  {
    package: 'tinyliquid',
    link: 'https://github.com/leizongmin/tinyliquid',
    sinks: [{ exports: 'compile', kind: 'template', severity: 'medium' }],
  },
];
