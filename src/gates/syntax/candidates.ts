import { closings } from './closing.ts';
import { type Context, guessContexts } from './contexts.ts';
import type { Dialect } from './dialect.ts';
import type { Outline } from './outline.ts';
import { continuation, nestedWrap, type Wrap, wrapOf } from './wrapping.ts';

/** Guesses tried for the outermost context; the first is right nine times out of ten. */
const OUTER_GUESSES_MAX = 8;
/** Guesses tried for the code before the first stray closer. */
const INNER_GUESSES_MAX = 4;

/** Texts to put around a part of a hunk so that it may parse, likeliest first, no two alike. */
export function* candidates(text: string, shape: Outline, dialect: Dialect): Generator<Wrap> {
  const [first] = shape.segments;
  if (first === undefined) return;
  const head = continuation(first);
  // Any prose is fine as an element's text: without a tag there is no element.
  const mayBeElements = /<\/|\/>/.test(text);
  const guesses = shape.segments.map((segment) =>
    guessContexts(segment, dialect).filter((context) => mayBeElements || context !== 'elements'),
  );
  const seen = new Set<string>();
  for (const closing of closings(text, shape, dialect)) {
    for (const contexts of choices(guesses)) {
      const wrap = wrapOf(contexts.at(-1) ?? 'statements', dialect);
      const nested = nestedWrap(text, shape, contexts, dialect);
      const prefix = wrap.prefix + nested.prefix + head;
      const suffix = `\n${closing}${nested.suffix}${wrap.suffix}`;
      if (seen.has(prefix + suffix)) continue;
      seen.add(prefix + suffix);
      yield { prefix, suffix };
    }
  }
}

/** A context for each segment: the best guesses, then others for the outermost and the first. */
function* choices(guesses: readonly Context[][]): Generator<Context[]> {
  const best = guesses.map((list) => list[0] ?? 'statements');
  yield best;
  const last = best.length - 1;
  for (let rank = 1; rank < OUTER_GUESSES_MAX; rank += 1) {
    const outer = guesses[last]?.[rank];
    if (outer !== undefined) yield best.with(last, outer);
    const inner = guesses[0]?.[rank];
    if (last > 0 && inner !== undefined && rank < INNER_GUESSES_MAX) yield best.with(0, inner);
  }
}
