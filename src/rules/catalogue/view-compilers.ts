import type { Package } from './line.ts';

/** Compilers of front-end frameworks: what they compile is a program. */
export const viewCompilers: readonly Package[] = [
  {
    package: 'vue',
    link: 'https://vuejs.org/api/options-rendering.html',
    sinks: [
      { exports: 'compile', kind: 'template', link: 'https://v2.vuejs.org/v2/api/#Vue-compile' },
      {
        exports: 'createApp createSSRApp defineComponent extend component',
        kind: 'template',
        options: 'template',
        link: '#template',
      },
      {
        exports: 'default',
        kind: 'template',
        options: 'template',
        link: 'https://v2.vuejs.org/v2/api/#template',
      },
      { exports: 'createStaticVNode', kind: 'markup' },
    ],
  },
  {
    package: 'vue-template-compiler',
    link: 'https://github.com/vuejs/vue/tree/main/packages/vue-template-compiler',
    sinks: [{ exports: 'compile compileToFunctions ssrCompile', kind: 'template' }],
  },
  {
    package: '@vue/compiler-dom',
    link: 'https://github.com/vuejs/core/tree/main/packages/compiler-dom',
    sinks: [{ exports: 'compile baseCompile', kind: 'template' }],
  },
  {
    package: '@vue/compiler-sfc',
    link: 'https://github.com/vuejs/core/tree/main/packages/compiler-sfc',
    sinks: [{ exports: 'compileTemplate', kind: 'template', options: 'source' }],
  },
  {
    package: 'svelte/compiler',
    link: 'https://svelte.dev/docs/svelte/svelte-compiler',
    sinks: [{ exports: 'compile compileModule', kind: 'code' }],
  },
  {
    package: '@marko/compiler',
    link: 'https://markojs.com/docs/reference/compiler',
    sinks: [
      { exports: 'compile compileSync', kind: 'template' },
      { exports: 'compileFile compileFileSync', kind: 'path' },
    ],
  },
  {
    package: '@ember/template-compilation',
    link: 'https://api.emberjs.com/ember/release/modules/@ember%2Ftemplate-compilation',
    sinks: [{ exports: 'compileTemplate', kind: 'template' }],
  },
  {
    package: '@ember/template',
    link: 'https://api.emberjs.com/ember/release/functions/@ember%2Ftemplate/htmlSafe',
    sinks: [{ exports: 'htmlSafe', kind: 'markup' }],
  },
  {
    package: 'angular',
    link: 'https://docs.angularjs.org/api/ng/service',
    sinks: [
      { exports: '$compile $interpolate', kind: 'template', free: true, link: '/$compile' },
      { exports: '$parse', kind: 'template', free: true, link: '/$parse' },
      {
        exports: '*.$eval *.$evalAsync *.$watchCollection',
        kind: 'template',
        receivers: 'scope rootScope',
        link: 'https://docs.angularjs.org/api/ng/type/$rootScope.Scope#$eval',
      },
      {
        exports: '*.trustAsHtml *.trustAsJs *.trustAsCss *.trustAs',
        kind: 'markup',
        receivers: 'sce',
        link: '/$sce#trustAsHtml',
      },
      {
        exports: '*.trustAsResourceUrl *.trustAsUrl',
        kind: 'link',
        receivers: 'sce',
        link: '/$sce#trustAsResourceUrl',
      },
      {
        exports: '*.enabled',
        kind: 'escaping',
        args: [0],
        value: /^false$/,
        receivers: 'sceProvider',
        link: 'https://docs.angularjs.org/api/ng/provider/$sceProvider#enabled',
      },
    ],
  },
  {
    package: '@angular/platform-browser',
    link: 'https://angular.dev/best-practices/security#trusting-safe-values',
    types: 'DomSanitizer',
    sinks: [
      { exports: '*.bypassSecurityTrustHtml *.bypassSecurityTrustScript', kind: 'markup' },
      { exports: '*.bypassSecurityTrustUrl *.bypassSecurityTrustResourceUrl', kind: 'link' },
    ],
  },
  {
    package: 'alpinejs',
    link: 'https://alpinejs.dev/advanced/extending',
    sinks: [{ exports: 'evaluate evaluateLater', kind: 'code', args: [1], severity: 'high' }],
  },
  {
    package: 'knockout',
    link: 'https://knockoutjs.com/documentation',
    sinks: [
      {
        exports: 'utils.setHtml',
        kind: 'markup',
        args: [1],
        link: 'https://knockoutjs.com/documentation/html-binding.html',
      },
      { exports: 'utils.parseHtmlFragment', kind: 'markup' },
    ],
  },
  {
    package: '@mdx-js/mdx',
    link: 'https://mdxjs.com/packages/mdx',
    sinks: [
      { exports: 'evaluate evaluateSync', kind: 'code', link: '/#evaluatefile-options' },
      {
        exports: 'compile compileSync',
        kind: 'code',
        severity: 'high',
        link: '/#compilefile-options',
      },
    ],
  },
  {
    package: 'next-mdx-remote/serialize',
    link: 'https://github.com/hashicorp/next-mdx-remote',
    sinks: [{ exports: 'serialize', kind: 'code', link: '#security' }],
  },
  {
    package: 'next-mdx-remote/rsc',
    link: 'https://github.com/hashicorp/next-mdx-remote#react-server-components-rsc--nextjs-app-directory-support',
    sinks: [{ exports: 'compileMDX', kind: 'code', options: 'source' }],
  },
  {
    package: 'mdx-bundler',
    link: 'https://github.com/kentcdodds/mdx-bundler',
    sinks: [
      { exports: 'bundleMDX', kind: 'code', options: 'source', link: '#security' },
      { exports: 'bundleMDX', kind: 'path', options: 'file cwd' },
    ],
  },
  {
    package: 'react-native-webview',
    link: 'https://github.com/react-native-webview/react-native-webview/blob/master/docs/Reference.md',
    sinks: [
      {
        exports: 'injectedJavaScript injectedJavaScriptBeforeContentLoaded',
        kind: 'code',
        how: 'property',
        severity: 'high',
        link: '#injectedjavascript',
      },
    ],
  },
  {
    package: 'micromustache',
    link: 'https://github.com/userpixel/micromustache',
    sinks: [{ exports: 'render compile', kind: 'template', severity: 'medium' }],
  },
];
