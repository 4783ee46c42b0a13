/** Folders that only compute: the same input gives the same output, and nothing outside changes. */
const PURE =
  /^src\/(?:model|diff|verdict|audit|core|rules|redaction|gates\/patterns|gates\/syntax|gates\/configuration)\//;

/** They read tables, which the bundle has inside. */
const READS_TABLES = ['src/rules/catalogue/tables.ts', 'src/rules/documents.ts'];

const PURE_MODULES = new Set([
  'node:assert',
  'node:assert/strict',
  'node:buffer',
  'node:crypto',
  'node:string_decoder',
  // Of core, like the timers that are globals.
  'node:timers/promises',
  'node:util',
  'node:zlib',
]);
const IMPURE_GLOBALS = new Set(['fetch', 'process', 'WebSocket', 'EventSource', 'console']);

/** Refuses I/O in the folders that do none. */
export function checkPurity(sources) {
  return sources
    .filter(({ path }) => PURE.test(path) && !READS_TABLES.includes(path))
    .flatMap((source) => {
      const { path, lineAt } = source;
      const found = (line, what) => ({ path, line, rule: 'pure', message: `${what} is I/O` });
      return [
        ...source.imports
          .filter(({ specifier, isType }) => !isType && isImpure(specifier ?? ''))
          .map(({ line, specifier }) => found(line, specifier)),
        ...source.nodes.filter(isGlobalUse).map((node) => found(lineAt(node.start), node.value)),
      ];
    });
}

function isImpure(specifier) {
  return specifier.startsWith('node:') && !PURE_MODULES.has(specifier);
}

/** A name used as a value: `fetch(...)`, not `x.fetch` or `{ fetch: 1 }` or a declaration. */
function isGlobalUse(node) {
  if (node.type !== 'Identifier' || !IMPURE_GLOBALS.has(node.value)) return false;
  const { parent } = node;
  if (parent === null) return false;
  if (parent.type === 'MemberExpression') return parent.object === node;
  if (parent.type === 'CallExpression' || parent.type === 'NewExpression') return true;
  return false;
}
