import type { Naming } from '../engine/catalogue-lines.ts';

/** `lodash/escape`, `validator/lib/escape.js`: a package's export by the file that holds it. */
const EXPORT_FILE =
  /^((?:@[^/]+\/)?[^/.]+)\/(?:(?:lib|es|esm|dist|fp)\/)?([\w-]+)(?:\.js)?(?=\.|$)/;
/** `mysql2/promise.createPool`: a file of the package, whose exports are its own. */
const SUBPATH = /^((?:@[^/]+\/)?[^/.]+(?:\.js)?)(?:\/[\w-]+)+(?:\.[cm]?js)?(?=\.|$)/;
/** How each step of a path was made, and namespaces that hold the same functions once more. */
const STEPS = /^new |\(\)|\.(?:default|posix|win32)(?=\.|$)/g;
/** A module of the program's own, which may hold anything under its usual name. */
const OWN_MODULE = /^(?:[./]|[@~#]\/|[~#]\w|src\/)/;

/** How names of JavaScript are read. */
export const ECMASCRIPT_NAMES: Naming = {
  readings(path) {
    const plain = path.replace(STEPS, '');
    const end = path.endsWith('()') ? '()' : '';
    const all = [plain, plain.replace(EXPORT_FILE, '$1.$2'), plain.replace(SUBPATH, '$1')];
    return [...new Set(all)].map((written) => written + end);
  },
  isOwnModule: (path) => OWN_MODULE.test(path),
  isOpen({ origin, made, properties, elements, constant, pieces, callable }) {
    const isImported = origin !== null && !OWN_MODULE.test(origin);
    const isKnown =
      properties !== null || elements !== null || constant !== null || pieces !== null;
    return made === null && !isImported && !isKnown && callable === null;
  },
  isUsual(receiverPath, usual) {
    // `pool`, `userPool` and `prisma.user` for `pool` and `prisma`.
    const capital = usual.charAt(0).toUpperCase() + usual.slice(1);
    const steps = receiverPath?.split('.').map((step) => step.replace(/^[_#$]+/, '')) ?? [];
    return steps.some((step) => step === usual || step.endsWith(capital));
  },
  isExact: true,
  global: /^(?:window|globalThis|this)\./,
};
