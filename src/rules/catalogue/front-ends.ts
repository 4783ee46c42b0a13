import type { Package } from './line.ts';

/** What puts markup into a page: frameworks and libraries for the DOM. */
export const frontEnds: readonly Package[] = [
  {
    package: 'html-react-parser',
    link: 'https://github.com/remarkablemark/html-react-parser',
    sinks: [{ exports: 'default', kind: 'markup', link: '#is-this-xss-safe' }],
  },
  {
    package: 'react-html-parser',
    link: 'https://github.com/peternewnham/react-html-parser',
    sinks: [{ exports: 'default convertNodeToElement', kind: 'markup' }],
  },
  {
    package: 'html-to-react',
    link: 'https://github.com/aknuds1/html-to-react',
    sinks: [{ exports: '*.parse *.parseWithInstructions', kind: 'markup' }],
  },
  {
    package: 'react-render-html',
    link: 'https://github.com/noraesae/react-render-html',
    sinks: [{ exports: 'default', kind: 'markup' }],
  },
  {
    package: 'lit',
    link: 'https://lit.dev/docs/templates/directives',
    sinks: [
      {
        exports: 'unsafeCSS',
        kind: 'markup',
        severity: 'medium',
        link: 'https://lit.dev/docs/components/styles/#expressions',
      },
      { exports: 'unsafeHTML', kind: 'markup', link: '/#unsafehtml' },
      { exports: 'unsafeSVG', kind: 'markup', link: '/#unsafesvg' },
    ],
  },
  {
    package: 'lit-element',
    link: 'https://lit.dev/docs/v1/components/styles',
    sinks: [{ exports: 'unsafeCSS', kind: 'markup', severity: 'medium' }],
  },
  {
    package: 'hono/html',
    link: 'https://hono.dev/docs/helpers/html',
    sinks: [{ exports: 'raw', kind: 'markup' }],
  },
  {
    package: 'mithril',
    link: 'https://mithril.js.org/trust.html',
    sinks: [{ exports: 'trust', kind: 'markup' }],
  },
  {
    package: 'htmx.org',
    link: 'https://htmx.org/api',
    aliases: 'htmx',
    sinks: [{ exports: 'swap', kind: 'markup', args: [1], link: '/#swap' }],
  },
  {
    package: 'jquery',
    link: 'https://api.jquery.com',
    sinks: [
      { exports: '*.html', kind: 'markup', link: '/html/' },
      { exports: '*.append *.prepend *.after *.before', kind: 'markup', link: '/append/' },
      {
        exports: '*.replaceWith *.wrap *.wrapAll *.wrapInner',
        kind: 'markup',
        link: '/replaceWith/',
      },
      { exports: 'parseHTML', kind: 'markup', link: '/jQuery.parseHTML/' },
      { exports: 'default', kind: 'link', link: '/jQuery/#jQuery-html-ownerDocument' },
      { exports: 'globalEval', kind: 'code', link: '/jQuery.globalEval/' },
      { exports: 'getScript', kind: 'module', link: '/jQuery.getScript/' },
      {
        exports: '*.attr *.prop',
        kind: 'link',
        options: 'href src action formaction',
        link: '/attr/#attr-attributes',
      },
    ],
  },
  {
    package: 'cash-dom',
    link: 'https://github.com/fabiospampinato/cash/blob/master/docs/readme.md',
    sinks: [
      { exports: '*.html', kind: 'markup' },
      { exports: '*.append *.prepend *.after *.before', kind: 'markup' },
      { exports: 'parseHTML', kind: 'markup' },
      { exports: 'default', kind: 'link' },
    ],
  },
  {
    package: 'zepto',
    link: 'https://zeptojs.com',
    sinks: [
      { exports: '*.html *.replaceWith', kind: 'markup', link: '/#html' },
      { exports: '*.append *.prepend *.after *.before', kind: 'markup', link: '/#append' },
    ],
  },
  {
    package: 'umbrellajs',
    link: 'https://umbrellajs.com/documentation',
    sinks: [
      { exports: '*.html', kind: 'markup', link: '/#html' },
      { exports: '*.append *.prepend *.after *.before', kind: 'markup', link: '/#append' },
    ],
  },
  {
    package: 'd3',
    link: 'https://d3js.org/d3-selection/modifying',
    sinks: [{ exports: '*.html', kind: 'markup', link: '#selection_html' }],
  },
  {
    package: 'd3-selection',
    link: 'https://d3js.org/d3-selection/modifying',
    sinks: [{ exports: '*.html', kind: 'markup', link: '#selection_html' }],
  },
  {
    package: 'snapsvg',
    link: 'https://snapsvg.io/docs/#Snap.parse',
    sinks: [{ exports: 'parse', kind: 'markup' }],
  },
  {
    package: '@svgdotjs/svg.js',
    link: 'https://svgjs.dev/docs/3.2/importing-exporting',
    sinks: [{ exports: '*.svg', kind: 'markup' }],
  },
  {
    package: 'morphdom',
    link: 'https://github.com/patrick-steele-idem/morphdom',
    sinks: [{ exports: 'default', kind: 'markup', args: [1] }],
  },
  {
    package: 'idiomorph',
    link: 'https://github.com/bigskysoftware/idiomorph',
    sinks: [{ exports: 'Idiomorph.morph', kind: 'markup', args: [1] }],
  },
  {
    package: 'nanohtml/raw',
    link: 'https://github.com/choojs/nanohtml#unescaping',
    sinks: [{ exports: 'default', kind: 'markup' }],
  },
];
