/** A set of words, written with white space between them. */
export function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
