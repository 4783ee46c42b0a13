import { buildAhoCorasick, matches } from '../../core/aho-corasick.ts';
import { HINTS } from './hints.ts';
import type { Language } from './script-files.ts';
import type { Hint } from './sinks/sink.ts';

/** Made for the first text of its family: one takes 20 ms, and most starts need one at most. */
const prefilters = {
  script: lazily(HINTS.script),
  py: lazily(HINTS.python),
  go: lazily(HINTS.golang),
};

/** Of a large text this is looked at first: what is full of sinks is known by its beginning. */
const HEAD_BYTES = 65_536;

/** Whether a text (UTF-8) may hold a sink: most hunks do not and need no parser. */
export function mayHoldSink(text: Buffer, language: Language = 'js'): boolean {
  const holdsSign = prefilters[language === 'py' || language === 'go' ? language : 'script'];
  const isLarge = text.length > 2 * HEAD_BYTES;
  return (isLarge && holdsSign(text.subarray(0, HEAD_BYTES))) || holdsSign(text);
}

function lazily(hints: readonly Hint[]): (text: Buffer) => boolean {
  let holdsSign: ReturnType<typeof createPrefilter> | null = null;
  return (text) => {
    holdsSign ??= createPrefilter(hints);
    return holdsSign(text);
  };
}

/** Looks for words first, all at once, and for the patterns of those that stand there. */
function createPrefilter(hints: readonly Hint[]): (text: Buffer) => boolean {
  const words = hints.flatMap((hint) =>
    hint.words.map((word) => ({ word: Buffer.from(word), hint })),
  );
  const automaton = buildAhoCorasick(
    words.map(({ word }) => word),
    { caseSensitive: false },
  );
  return (text) => {
    const ids = matches(automaton, text, 0, text.length);
    if (ids.size === 0) return false;
    const found = new Set<Hint>();
    for (const id of ids) {
      const hint = words[id]?.hint;
      if (hint !== undefined) found.add(hint);
    }
    // Words and patterns are ASCII: bytes as characters will do, and cost no decoding.
    const characters = text.toString('latin1');
    return [...found].some((hint) => hint.patterns.every((pattern) => pattern.test(characters)));
  };
}
