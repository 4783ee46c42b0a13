/** A request as the document shows it, and the body of its answer. */
export interface Example {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number>>;
  body?: object;
  answer: object;
}
