/**
 * Pairs of letters that make up 85 % of all pairs in some 16,000 distinct words of the sources and
 * documentation of npm packages. Row: first letter; text: letters that follow it.
 */
const COMMON_PAIRS: Readonly<Record<string, string>> = {
  a: 'abcdefgiklmnprstuvwy',
  b: 'abcdeilorsu',
  c: 'acefhiklortu',
  d: 'abcdefilorsu',
  e: 'abcdefgilmnopqrstvwx',
  f: 'acdefiloru',
  g: 'aehilnorsu',
  h: 'aeiortu',
  i: 'abcdefglmnoprstvz',
  j: 'es',
  k: 'aeis',
  l: 'adeilostuy',
  m: 'abeimopsu',
  n: 'acdefgiknostuv',
  o: 'abcdfgilmnoprstuvw',
  p: 'aehiloprstu',
  q: 'u',
  r: 'acdegikmnorstuvy',
  s: 'acehiklopstuy',
  t: 'acehilorstuy',
  u: 'abcegilmnprst',
  v: 'aeio',
  w: 'aeinors',
  x: 'pt',
  y: 'ps',
  z: 'e',
};

const LOWER_A = 0x61;
const LETTERS = 26;
const DIGIT = 27;
const OTHER = 28;

/** 1 at `first * LETTERS + second` for a common pair. */
const isCommon = new Uint8Array(LETTERS * LETTERS);
for (const [first, followers] of Object.entries(COMMON_PAIRS)) {
  for (const second of followers) {
    const row = (first.charCodeAt(0) - LOWER_A) * LETTERS;
    isCommon[row + second.charCodeAt(0) - LOWER_A] = 1;
  }
}

/**
 * How little the text looks like words, 0..1: the share of neighbours that seldom stand together
 * in words and names: rare pairs of letters, and letters beside digits. Between other characters,
 * digits, and where camelCase begins a new word, nothing is counted. A mixture of letters, digits
 * and signs counts in favour. Names and phrases come out below 0.3, random letters and digits, and
 * hex, about 0.75; random letters alone about 0.6.
 */
export function randomness(bytes: Uint8Array): number {
  let counted = 0;
  let unlike = 0;
  let before = OTHER;
  let wasLower = false;
  let hasLetter = false;
  let hasDigit = false;
  let hasSign = false;
  for (const byte of bytes) {
    const isLower = byte >= LOWER_A && byte < LOWER_A + LETTERS;
    const kind = kindOf(byte);
    const isLetter = kind < LETTERS;
    const isNewWord = wasLower && !isLower;
    if (isLetter && before < LETTERS && !isNewWord) {
      counted += 1;
      unlike += 1 - (isCommon[before * LETTERS + kind] ?? 0);
    } else if ((isLetter && before === DIGIT) || (kind === DIGIT && before < LETTERS)) {
      counted += 1;
      unlike += 1;
    }
    hasLetter ||= isLetter;
    hasDigit ||= kind === DIGIT;
    hasSign ||= kind === OTHER && SIGNS.has(byte);
    before = kind;
    wasLower = isLower;
  }
  const share = counted === 0 ? 0 : unlike / counted;
  return hasLetter && hasDigit && hasSign ? Math.min(1, share + SIGN_BONUS) : share;
}

/** Characters that password rules ask for, and that names and versions do not hold. */
const SIGNS = new Set(Buffer.from('!@#$%^&*?+=~'));
const SIGN_BONUS = 0.2;

/** 0..25 for letters of either case, else DIGIT or OTHER. */
function kindOf(byte: number): number {
  const lower = byte | 0x20;
  if (lower >= LOWER_A && lower < LOWER_A + LETTERS) return lower - LOWER_A;
  return byte >= 0x30 && byte <= 0x39 ? DIGIT : OTHER;
}

/**
 * Shannon entropy of the bytes in bits per byte, 0..8: the measure by which gitleaks tells
 * random secrets from words (detect/utils.go, "shannonEntropy").
 */
export function shannonEntropy(bytes: Uint8Array): number {
  if (bytes.length === 0) return 0;
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  let entropy = 0;
  for (const count of counts) {
    if (count === 0) continue;
    const share = count / bytes.length;
    entropy -= share * Math.log2(share);
  }
  return entropy;
}
