import type { Package } from './line.ts';

/** Functions that write under keys of data, and patterns that data becomes. */
export const keyWriters: readonly Package[] = [
  {
    package: 'lodash.set',
    link: 'https://lodash.com/docs/#set',
    sinks: [{ exports: 'default', kind: 'keys', args: [1] }],
  },
  {
    package: 'nested-property',
    link: 'https://github.com/cosmosio/nested-property',
    sinks: [{ exports: 'set setIn', kind: 'keys', args: [1] }],
  },
  {
    package: 'mpath',
    link: 'https://github.com/mongoosejs/mpath',
    sinks: [{ exports: 'set', kind: 'keys', args: [0] }],
  },
  {
    package: 'dot-object',
    link: 'https://github.com/rhalff/dot-object',
    sinks: [
      { exports: 'str set', kind: 'keys', args: [0], link: '#set-a-property-using-dot-notation' },
      { exports: 'object', kind: 'merge', link: '#transform-an-object' },
    ],
  },
  {
    package: 'undefsafe',
    link: 'https://github.com/remy/undefsafe',
    sinks: [{ exports: 'default', kind: 'keys', args: [1] }],
  },
  {
    package: 'object-path-immutable',
    link: 'https://github.com/mariocasciaro/object-path-immutable',
    sinks: [{ exports: 'set merge push insert', kind: 'keys', args: [1] }],
  },
  {
    package: 'extend',
    link: 'https://github.com/justmoon/node-extend',
    sinks: [{ exports: 'default', kind: 'merge', args: [2, 3] }],
  },
  {
    package: 'mixin-deep',
    link: 'https://github.com/jonschlinkert/mixin-deep',
    sinks: [{ exports: 'default', kind: 'merge', args: [1, 2] }],
  },
  {
    package: 'assign-deep',
    link: 'https://github.com/jonschlinkert/assign-deep',
    sinks: [{ exports: 'default', kind: 'merge', args: [1, 2] }],
  },
  {
    package: 'defaults-deep',
    link: 'https://github.com/jonschlinkert/defaults-deep',
    sinks: [{ exports: 'default', kind: 'merge', args: [0, 1] }],
  },
  {
    package: 'convict',
    link: 'https://github.com/mozilla/node-convict/tree/master/packages/convict',
    sinks: [
      { exports: '*.set', kind: 'keys', args: [0], link: '#configsetname-value' },
      { exports: '*.load', kind: 'merge', link: '#configloadobject' },
    ],
  },
  {
    package: 'nconf',
    link: 'https://github.com/indexzero/nconf',
    sinks: [{ exports: 'set *.set', kind: 'keys', args: [0], link: '#nconfsetkey-value' }],
  },
  {
    package: 'minimatch',
    link: 'https://github.com/isaacs/minimatch',
    sinks: [
      {
        exports: 'default minimatch match makeRe Minimatch',
        kind: 'regex',
        args: [1],
        severity: 'medium',
        link: '#security',
      },
    ],
  },
  {
    package: 'xregexp',
    link: 'https://xregexp.com/api/',
    sinks: [
      {
        exports: 'default XRegExp',
        kind: 'regex',
        args: [0],
        link: 'https://xregexp.com/api/#xregexp',
      },
    ],
  },
];
