/** A text as an expression that matches it alone, in JavaScript and RE2. */
export function regexText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
