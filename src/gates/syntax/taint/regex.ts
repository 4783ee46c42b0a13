/** Whether a pattern holds a whole text to a set of characters, none of them any at all. */
export function isAnchored(pattern: string): boolean {
  const isWhole = pattern.startsWith('^') && pattern.endsWith('$') && !pattern.endsWith('\\$');
  // A free dot, a negated or an "anything" class lets every character through.
  return isWhole && !/(?:^|[^\\])\.|\[\^|\\S|\\W|\\D|\|/.test(pattern);
}
