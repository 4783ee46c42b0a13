import { MIGRATIONS } from '../limits.ts';

export type CodeLanguage = 'ruby' | 'python' | 'javascript';

interface Token {
  readonly kind: 'word' | 'text' | 'symbol';
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** Blanks before it, if it is the first of its line. */
  readonly indent: number | null;
}

/** A call in a migration, as it stands. */
export interface Call {
  /** With what is before its dots: `op.drop_column`, `t.remove`, `.dropTable`. */
  readonly name: string;
  readonly args: readonly Argument[];
  /** Of JavaScript, names of the methods that are called on its result, in order. */
  readonly chain: readonly string[];
  /** It stands in what takes the migration back. */
  readonly isUndo: boolean;
  readonly start: number;
  readonly end: number;
}

interface Argument {
  /** The name before `:` or `=`. */
  readonly key: string | null;
  /** A text or symbol; null: it is an expression. */
  readonly value: string | null;
  /** Its tokens with a blank between. */
  readonly words: string;
  /** The texts in it, joined: adjacent ones are one, and a call around them says nothing more. */
  readonly texts: string;
}

/** Calls of functions with these names, and whether the file says how to take it back. */
export function callsOf(
  language: CodeLanguage,
  text: string,
  names: ReadonlySet<string>,
): { calls: Call[]; undo: 'none' | 'empty' | 'there' } {
  const tokens = tokensOf(language, text);
  const undo = undoOf(language, tokens);
  const calls = tokens.flatMap(({ kind, value, start }, index): Call[] => {
    const last = value.slice(value.lastIndexOf('.') + 1);
    if (kind !== 'word' || !names.has(last)) return [];
    const before = tokens[index - 1]?.value ?? '';
    if (before === 'def' || before === 'function') return [];
    const args = argumentsOf(language, tokens, index);
    if (args === null) return [];
    const chain = language === 'javascript' ? chainBehind(tokens, args.next) : [];
    const { list, end } = args;
    return [{ name: value, args: list, chain, isUndo: undo.isIn(index), start, end }];
  });
  return { calls, undo: undo.kind };
}

