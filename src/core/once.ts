/** A function that makes its value for each key when it is first asked for it, and keeps it. */
export function oncePer<Key, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new Map<Key, { value: T }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}

/** A function that makes its value when it is first called, and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
