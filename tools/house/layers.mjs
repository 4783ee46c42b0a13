/**
 * Who may import whom. A layer is the first row whose pattern fits a path; `may` names the layers
 * that it may import, besides itself; `layer:types` allows `import type` only.
 * The reasons for what is unusual are in docs/why/architecture.md, "Who imports whom".
 */
const BASE = ['model', 'core'];
const COMMON = [...BASE, 'telemetry/logger'];
const STORE = ['store/contract'];
const HOSTS = ['hosts/settings', 'hosts/webhook', 'hosts/kinds'];

/** Bounds of a room. Who may import the room may import them, too. */
const LIMITS = ['analysis', 'auth', 'events', 'gates', 'http/server', 'pushes'].map((room) => ({
  name: `${room}/limits`,
  files: new RegExp(`^src/${room}/limits\\.ts$`),
  may: BASE,
}));

const LAYERS = [
  ...LIMITS,
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
      'events:types',
      // Defaults and bounds of settings.
      'analysis/limits',
      'auth/limits',
      'events/limits',
      'http/server/limits',
      'pushes/limits',
    ],
  },
  { name: 'daemon', files: /^src\/(?:daemon|cli)\//, may: 'all' },
  { name: 'model', files: /^src\/model\//, may: ['core'] },
  { name: 'core', files: /^src\/core\//, may: ['model'] },
  { name: 'telemetry/logger', files: /^src\/telemetry\/logger\.ts$/, may: BASE },
  {
    name: 'telemetry',
    files: /^src\/telemetry\//,
    may: [
      ...COMMON,
      'store/contract:types',
      'analysis',
      'rulebook:types',
      'rpc:types',
      'gates/review:types',
      'events:types',
    ],
  },
  { name: 'worker-entry', files: /^src\/rpc\/thread-entry\.ts$/, may: BASE },
  // The contract of the AST child names the bounds of its calls.
  { name: 'rpc', files: /^src\/rpc\//, may: [...BASE, 'gates/limits'] },
  { name: 'rules', files: /^src\/rules\//, may: ['model'] },
  { name: 'diff', files: /^src\/diff\//, may: BASE },
  { name: 'verdict', files: /^src\/verdict\//, may: BASE },
  { name: 'audit', files: /^src\/audit\//, may: BASE },
  {
    name: 'gates/patterns',
    files: /^src\/gates\/patterns\//,
    may: [...COMMON, 'gates/limits', 'diff', 'rules'],
  },
  { name: 'gates/review', files: /^src\/gates\/review\//, may: COMMON },
  {
    name: 'gates',
    files: /^src\/gates\//,
    may: [...COMMON, 'gates/patterns', 'diff', 'rules', 'rpc:types'],
  },
  {
    name: 'redaction',
    files: /^src\/redaction\//,
    may: [...BASE, 'gates/limits', 'gates/patterns'],
  },
  {
    name: 'analysis/worker',
    files: /^src\/analysis\/worker\//,
    may: [
      ...COMMON,
      'analysis/limits',
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
    may: [...COMMON, 'rpc', 'worker-entry', 'verdict', 'gates/review', 'store/contract:types'],
  },
  { name: 'heads', files: /^src\/heads\//, may: [...COMMON, ...STORE, 'rpc:types'] },
  {
    name: 'pushes',
    files: /^src\/pushes\//,
    may: [
      ...COMMON,
      ...STORE,
      ...HOSTS,
      'analysis',
      'gates/patterns',
      'heads',
      'hosts',
      'verdict',
      'rpc',
    ],
  },
  {
    name: 'decisions',
    files: /^src\/decisions\//,
    may: [...COMMON, 'store/contract:types', 'analysis', 'rpc:types'],
  },
  {
    name: 'rulebook',
    files: /^src\/rulebook\//,
    may: [...COMMON, ...STORE, 'analysis', 'rpc', 'worker-entry', 'gates/patterns'],
  },
  { name: 'events', files: /^src\/events\//, may: [...COMMON, 'store/contract:types'] },
  { name: 'tasks', files: /^src\/tasks\//, may: [...COMMON, 'store/contract:types'] },
  { name: 'usage', files: /^src\/usage\//, may: [...COMMON, 'store/contract:types'] },
  {
    name: 'deploys',
    files: /^src\/deploys\//,
    may: [
      ...COMMON,
      ...STORE,
      'audit',
      'decisions',
      'heads',
      'verdict',
      'analysis:types',
      'rpc:types',
    ],
  },
  {
    name: 'store/contract',
    files: /^src\/store\/(?:contract\/|(?:stored-record|errors|limits)\.ts$)/,
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
  { name: 'hosts', files: /^src\/hosts\//, may: [...COMMON, 'hosts/settings', 'hosts/kinds'] },
  {
    name: 'git',
    files: /^src\/git\//,
    may: [...COMMON, 'hosts/settings', 'hosts', 'worker-entry', 'rpc:types'],
  },
  { name: 'auth', files: /^src\/auth\//, may: [...COMMON, 'store/contract:types'] },
  {
    name: 'http/api',
    files: /^src\/http\/(?:api\/|openapi\/|assets\.ts$)/,
    may: [
      ...COMMON,
      'http/server',
      'auth',
      'decisions',
      'rulebook',
      'analysis:types',
      'events:types',
      'store/contract',
      'pushes:types',
      'heads:types',
      'tasks:types',
      'usage:types',
      'deploys:types',
      'telemetry:types',
    ],
  },
  {
    name: 'http/server',
    files: /^src\/http\/server\//,
    may: [...COMMON, 'auth', 'pushes:types'],
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
      'rulebook',
      'deploys',
      'gates/patterns',
      'gates',
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
  const room = to.name.replace(/\/limits$/, '');
  if (room === layer.name || layer.may.includes(room) || layer.may.includes(to.name)) return null;
  if (!layer.may.includes(`${to.name}:types`)) return `${layer.name} may not import ${to.name}`;
  return isType ? null : `${layer.name} may only \`import type\` from ${to.name}`;
}

function layerOf(path) {
  return LAYERS.find(({ files }) => files.test(path));
}
