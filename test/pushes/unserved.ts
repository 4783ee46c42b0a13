/** A client of which these methods are not called. */
export function unserved<Methods extends object>(names: readonly (keyof Methods)[]): Methods {
  const none = () => Promise.reject(new Error('not of this test'));
  return Object.fromEntries(names.map((name) => [name, none])) as Methods;
}