const COMMENTS: Readonly<Record<CodeLanguage, RegExp>> = {
  ruby: /#[^\n]*/y,
  python: /#[^\n]*/y,
  javascript: /\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/y,
};
const STRINGS: Readonly<Record<CodeLanguage, RegExp>> = {
  ruby: /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*'|%[qQ]?[({[][^)}\]]{0,2000}[)}\]]/y,
  python:
    /"""(?:[^"\\]|\\[\s\S]|"(?!""))*"""|'''(?:[^'\\]|\\[\s\S]|'(?!''))*'''|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'/y,
  javascript:
    /"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'|`[^`\\]*(?:\\[\s\S][^`\\]*)*`/y,
};
const WORD = /[\p{L}\p{N}_$@.]+[?!]?/uy;
const SYMBOL = /:[A-Za-z_]\w*/y;
const HEREDOC = /<<[~-]?(['"]?)([A-Z]\w*)\1/y;

function tokensOf(language: CodeLanguage, text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let lineStart = 0;
  let isFirst = true;
  /** Texts of Ruby that begin on the next line, in order. */
  let heredocs: { end: string; token: number }[] = [];
  const read = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  const add = (kind: Token['kind'], value: string, length: number) => {
    const indent = isFirst ? at - lineStart : null;
    tokens.push({ kind, value, start: at, end: at + length, indent });
    isFirst = false;
    at += length;
  };
  while (at < text.length) {
    const char = text[at] as string;
    if (char === '\n') {
      at += 1;
      for (const { end, token } of heredocs) {
        const close = new RegExp(`^[ \\t]*${end}\\b`, 'gm');
        close.lastIndex = at;
        const to = close.exec(text)?.index ?? text.length;
        tokens[token] = { ...(tokens[token] as Token), value: text.slice(at, to) };
        const behind = text.indexOf('\n', to);
        at = behind === -1 ? text.length : behind + 1;
      }
      heredocs = [];
      lineStart = at;
      isFirst = true;
      continue;
    }
    if (char <= ' ') {
      at += 1;
      continue;
    }
    const comment = read(COMMENTS[language]);
    if (comment !== null) {
      at += comment.length;
      continue;
    }
    const quoted = read(STRINGS[language]);
    if (quoted !== null) {
      const edge = /^(?:"""|''')/.test(quoted)
        ? 3
        : quoted[0] === '%'
          ? quoted.search(/[({[]/) + 1
          : 1;
      const inner = quoted.slice(edge, quoted.length - Math.min(edge, quoted[0] === '%' ? 1 : 3));
      add('text', inner.replace(/\\(["'`])/g, '$1'), quoted.length);
      continue;
    }
    if (char === '"' || char === "'" || (char === '`' && language === 'javascript')) {
      // It does not end: the rest of what it may hold is text.
      const isLine = char !== '`' && language !== 'ruby' && !text.startsWith(char.repeat(3), at);
      const to = isLine ? text.indexOf('\n', at) : -1;
      add(
        'text',
        text.slice(at + 1, to === -1 ? text.length : to),
        (to === -1 ? text.length : to) - at,
      );
      continue;
    }
    const symbol = language === 'ruby' && text[at - 1] !== ':' ? read(SYMBOL) : null;
    const heredoc = language === 'ruby' ? read(HEREDOC) : null;
    const word = read(WORD);
    if (symbol !== null) add('text', symbol.slice(1), symbol.length);
    else if (heredoc !== null) {
      heredocs.push({ end: heredoc.replace(/^<<[~-]?['"]?|['"]$/g, ''), token: tokens.length });
      add('text', '', heredoc.length);
    } else if (word !== null) add('word', word, word.length);
    else add('symbol', char, 1);
  }
  return tokens;
}

/** The arguments of the call whose name stands at an index; null: nothing is called. */
function argumentsOf(language: CodeLanguage, tokens: readonly Token[], index: number) {
  let at = index + 1;
  const name = tokens[index] as Token;
  // Type arguments of TypeScript.
  if (language === 'javascript' && tokens[at]?.value === '<') {
    while (at < index + 20 && tokens[at]?.value !== '>') at += 1;
    at += 1;
  }
  const isOpen = tokens[at]?.value === '(' && tokens[at]?.kind === 'symbol';
  if (!isOpen && language !== 'ruby') return null;
  const list: Argument[] = [];
  let own: Token[] = [];
  let depth = 0;
  let end = name.end;
  const push = () => {
    if (own.length > 0) list.push(argumentOf(own));
    own = [];
  };
  if (isOpen) at += 1;
  const last = at + MIGRATIONS.CALL_TOKENS_MAX;
  for (; at < Math.min(tokens.length, last); at += 1) {
    const token = tokens[at] as Token;
    const isEdge = token.kind === 'symbol';
    // Without parentheses a call of Ruby ends with its line, unless a comma says more.
    const before = tokens[at - 1]?.value;
    if (!isOpen && depth === 0) {
      const isNext = token.indent !== null && before !== ',' && before !== '(' && before !== '=';
      if (isNext || token.value === 'do' || token.value === 'if' || token.value === 'unless') break;
      if (isEdge && token.value === '{') break;
    }
    if (isEdge && /[([{]/.test(token.value)) depth += 1;
    if (isEdge && /[)\]}]/.test(token.value)) depth -= 1;
    if (depth < 0) {
      if (isOpen) end = token.end;
      break;
    }
    end = token.end;
    if (isEdge && token.value === ',' && depth === 0) push();
    else own.push(token);
  }
  push();
  return { list, end, next: at + 1 };
}

/** Names of methods that are called behind the token at an index: `.where(...).del()`. */
function chainBehind(tokens: readonly Token[], index: number): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const { kind, value } of tokens.slice(index, index + MIGRATIONS.CALL_TOKENS_MAX)) {
    const isEdge = kind === 'symbol';
    if (depth === 0 && kind === 'word' && value[0] === '.') names.push(value.slice(1));
    else if (depth === 0 && !(isEdge && value === '(')) break;
    if (isEdge && /[([{]/.test(value)) depth += 1;
    if (isEdge && /[)\]}]/.test(value)) depth -= 1;
  }
  return names;
}

function argumentOf(tokens: readonly Token[]): Argument {
  const [first, second] = tokens;
  const isNamed =
    second?.kind === 'symbol' && /[:=]/.test(second.value) && tokens[2]?.value !== '=';
  const isArrow = second?.value === '=' && tokens[2]?.value === '>';
  const key = isNamed || isArrow ? (first?.value ?? null) : null;
  const own = key === null ? tokens : tokens.slice(isArrow ? 3 : 2);
  const [only] = own;
  const texts = own.filter(({ kind }) => kind === 'text').map(({ value }) => value);
  return {
    key,
    value: own.length === 1 && only !== undefined ? only.value : null,
    words: own.map(({ value }) => value).join(' '),
    texts: texts.join(' '),
  };
}

const UNDO: Readonly<Record<CodeLanguage, RegExp>> = {
  ruby: /^(?:self\.)?down$|^\w+\.down$|^revert$/,
  python: /downgrade|backwards?|reverse|undo|rollback|_down\b|^state_operations$/i,
  javascript: /^(?:(?:module\.)?exports\.)?(?:safe)?down$/i,
};

/** Where the code stands that takes a migration back. */
function undoOf(language: CodeLanguage, tokens: readonly Token[]) {
  const isUndo: boolean[] = [];
  const isRun = runsUndo(language, tokens);
  let seen = false;
  let content = 0;
  /** The part that is open: it ends by its indentation or by its brackets. */
  let open: { indent: number; depth: number } | null = null;
  let depth = 0;
  let indent = 0;
  for (const [index, token] of tokens.entries()) {
    const { value, kind } = token;
    const isEdge = kind === 'symbol';
    indent = token.indent ?? indent;
    if (isEdge && /[([{]/.test(value)) depth += 1;
    if (isEdge && /[)\]}]/.test(value)) depth -= 1;
    const own: { indent: number; depth: number } | null = open;
    if (own !== null) {
      const byIndent = own.depth === -1 && token.indent !== null && token.indent <= own.indent;
      const byDepth =
        own.depth !== -1 &&
        (depth < own.depth || (depth === own.depth && isEdge && /[}\];,]/.test(value)));
      if (byIndent || byDepth) open = null;
    }
    if (open === null && kind === 'word' && UNDO[language].test(value)) {
      const before = tokens[index - 1]?.value ?? '';
      const next = tokens[index + 1]?.value ?? '';
      const isState = value === 'state_operations';
      const isDefined =
        language === 'python'
          ? before === 'def' || isState
          : language === 'ruby'
            ? before === 'def' || /\.down$/.test(value) || value === 'revert'
            : /^[=(:<]$/.test(next) && before !== '.' && !/^await$/.test(before);
      if (isDefined) {
        const byDepth = language === 'javascript' || isState;
        open = { indent, depth: byDepth ? depth : -1 };
        seen ||= !isState;
      }
    } else if (open !== null && kind === 'word' && !EMPTY.has(value)) content += 1;
    isUndo.push(open !== null);
  }
  const kind = !seen ? 'none' : content === 0 ? 'empty' : 'there';
  return { isIn: (index: number) => isUndo[index] === true && !isRun, kind } as const;
}

/** Whether the code itself calls what takes a migration back: it runs on the way forward, too. */
function runsUndo(language: CodeLanguage, tokens: readonly Token[]): boolean {
  return tokens.some(({ kind, value }, index) => {
    if (kind !== 'word' || !UNDO[language].test(value.slice(value.lastIndexOf('.') + 1))) {
      return false;
    }
    const before = tokens[index - 1]?.value ?? '';
    const next = tokens[index + 1]?.value ?? '';
    if (before === 'def' || before === 'function') return false;
    if (language === 'ruby') return value === 'down' || value === 'self.down';
    if (language === 'python') {
      const isForward = before === '(' && /RunPython$/.test(tokens[index - 2]?.value ?? '');
      return next === '(' || isForward || (before === '=' && tokens[index - 2]?.value === 'code');
    }
    return next === '(' && !isMethod(tokens, index + 1);
  });
}

/** Whether the brackets that open at an index are parameters: a body or type stands behind. */
function isMethod(tokens: readonly Token[], index: number): boolean {
  let depth = 0;
  for (const { kind, value } of tokens.slice(index, index + MIGRATIONS.CALL_TOKENS_MAX)) {
    if (depth === 0 && value !== '(') return value === '{' || value === ':';
    if (kind === 'symbol' && value === '(') depth += 1;
    if (kind === 'symbol' && value === ')') depth -= 1;
  }
  return false;
}

/** Words of a function that does nothing. */
const EMPTY = new Set(
  'pass return None Promise void async await function knex Promise.resolve queryRunner QueryRunner queryInterface Sequelize DataTypes Knex any unknown raise NotImplementedError public any _queryRunner _knex'.split(
    ' ',
  ),
);
