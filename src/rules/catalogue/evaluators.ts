import type { Package } from './line.ts';

/** What runs text as a program, and sandboxes that do not hold. */
export const evaluators: readonly Package[] = [
  {
    package: 'vm',
    link: 'https://nodejs.org/api/vm.html',
    sinks: [
      { exports: 'runInNewContext runInThisContext runInContext Script', kind: 'code' },
      { exports: 'compileFunction', kind: 'code', link: '#vmcompilefunctioncode-params-options' },
      { exports: 'SourceTextModule', kind: 'code', link: '#class-vmsourcetextmodule' },
      { exports: 'Script.runInNewContext createScript', kind: 'code' },
    ],
  },
  {
    package: 'vm2',
    link: 'https://github.com/patriksimek/vm2',
    sinks: [
      { exports: 'VM.run NodeVM.run', kind: 'code', link: '#documentation' },
      { exports: 'VMScript NodeVM.code', kind: 'code' },
      { exports: 'VM.runFile NodeVM.runFile NodeVM.file', kind: 'path' },
    ],
  },
  {
    package: 'isolated-vm',
    link: 'https://github.com/laverdet/isolated-vm',
    sinks: [
      { exports: '*.eval *.evalSync *.evalClosure', kind: 'code', severity: 'high' },
      {
        exports: '*.compileScript *.compileScriptSync *.compileModule',
        kind: 'code',
        severity: 'high',
      },
    ],
  },
  {
    package: 'module',
    link: 'https://nodejs.org/api/module.html',
    sinks: [
      { exports: 'register', kind: 'module' },
      { exports: 'createRequire', kind: 'path' },
    ],
  },
  {
    package: 'inspector',
    link: 'https://nodejs.org/api/inspector.html',
    sinks: [{ exports: '*.post', kind: 'code', args: [], options: 'expression' }],
  },
  {
    package: 'repl',
    link: 'https://nodejs.org/api/repl.html',
    sinks: [{ exports: '*.eval', kind: 'code' }],
  },
  {
    package: 'eval',
    link: 'https://github.com/pierrec/node-eval',
    sinks: [{ exports: 'default', kind: 'code' }],
  },
  {
    package: 'node-eval',
    link: 'https://github.com/node-eval/node-eval',
    sinks: [{ exports: 'default', kind: 'code' }],
  },
  {
    package: 'safe-eval',
    link: 'https://github.com/hacksparrow/safe-eval',
    sinks: [{ exports: 'default', kind: 'code' }],
  },
  {
    package: 'notevil',
    link: 'https://github.com/mmckegg/notevil',
    sinks: [{ exports: 'default Function', kind: 'code' }],
  },
  {
    package: 'static-eval',
    link: 'https://github.com/browserify/static-eval',
    sinks: [{ exports: 'default', kind: 'code' }],
  },
  {
    package: 'sval',
    link: 'https://github.com/Siubaak/sval',
    sinks: [{ exports: '*.run *.parse', kind: 'code' }],
  },
  {
    package: 'eval5',
    link: 'https://github.com/bplok20010/eval5',
    sinks: [{ exports: 'evaluate *.evaluate', kind: 'code' }],
  },
  {
    package: 'realms-shim',
    link: 'https://github.com/Agoric/realms-shim',
    sinks: [{ exports: '*.evaluate', kind: 'code' }],
  },
  {
    package: 'ses',
    link: 'https://github.com/endojs/endo/tree/master/packages/ses',
    sinks: [{ exports: '*.evaluate', kind: 'code', severity: 'high' }],
  },
  {
    package: 'quickjs-emscripten',
    link: 'https://github.com/justjake/quickjs-emscripten',
    sinks: [{ exports: '*.evalCode *.evalCodeAsync', kind: 'code', severity: 'medium' }],
  },
  {
    package: 'require-from-string',
    link: 'https://github.com/floatdrop/require-from-string',
    sinks: [{ exports: 'default', kind: 'code' }],
  },
  {
    package: 'module-from-string',
    link: 'https://github.com/exuanbo/module-from-string',
    sinks: [{ exports: 'importFromString importFromStringSync', kind: 'code' }],
  },
  {
    package: 'import-fresh',
    link: 'https://github.com/sindresorhus/import-fresh',
    sinks: [{ exports: 'default', kind: 'module' }],
  },
  {
    package: 'jiti',
    link: 'https://github.com/unjs/jiti',
    sinks: [
      { exports: '*.evalModule', kind: 'code' },
      { exports: '*.import', kind: 'module' },
    ],
  },
  {
    package: 'ts-node',
    link: 'https://typestrong.org/ts-node/api',
    sinks: [{ exports: '*.evalCode', kind: 'code' }],
  },
  {
    package: 'workerpool',
    link: 'https://github.com/josdejong/workerpool',
    sinks: [
      { exports: '*.exec', kind: 'code' },
      { exports: 'pool', kind: 'path' },
    ],
  },
  {
    package: 'threads',
    link: 'https://threads.js.org',
    sinks: [{ exports: 'BlobWorker.fromText', kind: 'code' }],
  },
  {
    package: 'mathjs',
    link: 'https://mathjs.org/docs/expressions/security.html',
    sinks: [
      { exports: 'evaluate *.evaluate', kind: 'code', severity: 'high' },
      { exports: 'parse compile *.parse *.compile', kind: 'code', severity: 'medium' },
    ],
  },
  {
    package: 'expr-eval',
    link: 'https://github.com/silentmatt/expr-eval',
    sinks: [{ exports: '*.evaluate *.parse', kind: 'code', severity: 'high' }],
  },
  {
    package: 'angular-expressions',
    link: 'https://github.com/peerigon/angular-expressions',
    sinks: [{ exports: 'compile', kind: 'code', severity: 'high' }],
  },
  {
    package: 'jsonpath',
    link: 'https://github.com/dchester/jsonpath',
    sinks: [
      {
        exports: 'query value paths nodes apply parent',
        kind: 'code',
        args: [1],
        link: '#evaluating-script-expressions',
      },
      { exports: 'parse', kind: 'code', severity: 'medium' },
    ],
  },
  {
    package: 'jsonpath-plus',
    link: 'https://github.com/JSONPath-Plus/JSONPath',
    sinks: [{ exports: 'JSONPath', kind: 'code', options: 'path' }],
  },
  {
    package: 'jsonata',
    link: 'https://docs.jsonata.org/embedding-extending',
    sinks: [{ exports: 'default', kind: 'code', severity: 'high' }],
  },
  {
    package: 'jexl',
    link: 'https://github.com/TomFrost/Jexl',
    sinks: [
      {
        exports: '*.eval *.evalSync *.compile *.createExpression',
        kind: 'code',
        severity: 'medium',
      },
    ],
  },
  {
    package: 'filtrex',
    link: 'https://github.com/m93a/filtrex',
    sinks: [{ exports: 'compileExpression', kind: 'code', severity: 'medium' }],
  },
  {
    package: 'jsdom',
    link: 'https://github.com/jsdom/jsdom',
    sinks: [
      { exports: 'JSDOM', kind: 'code', when: 'runScripts', link: '#executing-scripts' },
      { exports: '*.eval', kind: 'code' },
      { exports: 'JSDOM.fromURL', kind: 'request', link: '#fromurl' },
      { exports: 'JSDOM.fromFile', kind: 'path', link: '#fromfile' },
      {
        exports: 'JSDOM',
        kind: 'exposure',
        args: [],
        options: 'runScripts',
        value: /^dangerously$/,
      },
    ],
  },
  {
    package: 'lodash',
    link: 'https://lodash.com/docs/4.17.15',
    aliases: '_ lodash',
    sinks: [
      { exports: 'template', kind: 'template', link: '#template' },
      {
        exports: 'template',
        kind: 'template',
        args: [],
        options: 'variable sourceURL',
        severity: 'medium',
      },
      { exports: 'set setWith update unset', kind: 'keys', args: [1], link: '#set' },
      { exports: 'merge mergeWith defaultsDeep', kind: 'merge', args: [1, 2, 3], link: '#merge' },
      { exports: 'zipObjectDeep', kind: 'keys', args: [0], link: '#zipObjectDeep' },
      { exports: 'times range repeat padStart', kind: 'format', args: [0, 1], severity: 'low' },
    ],
    propagators: [
      { exports: 'map forEach each filter flatMap', callback: 0, from: [0], link: '#map' },
      { exports: 'get pick omit cloneDeep clone defaults', from: [0], link: '#get' },
      { exports: 'values keys uniq compact flatten head last first sortBy', from: [0] },
      { exports: 'toLower toUpper trim capitalize upperFirst', from: [0] },
    ],
  },
  {
    package: 'underscore',
    link: 'https://underscorejs.org',
    sinks: [{ exports: 'template', kind: 'template', link: '#template' }],
    propagators: [{ exports: 'each map filter', callback: 0, from: [0], link: '#each' }],
  },
  {
    package: 'object-path',
    link: 'https://github.com/mariocasciaro/object-path',
    aliases: 'objectPath',
    sinks: [{ exports: 'set push insert ensureExists', kind: 'keys', args: [1] }],
  },
  {
    package: 'dot-prop',
    link: 'https://github.com/sindresorhus/dot-prop',
    aliases: 'dotProp',
    sinks: [{ exports: 'set setProperty', kind: 'keys', args: [1] }],
  },
  {
    package: 'set-value',
    link: 'https://github.com/jonschlinkert/set-value',
    sinks: [{ exports: 'default', kind: 'keys', args: [1] }],
  },
  {
    package: 'dottie',
    link: 'https://github.com/mickhansen/dottie.js',
    aliases: 'dottie',
    sinks: [{ exports: 'set transform', kind: 'keys', args: [1] }],
  },
  {
    package: 'deepmerge',
    link: 'https://github.com/TehShrike/deepmerge',
    versions: '<4.2.2',
    sinks: [{ exports: 'default all', kind: 'merge', args: [0, 1] }],
  },
  {
    package: 'merge-deep',
    link: 'https://github.com/jonschlinkert/merge-deep',
    sinks: [{ exports: 'default', kind: 'merge', args: [0, 1, 2] }],
  },
  {
    package: 'deep-extend',
    link: 'https://github.com/unclechu/node-deep-extend',
    sinks: [{ exports: 'default', kind: 'merge', args: [1, 2] }],
  },
  {
    package: '@hapi/hoek',
    link: 'https://hapi.dev/module/hoek/api',
    sinks: [
      {
        exports: 'merge applyToDefaults',
        kind: 'merge',
        args: [0, 1],
        link: '#mergetarget-source-options',
      },
    ],
  },
  {
    package: 'flat',
    link: 'https://github.com/hughsk/flat',
    sinks: [{ exports: 'unflatten', kind: 'merge' }],
  },
  {
    package: 'jsonpointer',
    link: 'https://github.com/janl/node-jsonpointer',
    aliases: 'jsonpointer pointer ptr',
    sinks: [{ exports: 'set', kind: 'keys', args: [1] }],
  },
  {
    package: 'fast-json-patch',
    link: 'https://github.com/Starcounter-Jack/JSON-Patch',
    sinks: [{ exports: 'applyPatch applyOperation', kind: 'merge', args: [1] }],
  },
  {
    package: 'ramda',
    link: 'https://ramdajs.com/docs',
    sinks: [{ exports: 'assocPath', kind: 'keys', args: [0], link: '/#assocPath' }],
    propagators: [{ exports: 'map forEach filter', from: [1], link: '/#map' }],
  },
];
