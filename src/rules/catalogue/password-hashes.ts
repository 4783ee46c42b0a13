import type { Package } from './line.ts';

/** Hashes of passwords that are too fast, or whose salt is known. */
export const passwordHashes: readonly Package[] = [
  {
    package: 'bcrypt',
    link: 'https://github.com/kelektiv/node.bcrypt.js',
    aliases: 'bcrypt',
    sinks: [
      {
        exports: 'hash hashSync',
        kind: 'hash',
        args: [1],
        value: /^[1-7]$/,
        severity: 'medium',
        link: 'https://github.com/kelektiv/node.bcrypt.js#a-note-on-rounds',
      },
      {
        exports: 'genSalt genSaltSync',
        kind: 'hash',
        args: [0],
        value: /^[1-7]$/,
        severity: 'medium',
        link: 'https://github.com/kelektiv/node.bcrypt.js#a-note-on-rounds',
      },
      { exports: 'hash hashSync', kind: 'secret', args: [0], severity: 'medium' },
      { exports: 'hashSync hash', kind: 'random', args: [1], value: /^\$2[aby]\$/ },
      { exports: 'compare compareSync', kind: 'secret', args: [1] },
    ],
  },
  {
    package: 'bcryptjs',
    link: 'https://github.com/dcodeIO/bcrypt.js',
    aliases: 'bcryptjs',
    sinks: [
      { exports: 'hash hashSync', kind: 'hash', args: [1], value: /^[1-7]$/, severity: 'medium' },
      {
        exports: 'genSalt genSaltSync',
        kind: 'hash',
        args: [0],
        value: /^[1-7]$/,
        severity: 'medium',
      },
      {
        exports: 'setRandomFallback',
        kind: 'random',
        link: 'https://github.com/dcodeIO/bcrypt.js#setrandomfallbackrandom',
      },
      { exports: 'compareSync compare', kind: 'secret', args: [1] },
    ],
  },
  {
    package: 'argon2',
    link: 'https://github.com/ranisalt/node-argon2/wiki/Options',
    aliases: 'argon2',
    sinks: [
      {
        exports: 'hash',
        kind: 'hash',
        options: 'memoryCost',
        value: /^\d{1,4}$/,
        severity: 'medium',
        link: 'https://github.com/ranisalt/node-argon2/wiki/Options#memorycost',
      },
      {
        exports: 'hash',
        kind: 'hash',
        options: 'type',
        value: /^(?:argon2d|argon2i|[01])$/,
        severity: 'low',
        link: 'https://github.com/ranisalt/node-argon2/wiki/Options#type',
      },
      {
        exports: 'hash',
        kind: 'hash',
        options: 'hashLength',
        value: /^(?:\d|1[0-5])$/,
        severity: 'medium',
        link: 'https://github.com/ranisalt/node-argon2/wiki/Options#hashlength',
      },
      {
        exports: 'hash',
        kind: 'random',
        options: 'salt',
        value: /^[\s\S]+$/,
        link: 'https://github.com/ranisalt/node-argon2/wiki/Options#salt',
      },
      {
        exports: 'verify',
        kind: 'secret',
        args: [0],
        link: 'https://github.com/ranisalt/node-argon2#usage',
      },
    ],
  },
];
