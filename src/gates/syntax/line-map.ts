/** Lines of a text by index; both count from 0, indexes are UTF-16 code units. */
export interface LineMap {
  readonly count: number;
  /** The line that holds an index. */
  lineAt(index: number): number;
  /** Index of a line's first character; the text's length for lines beyond it. */
  startOf(line: number): number;
}

/** Finds the lines of a text once; each look-up is a binary search. */
export function mapLines(text: string): LineMap {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return {
    count: starts.length,
    lineAt(index) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= index) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    startOf: (line) => starts[line] ?? text.length,
  };
}
