/**
 * Text that ends, hangs or slows a parser when it is repeated often enough: nesting and chains of
 * every kind, and the one form that needs no repetition.
 */
export interface CrashForm {
  name: string;
  before?: string;
  /** Stands `n` times; `#` is its number. */
  open: string;
  middle?: string;
  /** Stands `n` times. */
  close?: string;
  /** Extension of the file that it is sent as. */
  extension: 'ts' | 'tsx';
}

const TS = 'ts';

export const CRASH_FORMS: readonly CrashForm[] = [
  { name: 'parens', open: '(', middle: '1', close: ')', extension: TS },
  { name: 'arrays', open: '[', close: ']', extension: TS },
  { name: 'blocks', open: '{', close: '}', extension: TS },
  { name: 'objects', before: 'x=', open: '{a:', middle: '1', close: '}', extension: TS },
  { name: 'unary', open: '!', middle: '1', extension: TS },
  { name: 'ternary', before: 'x=', open: 'a?b:', middle: 'c', extension: TS },
  { name: 'ifs', open: 'if(a)', middle: ';', extension: TS },
  { name: 'elseif', before: 'if(a);', open: 'else if(a);', extension: TS },
  { name: 'arrows', before: 'x=', open: 'a=>', middle: '1', extension: TS },
  { name: 'calls', before: 'f', open: '()', extension: TS },
  { name: 'members', before: 'a', open: '.b', extension: TS },
  { name: 'plus', before: 'x=1', open: '+1', extension: TS },
  { name: 'power', before: 'x=1', open: '**1', extension: TS },
  { name: 'assign', open: 'a=', middle: '1', extension: TS },
  {
    name: 'templates',
    before: 'x=',
    open: '`$'.concat('{'),
    middle: '1',
    close: '}`',
    extension: TS,
  },
  { name: 'jsx', before: 'x=', open: '<a>', close: '</a>', extension: 'tsx' },
  { name: 'types', before: 'type T=', open: 'A<', middle: 'A', close: '>', extension: TS },
  { name: 'news', open: 'new ', middle: 'a', extension: TS },
  { name: 'awaits', open: 'await ', middle: 'a', extension: TS },
  { name: 'functions', open: 'function f(){', close: '}', extension: TS },
  { name: 'labels', open: 'l#:', middle: ';', extension: TS },
  { name: 'open parens', open: '(', extension: TS },
  { name: 'open types', before: 'let a:', open: '(', extension: TS },
  { name: 'less', before: 'x=', open: 'a<', extension: TS },
  { name: 'namespaced member', before: 'x=<a:b.c/>', open: '', extension: 'tsx' },
];

/** Sizes in turn: from harmless in most forms to deadly in all. */
export const SIZES = [300, 1_000, 3_000, 10_000, 50_000];

/** A line that gate 2 has to look at. */
export const SINK_LINE = 'child_process.exec(cmd + req.query.x);';

/** The form's text, repeated `n` times. */
export function crashText(form: CrashForm, n: number): string {
  const { before = '', open, middle = '', close = '' } = form;
  const opens = open.includes('#')
    ? Array.from({ length: n }, (_, index) => open.replace('#', String(index))).join('')
    : open.repeat(n);
  return `${before}${opens}${middle}${close.repeat(n)}`;
}
