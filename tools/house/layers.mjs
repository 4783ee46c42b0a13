/**
 * Who may import whom. A layer is the first row whose pattern fits a path; `may` names the layers
 * that it may import, besides itself; `layer:types` allows `import type` only.
 * The same table, in sentences, is in docs/ARCHITECTURE.md.
 */
const BASE = ['model', 'core', 'limits'];
const COMMON = [...BASE, 'telemetry/logger'];
const STORE = ['store/contract'];
const HOSTS = ['hosts/settings', 'hosts/webhook', 'hosts/kinds'];

const LAYERS = [
  // Numbers alone: everybody may read the bounds of another room.
  { name: 'limits', files: /^src\/(?:.+\/)?limits\.ts$/, may: ['core', 'limits'] },
  {
    name: 'daemon/config',
    files: /^src\/daemon\/config\//,
    may: [
      'store/contract:types',
      ...COMMON,
      'hosts/settings:types',
      'hosts/kinds',
      'gates/review:types',
      'telemetry:types',
    ],
  },
  { name: 'daemon', files: /^src\/(?:daemon|cli)\//, may: 'all' },
  { name: 'model', files: /^src\/model\//, may: ['core', 'limits'] },
  { name: 'core', files: /^src\/core\//, may: ['model', 'limits'] },
  { name: 'telemetry/logger', files: /^src\/telemetry\/logger\.ts$/, may: BASE },
  {
    name: 'telemetry',
    files: /^src\/telemetry\//,
    may: [
      ...COMMON,
      ...STORE,
      'analysis',
      'rulebook',
      'hosts/settings',
      'rpc:types',
      'gates/review:types',
    ],
  },
  { name: 'worker-entry', files: /^src\/rpc\/thread-entry\.ts$/, may: BASE },
  { name: 'rpc', files: /^src\/rpc\//, may: [...BASE, 'worker-entry'] },
  { name: 'rules', files: /^src\/rules\//, may: ['model'] },
  { name: 'diff', files: /^src\/diff\//, may: BASE },
  { name: 'verdict', files: /^src\/verdict\//, may: BASE },
  { name: 'audit', files: /^src\/audit\//, may: BASE },
  { name: 'gates/patterns', files: /^src\/gates\/patterns\//, may: [...COMMON, 'diff', 'rules'] },
  { name: 'gates/review', files: /^src\/gates\/review\//, may: COMMON },
  {
    name: 'gates',
    files: /^src\/gates\//,
    may: [...COMMON, 'gates/patterns', 'diff', 'rules', 'rpc:types'],
  },
  {
    name: 'redaction',
    files: /^src\/redaction\//,
    may: [...BASE, 'gates/patterns', 'diff', 'rpc:types', 'analysis/worker'],
  },
  {
    name: 'analysis/worker',
    files: /^src\/analysis\/worker\//,
    may: [
      ...COMMON,
      'gates/patterns',
      'gates',
      'gates/review',
      'redaction',
      'diff',
      'verdict',
      'hosts/webhook',
      'rpc:types',
      'store/contract:types',
    ],
  },
  {
    name: 'analysis',
    files: /^src\/analysis\//,
    may: [...COMMON, 'rpc', 'worker-entry', 'verdict', 'gates/review', ...STORE],
  },
  { name: 'heads', files: /^src\/heads\//, may: [...COMMON, ...STORE, 'rpc'] },
  {
    name: 'pushes',
    files: /^src\/pushes\//,
    may: [...COMMON, ...STORE, ...HOSTS, 'analysis', 'heads', 'hosts', 'verdict', 'rpc'],
  },
  {
    name: 'decisions',
    files: /^src\/decisions\//,
    may: [...COMMON, ...STORE, 'analysis', 'verdict', 'rpc', 'hosts/settings'],
  },
  {
    name: 'rulebook',
    files: /^src\/rulebook\//,
    may: [...COMMON, ...STORE, 'analysis', 'decisions', 'rpc', 'worker-entry', 'gates/patterns'],
  },
  { name: 'tasks', files: /^src\/tasks\//, may: [...COMMON, ...STORE, 'decisions', 'rpc'] },
  { name: 'usage', files: /^src\/usage\//, may: [...COMMON, ...STORE, 'rpc'] },
  {
    name: 'store/contract',
    files: /^src\/store\/(?:contract\/|(?:stored-record|errors)\.ts$)/,
    may: [...COMMON, 'rpc'],
  },
  {
    name: 'store',
    files: /^src\/store\//,
    may: [...COMMON, ...STORE, 'audit', 'rpc:types'],
  },
  { name: 'hosts/settings', files: /^src\/hosts\/settings\.ts$/, may: BASE },
  {
    name: 'hosts/kinds',
    files: /^src\/hosts\/(?:host|hosts|github|gitea|gitlab|push-payload|signature)\.ts$/,
    may: [...COMMON, 'hosts/settings'],
  },
  {
    name: 'hosts/webhook',
    files: /^src\/hosts\/webhook\.ts$/,
    may: [...COMMON, 'hosts/settings', 'hosts/kinds'],
  },
  { name: 'hosts', files: /^src\/hosts\//, may: [...COMMON, ...HOSTS] },
  {
    name: 'git',
    files: /^src\/git\//,
    may: [...COMMON, ...HOSTS, 'worker-entry', 'rpc:types'],
  },
  { name: 'auth', files: /^src\/auth\//, may: [...COMMON, ...STORE, 'rpc', 'decisions'] },
  {
    name: 'http/api',
    files: /^src\/http\/(?:api\/|openapi\/|assets\.ts$)/,
    may: [
      ...COMMON,
      'http/server',
      'auth',
      'analysis',
      'pushes',
      'heads',
      'decisions',
      'tasks',
      'usage',
      'rulebook',
      'telemetry',
    ],
  },
  {
    name: 'http/server',
    files: /^src\/http\/server\//,
    may: [...COMMON, 'http/api', 'auth', 'decisions', 'pushes', 'analysis:types'],
  },
  { name: 'mcp', files: /^src\/mcp\//, may: ['model', 'core'] },
  { name: 'dashboard', files: /^src\/dashboard\//, may: ['model:types'] },
  {
    name: 'workers',
    files: /^workers\//,
    may: [
      ...COMMON,
      ...STORE,
      'rpc',
      'worker-entry',
      'analysis/worker',
      'redaction',
      'rulebook',
      'rules',
      'gates/patterns',
      'gates',
      'diff',
      'verdict',
      'store',
      'audit',
      'git',
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
  if (!/\.tsx?$/.test(target)) return `say "${specifier}" with its .ts extension`;
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
