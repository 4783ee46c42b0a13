const COLUMNS_MAX = 100;
const BANNED_WORDS = /\b(?:TODO|FIXME|XXX|HACK)\b/;
/**
 * Words that a reader stumbles over: say it with a subject, a verb and the field's own term.
 * @public The test of titles and messages reads it.
 */
export const ODD_WORDS = new RegExp(
  [
    /\b(?:deeds?|whoever|told|hindrances?|strangers?|befell|insistently|witness(?:es)?|desks?|anew|vouch(?:es|ed)?)\b/,
    // A verdict is revoked and depends on others; an entry records, a caller gets an answer.
    /\b(?:(?:takes?|took|taken|taking) back|rest(?:s|ed)? on (?:it|them|the|a|an|another)|(?:tells?|told|hears?|heard) of)\b/,
    /\b(?:waved through|giveBack|freeHeld|goOn)\b/,
    // Name the thing: `findings that count`, not `those that count`; `a push that`, not `one that`.
    /\b(?:those (?:that|of|who|whose|which|with)|ones? (?:that|who|whose|which)|what is left|what (?:it|they) holds?)\b/,
    // `X is no Y`; "there is no X" is plain.
    /(?<!\bthere[\s*]{1,9})\b(?:is|are|was|were|be) no\b(?! (?:longer|more)\b)/,
    // A comment that begins with a pronoun names nothing: `Those of the rules`, `What is wrong`.
    /^(?:\/\*\*|\/\/)[\s*]*(?:those|of (?:those|them)|what is wrong)\b/,
    // `null: none`, `there are none`: "null when absent".
    /\b(?:is|are|was|were|be) none\b|\b(?:null|empty|absent|undefined|\d+): none\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
const TEXTS = new Set(['StringLiteral', 'TemplateElement', 'JSXText']);
const EMPTY_NAMES = /^index$|(?:^|-)(?:utils?|helpers?|managers?|common|misc)$/;

/** Style that Biome has no rule for. */
export function checkStyle(sources) {
  return sources.flatMap((source) => [
    ...syntaxProblems(source),
    ...nameProblems(source),
    ...columnProblems(source),
    ...commentProblems(source),
    ...wordProblems(source),
    ...focusProblems(source),
    ...savedLineProblems(source),
    ...(source.path.startsWith('src/') ? docstringProblems(source) : []),
  ]);
}

function syntaxProblems({ path, isProgram }) {
  return isProgram ? [] : [{ path, line: 1, rule: 'syntax', message: 'cannot be parsed' }];
}

function nameProblems({ path }) {
  const name = path.split('/').at(-1)?.split('.')[0] ?? '';
  if (!EMPTY_NAMES.test(name)) return [];
  const message = `"${name}" says nothing: name the file by the noun that it holds`;
  return [{ path, line: 1, rule: 'name', message }];
}

function columnProblems({ path, lines, nodes, lineAt }) {
  const regexLines = new Set(
    nodes.filter(({ type }) => type === 'RegExpLiteral').map(({ start }) => lineAt(start)),
  );
  return lines.flatMap((line, index) => {
    const columns = [...line].length;
    // What the formatter leaves longer: a regular expression, a text, one long word such as a URL.
    const isBound = regexLines.has(index + 1) || hasText(line) || hasLongWord(line);
    if (columns <= COLUMNS_MAX || isBound) return [];
    const message = `${columns} columns, at most ${COLUMNS_MAX}`;
    return [{ path, line: index + 1, rule: 'columns', message }];
  });
}

/** A literal text on a line of code, which the formatter does not break. */
function hasText(line) {
  return !/^\s*(?:\/[/*]|\*)/.test(line) && /['"`]/.test(line);
}

function hasLongWord(line) {
  return line.split(/\s+/).some((word) => word.length > COLUMNS_MAX * 0.6);
}

function commentProblems({ path, comments }) {
  return comments.flatMap(({ text, line }) => {
    const word = BANNED_WORDS.exec(text)?.[0];
    if (word === undefined) return [];
    const message = `${word} in a comment: do it, or say why it is as it is`;
    return [{ path, line, rule: 'comment', message }];
  });
}

/** Comments and texts of src and workers, and titles of tests; rules quote what they look for. */
function wordProblems({ path, comments, nodes, lineAt }) {
  if (path.startsWith('src/rules/')) return [];
  const isOurs = /^(?:src|workers)\//.test(path);
  const isRead = path.startsWith('test/') ? isTitle : isText;
  const texts = [
    ...(isOurs ? comments : []),
    ...nodes
      .filter((node) => (isOurs || path.startsWith('test/')) && isRead(node))
      .map((node) => ({ text: textOf(node), line: lineAt(node.start) })),
  ];
  return texts.flatMap(({ text, line }) => {
    const word = ODD_WORDS.exec(text)?.[0];
    if (word === undefined) return [];
    return [{ path, line, rule: 'word', message: `"${word}": use the field's own term` }];
  });
}

/** A text that people may read: several words; a single one is a name. */
function isText(node) {
  return TEXTS.has(node.type) && /\S\s+\S/.test(textOf(node));
}

function textOf({ value, cooked }) {
  return String(value ?? cooked ?? '');
}

/** The pages of a root that people read, as `{path, line, rule, message}` of their odd words. */
export function checkPages(pages) {
  return pages.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const word = ODD_WORDS.exec(line)?.[0];
      if (word === undefined) return [];
      return [
        { path, line: index + 1, rule: 'word', message: `"${word}": use the field's own term` },
      ];
    }),
  );
}

/** The first argument of `test(...)`, `test.serial(...)` or `check(...)`. */
function isTitle({ type, parent, value }) {
  if (type !== 'StringLiteral' || typeof value !== 'string') return false;
  const call = parent?.type === 'CallExpression' ? parent : parent?.parent;
  if (call?.type !== 'CallExpression') return false;
  const { callee } = call;
  const name = callee.type === 'MemberExpression' ? callee.object.value : callee.value;
  return name === 'test' || name === 'check';
}

/** `test.only(...)` in any of ava's forms. */
function focusProblems({ path, nodes, lineAt }) {
  if (!path.startsWith('test/')) return [];
  const focused = nodes.filter(
    ({ type, property, parent }) =>
      type === 'MemberExpression' && property.value === 'only' && parent?.type === 'CallExpression',
  );
  return focused.map(({ start }) => {
    const message = '.only leaves the other tests out';
    return { path, line: lineAt(start), rule: 'only', message };
  });
}

/** Forms that only save a line: `{ ...{ a, b } }` and `const [a, b] = [x, y]`. */
function savedLineProblems({ path, nodes, lineAt }) {
  return nodes.flatMap((node) => {
    const message = messageOfSavedLine(node);
    return message === null ? [] : [{ path, line: lineAt(node.start), rule: 'form', message }];
  });
}

function messageOfSavedLine({ type, arguments: spread, id, init, parent }) {
  if (type === 'SpreadElement' && spread.type === 'ObjectExpression') {
    return 'a spread object literal: write its properties where they stand';
  }
  const isPair = type === 'VariableDeclarator' && init?.type === 'ArrayExpression';
  const isLoop = /^For/.test(parent?.parent?.type ?? '');
  if (
    isPair &&
    !isLoop &&
    id.type === 'ArrayPattern' &&
    !init.elements.some((one) => one?.spread)
  ) {
    return 'variables declared as a list: declare each by itself';
  }
  return null;
}

function docstringProblems({ path, exports, comments, bytes }) {
  return exports.flatMap(({ name, node, line }) => {
    const isDocumented = comments.some(
      ({ text, end }) =>
        text.startsWith('/**') &&
        end <= node.start &&
        bytes.toString('utf8', end, node.start).trim() === '',
    );
    if (isDocumented) return [];
    return [{ path, line, rule: 'docstring', message: `${name} is exported without a docstring` }];
  });
}
