const raw = String.raw;

/**
 * An expression for the beginning of a text that none of `known` begins: RE2 has no look-ahead.
 * Its match is the part that `known` has in common with the text and one character more.
 */
export function otherThan(known: readonly string[]): string {
  const byFirst = new Map<string, string[]>();
  for (const text of known) {
    const first = text[0];
    // The end of a known text: whatever follows is known.
    if (first === undefined) return raw`[^\s\S]`;
    byFirst.set(first, [...(byFirst.get(first) ?? []), text.slice(1)]);
  }
  const firsts = [...byFirst.keys()].map((first) => first.replace(/[-./]/, '\\$&'));
  const longer = [...byFirst].map(([first, rests]) => {
    return `${first.replace('.', '\\.')}${otherThan(rests)}`;
  });
  return `(?:[^${firsts.join('')}\\s"']|${longer.join('|')})`;
}
