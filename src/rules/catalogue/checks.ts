import { type CheckLine, USES, type Use } from './line.ts';

const VALIDATOR = 'https://github.com/validatorjs/validator.js#validators';
const MDN = 'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects';
const PLACES: readonly Use[] = ['path', 'url', 'redirect'];

/** Functions that tell whether their first argument is harmless, and for what. */
export const checks: readonly CheckLine[] = [
  {
    package: 'Number',
    exports: 'isInteger isSafeInteger isFinite',
    aliases: 'Number',
    whenTrue: USES,
    link: `${MDN}/Number/isInteger`,
  },
  {
    package: 'Number',
    exports: 'isNaN',
    aliases: 'Number',
    whenFalse: [],
    link: `${MDN}/Number/isNaN`,
  },
  { package: 'global', exports: 'isFinite', whenTrue: USES, link: `${MDN}/isFinite` },
  { package: 'global', exports: 'isNaN', whenFalse: USES, link: `${MDN}/isNaN` },
  {
    package: 'validator',
    exports:
      'isInt isNumeric isAlpha isAlphanumeric isMongoId isHexadecimal isSlug isPort isUUID isIP ' +
      'isFloat isMD5 isHash isISO31661Alpha2 isISO31661Alpha3 isLocale isMACAddress isBoolean',
    aliases: 'validator',
    whenTrue: USES,
    link: VALIDATOR,
  },
  {
    package: 'validator',
    exports: 'isFQDN',
    aliases: 'validator',
    whenTrue: ['html', 'sql', 'command', 'key', 'path'],
    link: VALIDATOR,
  },
  {
    package: 'net',
    exports: 'isIP isIPv4 isIPv6',
    aliases: 'net',
    whenTrue: ['html', 'sql', 'command', 'key', 'path'],
    link: 'https://nodejs.org/api/net.html#netisipinput',
  },
  {
    package: 'uuid',
    exports: 'validate',
    whenTrue: USES,
    link: 'https://github.com/uuidjs/uuid#uuidvalidatestr',
  },
  {
    package: 'mongoose',
    exports: 'isValidObjectId',
    aliases: 'mongoose',
    whenTrue: ['sql', 'key'],
    link: 'https://mongoosejs.com/docs/api/mongoose.html#Mongoose.prototype.isValidObjectId()',
  },
  {
    package: 'is-path-inside',
    exports: 'default',
    whenTrue: ['path'],
    link: 'https://github.com/sindresorhus/is-path-inside#usage',
  },
  {
    package: 'path-is-inside',
    exports: 'default',
    whenTrue: ['path'],
    link: 'https://github.com/domenic/path-is-inside#readme',
  },
  {
    package: 'is-subdir',
    exports: 'default',
    whenTrue: ['path'],
    link: 'https://github.com/zkochan/packages/tree/main/is-subdir',
  },
  {
    package: 'private-ip',
    exports: 'default',
    whenFalse: PLACES,
    link: 'https://github.com/frenchbread/private-ip#usage',
  },
  {
    package: 'is-ip-private',
    exports: 'default',
    whenFalse: PLACES,
    link: 'https://www.npmjs.com/package/is-ip-private',
  },
];
