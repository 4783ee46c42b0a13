/** Which modules only some files may import. The first row that fits a specifier counts. */
const FENCES = [
  { module: /^uWebSockets\.js$/, files: /^src\/http\/server\/(?:app|exchange)\.ts$/ },
  { module: /^piscina(?:\/|$)/, files: /^src\/rpc\/pool\.ts$/ },
  { module: /^re2$/, files: /^src\/gates\/patterns\/regex\.ts$/ },
  { module: /^@swc\//, files: /^src\/gates\/syntax\/parse\/parser\.ts$/ },
  { module: /^yaml$/, files: /^src\/(?:gates\/configuration\/yaml|rules\/documents)\.ts$/ },
  { module: /^web-tree-sitter$/, files: /^src\/gates\/syntax\/parse\/tree\.ts$/ },
  { module: /^ical\.js$/, files: /^src\/core\/calendar\.ts$/ },
  { module: /^@modelcontextprotocol\//, files: /^src\/mcp\// },
  { module: /^@napi-rs\/keyring$/, files: /^src\/mcp\/credentials\.ts$/ },
  { module: /^@aws-sdk\//, files: /^src\/store\/objects\/s3\.ts$/ },
  { module: /^mongodb$/, files: /^src\/store\/mongo\// },
  { module: /^better-sqlite3$/, files: /^src\/store\/sqlite\// },
  { module: /^jose(?:\/|$)/, files: /^src\/(?:auth\/oidc|hosts\/github-app\.ts$)/ },
  { module: /^(?:pino|prom-client)$/, files: /^src\/telemetry\// },
  { module: /^(?:node:)?worker_threads$/, files: /^(?:src\/rpc|workers)\// },
  {
    module: /^(?:node:)?child_process$/,
    files: /^(?:src\/rpc|workers)\//,
    names: ['fork', 'ChildProcess'],
  },
  {
    module: /^(?:node:)?child_process$/,
    files: /^src\/(?:git\/launcher|cli\/(?:git|llm-eval)|telemetry\/systemd)\.ts$/,
  },
  // Ways around the other rows.
  { module: /^(?:node:)?(?:cluster|module|process|vm)$/, files: /^$/ },
];

/** Settings of the daemon and commands, and of the tool server, a process of its own. */
const READS_ENVIRONMENT = new Set([
  'src/daemon/config/config.ts',
  'src/daemon/config/reader.ts',
  'src/mcp/settings.ts',
]);

/** Checks packages and built-in modules of src/ and workers/, and who reads the environment. */
export function checkFences(sources) {
  return sources
    .filter(({ path }) => /^(?:src|workers)\//.test(path))
    .flatMap((source) => [
      ...source.imports.flatMap((imported) => fenceProblem(source.path, imported)),
      ...environmentProblems(source),
    ]);
}

function fenceProblem(path, { specifier, isType, names, line }) {
  if (specifier === null || specifier.startsWith('.')) return [];
  const rows = FENCES.filter(({ module }) => module.test(specifier));
  if (rows.length === 0) return [];
  const row = rows.find(({ files }) => files.test(path));
  if (row === undefined) {
    return [{ path, line, rule: 'fence', message: `${specifier} may not be imported here` }];
  }
  const refused = row.names && !isType ? names.filter((name) => !row.names.includes(name)) : [];
  return refused.map((name) => {
    const message = `only ${row.names.join(', ')} of ${specifier} may be imported, not ${name}`;
    return { path, line, rule: 'fence', message };
  });
}

function environmentProblems({ path, nodes, lineAt }) {
  if (READS_ENVIRONMENT.has(path)) return [];
  return nodes.filter(readsEnvironment).map((node) => {
    const message = 'process.env is read in src/daemon/config and by src/mcp/settings.ts only';
    return { path, line: lineAt(node.start), rule: 'fence', message };
  });
}

function readsEnvironment(node) {
  if (node.type === 'MemberExpression') {
    const name = node.property.value ?? node.property.expression?.value;
    return isProcess(node.object) && (name === 'env' || name === 'getBuiltinModule');
  }
  return (
    node.type === 'VariableDeclarator' && node.id.type === 'ObjectPattern' && isProcess(node.init)
  );
}

function isProcess(node) {
  return node?.type === 'Identifier' && node.value === 'process';
}
