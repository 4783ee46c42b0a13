/** The bounds of a room, or those of several rooms. */
const LIMITS = /^src\/(?:.+\/)?limits\.ts$/;

/** Refuses a bound of a limits.ts that nothing in src/ or workers/ enforces. */
export function checkLimits(sources) {
  const used = new Set(sources.filter(isOurs).flatMap(usesOf));
  return sources
    .filter(({ path }) => LIMITS.test(path))
    .flatMap((source) =>
      boundsOf(source)
        .filter(({ name, inner }) => !used.has(name) && !inner.some((use) => use === name))
        .map(({ name, line }) => {
          const message = `${name} is enforced nowhere`;
          return { path: source.path, line, rule: 'limit', message };
        }),
    );
}

function isOurs({ path }) {
  return !LIMITS.test(path) && /^(?:src|workers)\//.test(path);
}

/** `SECTION.KEY` for each key of an exported object, `NAME` for an exported number. */
function boundsOf(source) {
  const inner = usesOf(source);
  const declarators = source.nodes
    .filter(({ type }) => type === 'ExportDeclaration')
    .flatMap(({ declaration }) => declaration.declarations ?? []);
  return declarators.flatMap(({ id, init }) => {
    const object = init?.type === 'TsConstAssertion' ? init.expression : init;
    if (object?.type !== 'ObjectExpression') {
      return [{ name: id.value, line: source.lineAt(id.start), inner: [] }];
    }
    return object.properties
      .filter(({ type }) => type === 'KeyValueProperty')
      .map(({ key }) => ({
        name: `${id.value}.${key.value}`,
        line: source.lineAt(key.start),
        inner,
      }));
  });
}

/**
 * `A.B` of every member expression on a name and of `const { B } = A`, and every name that is
 * imported from limits.ts.
 */
function usesOf({ nodes, imports }) {
  const members = nodes.flatMap(({ type, object, property, id, init }) => {
    if (type === 'MemberExpression' && object.type === 'Identifier') {
      return [`${object.value}.${property.value}`];
    }
    if (type !== 'VariableDeclarator' || id.type !== 'ObjectPattern') return [];
    return id.properties.map(({ key }) => `${init?.value}.${key?.value}`);
  });
  const names = imports.filter(({ target }) => LIMITS.test(target)).flatMap((each) => each.names);
  return [...members, ...names];
}
