/** A method of a service: what is asked for, and what is known of the call. */
type Method = (input: unknown, call?: never) => unknown;

/** The same methods; `run` makes each of their calls. */
export function wrapMethods<Methods extends object>(
  methods: Methods,
  run: (method: Method, input: unknown, call: never) => unknown,
): Methods {
  const entries = Object.entries<Method>(methods as never).map(([name, method]) => [
    name,
    (input: unknown, call: never) => run(method, input, call),
  ]);
  return Object.fromEntries(entries) as Methods;
}
