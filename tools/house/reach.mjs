/**
 * Native modules that must not get into the wrong thread or process, however long the chain of
 * imports: the only entries that may reach them.
 */
const REACH = [
  {
    module: '@swc/core',
    entries: ['workers/ast.ts', 'workers/debug.ts', 'workers/rules.ts'],
    why: 'it can end its whole process',
  },
  {
    module: 'web-tree-sitter',
    entries: ['workers/ast.ts', 'workers/debug.ts', 'workers/rules.ts'],
    why: 'it reads hostile text in memory of its own',
  },
  {
    module: 'uWebSockets.js',
    entries: ['src/cli/main.ts'],
    why: 'its handles belong to one thread',
  },
];

/** Follows the imports (not `import type`) of src/cli/main.ts and of each entry in workers/. */
export function checkReach(sources) {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const entries = sources.filter(({ path }) =>
    /^(?:src\/cli\/main\.ts|workers\/[^/]+)$/.test(path),
  );
  return entries.flatMap((entry) => {
    const forbidden = REACH.filter((row) => !row.entries.includes(entry.path));
    return forbidden.flatMap((row) => {
      const chain = chainTo(row.module, entry, byPath);
      if (chain === null) return [];
      const message = `reaches ${row.module} (${row.why}) by ${chain.join(' -> ')}`;
      return [{ path: entry.path, line: 1, rule: 'reach', message }];
    });
  });
}

/** The shortest chain of files from an entry to one that imports the module; null: none. */
function chainTo(module, entry, byPath) {
  const cameFrom = new Map([[entry.path, null]]);
  const waiting = [entry];
  for (const source of waiting) {
    for (const { specifier, target, isType } of source.imports) {
      if (isType) continue;
      if (specifier === module) return pathBack(source.path, cameFrom);
      const next = byPath.get(target);
      if (next === undefined || cameFrom.has(target)) continue;
      cameFrom.set(target, source.path);
      waiting.push(next);
    }
  }
  return null;
}

function pathBack(path, cameFrom) {
  const chain = [];
  for (let at = path; at !== null; at = cameFrom.get(at)) chain.unshift(at);
  return chain;
}
