/** Files of src/ and workers/ that import each other in a circle, by whatever way, types too. */
export function checkCircles(sources) {
  const files = new Map(
    sources.filter(({ path }) => /^(?:src|workers)\//.test(path)).map((one) => [one.path, one]),
  );
  return componentsOf(files)
    .filter((paths) => paths.length > 1)
    .map((paths) => {
      const [path, ...others] = paths.sort();
      const line = files.get(path).imports.find(({ target }) => others.includes(target))?.line ?? 1;
      const message = `it imports itself through ${others.join(', ')}`;
      return { path, line, rule: 'circle', message };
    });
}

/** Strongly connected components (Tarjan's algorithm), as lists of paths. */
function componentsOf(files) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (path) => {
    index.set(path, index.size);
    low.set(path, index.get(path));
    stack.push(path);
    for (const { target } of files.get(path).imports) {
      if (!files.has(target)) continue;
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(path, Math.min(low.get(path), low.get(target)));
    }
    if (low.get(path) === index.get(path)) found.push(stack.splice(stack.indexOf(path)));
  };
  for (const path of files.keys()) if (!index.has(path)) visit(path);
  return found;
}
