/**
 * Who may import whom. A layer is the first row whose pattern fits a path; `may` names the layers
 * that it may import, besides itself; `layer:types` allows `import type` only.
 * The same table, in sentences, is in docs/ARCHITECTURE.md.
 */
const BASE = ['domain', 'core', 'limits'];
const COMMON = [...BASE, 'observability'];
const RPC_TYPES = ['rpc:types'];

const LAYERS = [
  { name: 'main', files: /^src\/(?:main\.ts|main\/.+|cli\.ts|cli\/.+)$/, may: 'all' },
  { name: 'limits', files: /^src\/limits\.ts$/, may: [] },
  {
    name: 'config',
    files: /^src\/config(?:-[a-z-]+)?\.ts$/,
    may: [...COMMON, 'vcs/settings:types'],
  },
  { name: 'lifecycle', files: /^src\/lifecycle\.ts$/, may: COMMON },
  { name: 'data-dir', files: /^src\/data-dir\.ts$/, may: COMMON },
  { name: 'domain', files: /^src\/domain\//, may: ['core', 'limits'] },
  { name: 'core', files: /^src\/core\//, may: ['domain', 'limits'] },
  { name: 'observability', files: /^src\/observability\//, may: BASE },
  { name: 'http-status', files: /^src\/rpc\/http-status\.ts$/, may: BASE },
  { name: 'starter', files: /^src\/rpc\/starter-process\.ts$/, may: ['rpc'] },
  { name: 'rpc', files: /^src\/rpc\//, may: [...BASE, 'http-status', 'starter'] },
  { name: 'diff', files: /^src\/diff\//, may: BASE },
  { name: 'verdict', files: /^src\/verdict\//, may: BASE },
  { name: 'audit.ts', files: /^src\/audit\/audit\.ts$/, may: BASE },
  { name: 'audit', files: /^src\/audit\//, may: [...BASE, 'audit.ts'] },
  { name: 'gates/llm', files: /^src\/gates\/llm\//, may: [...COMMON, 'diff', ...RPC_TYPES] },
  { name: 'gates', files: /^src\/gates\//, may: [...COMMON, 'diff', ...RPC_TYPES] },
  {
    name: 'scan',
    files: /^src\/scan\//,
    may: [...COMMON, 'gates', 'diff', 'verdict', 'vcs/provider', 'rpc:types'],
  },
  {
    name: 'pipeline',
    files: /^src\/pipeline\//,
    may: [...COMMON, 'rpc', 'gates/llm', 'verdict', 'store.ts'],
  },
  {
    name: 'queue',
    files: /^src\/queue\//,
    may: [...COMMON, 'pipeline', 'verdict', 'rpc', 'store.ts', 'vcs/settings', 'vcs/provider'],
  },
  {
    name: 'services',
    files: /^src\/services\//,
    may: [
      ...COMMON,
      'pipeline',
      'queue',
      'verdict',
      'rpc',
      'store.ts',
      'audit.ts',
      'vcs/settings',
      'vcs/provider',
    ],
  },
  {
    name: 'store.ts',
    files: /^src\/store\/(?:store|desk|queue|stored-record)\.ts$/,
    may: [...COMMON, ...RPC_TYPES],
  },
  {
    name: 'store',
    files: /^src\/store\//,
    may: [...COMMON, 'store.ts', 'audit.ts', 'audit', ...RPC_TYPES],
  },
  { name: 'vcs/settings', files: /^src\/vcs\/settings\.ts$/, may: BASE },
  {
    name: 'vcs/provider',
    files: /^src\/vcs\/(?:provider|signature|push-event|delivery-body)\.ts$/,
    may: [...COMMON, 'vcs/settings'],
  },
  {
    name: 'vcs/git',
    files: /^src\/vcs\/git\//,
    may: [...COMMON, 'vcs/settings', 'vcs/provider', 'starter', ...RPC_TYPES],
  },
  {
    name: 'vcs',
    files: /^src\/vcs\//,
    may: [...COMMON, 'vcs/settings', 'vcs/provider', 'rpc', 'store.ts'],
  },
  { name: 'auth', files: /^src\/auth\//, may: [...COMMON, 'rpc', 'store.ts'] },
  {
    name: 'http',
    files: /^src\/http\//,
    may: [...COMMON, 'services', 'auth', 'http-status', 'pipeline:types'],
  },
  { name: 'mcp', files: /^src\/mcp\//, may: [] },
  { name: 'dashboard', files: /^src\/dashboard\//, may: [] },
  {
    name: 'workers',
    files: /^workers\//,
    may: [
      ...COMMON,
      'rpc',
      'scan',
      'gates',
      'diff',
      'verdict',
      'store.ts',
      'store',
      'audit.ts',
      'audit',
      'vcs/git',
    ],
  },
];

/** Checks the imports between files of ours below src/ and workers/. */
export function checkImports(sources) {
  return sources
    .filter(({ path }) => /^(?:src|workers)\//.test(path))
    .flatMap((source) => {
      const layer = layerOf(source.path);
      if (layer === undefined) {
        const message = 'this folder has no row in the import table (tools/house/layers.mjs)';
        return [{ path: source.path, line: 1, rule: 'imports', message }];
      }
      return source.imports.flatMap((imported) => {
        const message = problemOf(layer, imported);
        return message === null
          ? []
          : [{ path: source.path, line: imported.line, rule: 'imports', message }];
      });
    });
}

function problemOf(layer, { specifier, target, isType }) {
  if (specifier === null) return 'import() must name its module as a plain string';
  if (target === null) return null;
  if (!target.endsWith('.ts')) return `say "${specifier}" with its .ts extension`;
  if (!/^(?:src|workers)\//.test(target)) return `${layer.name} may not import ${target}`;
  const to = layerOf(target);
  if (to === undefined || to === layer || layer.may === 'all') return null;
  if (layer.may.includes(to.name)) return null;
  if (!layer.may.includes(`${to.name}:types`)) return `${layer.name} may not import ${to.name}`;
  return isType ? null : `${layer.name} may only \`import type\` from ${to.name}`;
}

function layerOf(path) {
  return LAYERS.find(({ files }) => files.test(path));
}
