/**
 * The language in the middle. Each language is lowered to it, and one engine evaluates it. Read
 * this file first: it holds every form that the engine knows.
 *
 * - It is structured: blocks, branches and loops, no jumps but `break`, `continue`, `return` and
 *   `throw`. Branches join, loops run until nothing changes, so the engine needs no worklist.
 * - Names are resolved when a tree is lowered: a variable is a number, one per declaration of the
 *   file. What no declaration of the file explains is a `name`, with the path of a package where
 *   an import says it.
 * - Expressions are trees, and calls stand within them in the order of evaluation. (Calls apart
 *   from expressions would need temporaries for `a && f(b)`, and the engine twice the forms.)
 * - What a lowering does not understand is `unknown` with its children, and counted: data passes
 *   through it, nothing is dropped.
 */

/** A value that is known when the program is read. */
export type Constant = string | number | boolean | null;

/** Offsets of the text that was parsed, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Index into `Module.variables`. */
export type Variable = number;
/** Index into `Module.functions`. */
export type FunctionId = number;
/** Index into `Module.classes`. */
export type ClassId = number;

/** A type as it is written, and what it stands for. */
export interface Type {
  /**
   * As it is written, without its arguments: `Map`, `java.util.Map`, `int`; `|` where it is one of
   * its arguments, `literal` where it is values that are written out.
   */
  readonly name: string;
  /** The class of this file that it is; null: another one. */
  readonly own: ClassId | null;
  /** Its path from a package, as the catalogue writes it; null: not known. */
  readonly path: string | null;
  /** What stands between the angle brackets, or the element of an array. */
  readonly arguments: readonly Type[];
  readonly isList: boolean;
}

/** What is called with values in order, by name, or spread from a list. */
export interface Argument {
  readonly value: Expression;
  /** `name=value` of languages that have it; null: by its place. '' of a table that is spread. */
  readonly name: string | null;
  readonly isSpread: boolean;
}

export type Expression = Span &
  (
    | { readonly form: 'constant'; readonly value: Constant }
    | { readonly form: 'load'; readonly variable: Variable }
    /** A name that the file does not declare. */
    | { readonly form: 'name'; readonly name: string; readonly path: string | null }
    /** A class of the file. */
    | { readonly form: 'class'; readonly id: ClassId }
    | { readonly form: 'member'; readonly object: Expression; readonly name: string }
    | { readonly form: 'index'; readonly object: Expression; readonly key: Expression }
    /** `receiver` null: a function by its name alone. */
    | {
        readonly form: 'call';
        readonly receiver: Expression | null;
        readonly name: string;
        /** The path of a function that was imported by name; null: not known. */
        readonly path: string | null;
        readonly arguments: readonly Argument[];
        /** The last name of what is called: where findings point. */
        readonly at: Span;
        /** A base's method from the class that overrides it: `super.m()`. */
        readonly isBase: boolean;
      }
    | {
        readonly form: 'new';
        readonly type: Type;
        readonly arguments: readonly Argument[];
        readonly at: Span;
      }
    /**
     * A call of what an expression gives: a variable, a member, another call. A member keeps what
     * it is called on. `name` is the last name as written; '' when absent. `isNew`: it makes an
     * object.
     */
    | {
        readonly form: 'apply';
        readonly callee: Expression;
        readonly name: string;
        readonly arguments: readonly Argument[];
        readonly at: Span;
        readonly isNew: boolean;
      }
    /** Text put together of parts. */
    | { readonly form: 'text'; readonly parts: readonly Expression[] }
    /** A text that a function is put before: `sql` of a template; texts and values take turns. */
    | { readonly form: 'tag'; readonly tag: Expression; readonly parts: readonly Expression[] }
    | { readonly form: 'list'; readonly items: readonly Expression[] }
    /** Values that a function gives back together: `return name, err`. */
    | { readonly form: 'results'; readonly items: readonly Expression[] }
    /**
     * One of the values that an expression gives together, from 0; `count`: how many of them are
     * data. `tells`: it says how a call went, by being true (`success`) or by being there at all
     * (`failure`); null: it is data.
     */
    | {
        readonly form: 'result';
        readonly of: Expression;
        readonly index: number;
        readonly count: number;
        readonly tells: 'success' | 'failure' | null;
      }
    /** A part of a text or list; `from` and `to` null: from its beginning, to its end. */
    | {
        readonly form: 'slice';
        readonly object: Expression;
        readonly from: Expression | null;
        readonly to: Expression | null;
      }
    /** All elements of a list, within another one. */
    | { readonly form: 'spread'; readonly value: Expression }
    /** An object or table that is written with its content. */
    | { readonly form: 'object'; readonly entries: readonly Entry[] }
    /** The rest of a value: elements from an index on, or all members but these. */
    | {
        readonly form: 'rest';
        readonly value: Expression;
        readonly from: number;
        readonly without: readonly string[];
      }
    /** A regular expression that is written as such. */
    | { readonly form: 'pattern'; readonly text: string; readonly flags: string }
    /** An element of markup: `<a href={x}>`; '' of a fragment. */
    | {
        readonly form: 'element';
        readonly name: string;
        /** The function or class that makes it; null: markup itself knows it. */
        readonly component: Expression | null;
        readonly attributes: readonly Entry[];
        readonly children: readonly Expression[];
      }
    /** Waits for a value that is still to come. */
    | { readonly form: 'await'; readonly value: Expression }
    /** Gives a value to the caller and goes on. */
    | { readonly form: 'yield'; readonly value: Expression; readonly isAll: boolean }
    /**
     * Signs that are words: `typeof`, `void`, `delete`, and `keys`: the names of all members; `&`
     * is the address of a place, `*` what a pointer leads to: a place, too.
     */
    | { readonly form: 'unary'; readonly sign: string; readonly operand: Expression }
    /**
     * Arithmetic and comparisons; `+` adds numbers and joins texts, `in` asks whether the left one
     * is an element or key of the right one.
     */
    | {
        readonly form: 'binary';
        readonly sign: string;
        readonly left: Expression;
        readonly right: Expression;
      }
    | {
        readonly form: 'logic';
        /** `coalesce`: the right one where the left one is missing. */
        readonly sign: 'and' | 'or' | 'coalesce';
        readonly left: Expression;
        readonly right: Expression;
      }
    | {
        readonly form: 'choose';
        readonly test: Expression;
        readonly yes: Expression;
        readonly no: Expression;
      }
    /** `sign` is that of `a += b`; null: a plain assignment. Gives the old value if `isAfter`. */
    | {
        readonly form: 'assign';
        readonly place: Expression;
        readonly sign: string | null;
        readonly value: Expression;
        readonly isAfter: boolean;
      }
    | { readonly form: 'closure'; readonly id: FunctionId }
    /** A method as a value: `this::clean`, `File::new`. */
    | { readonly form: 'reference'; readonly object: Expression; readonly name: string }
    | { readonly form: 'cast'; readonly type: Type; readonly value: Expression }
    /** `bind`: the variable that holds the value where it is of the type; null when absent. */
    | {
        readonly form: 'is';
        readonly type: Type | null;
        readonly value: Expression;
        readonly bind: Variable | null;
      }
    /** Statements that leave a value in a variable. */
    | { readonly form: 'run'; readonly body: readonly Statement[]; readonly result: Variable }
    | { readonly form: 'unknown'; readonly what: string; readonly children: readonly Expression[] }
  );

/** A key with its value; `key` null: all that another object holds. */
export interface Entry extends Span {
  readonly key: Expression | null;
  readonly value: Expression;
  /** The value is a function that gives or takes what the key holds; null: another value. */
  readonly accessor: 'get' | 'set' | null;
}

export type Statement = Span &
  (
    | { readonly form: 'evaluate'; readonly value: Expression }
    /** A function that its whole block sees; by itself it is looked at where the block ends. */
    | { readonly form: 'function'; readonly variable: Variable; readonly id: FunctionId }
    /** `value` null: it holds nothing yet. */
    | {
        readonly form: 'declare';
        readonly variable: Variable;
        readonly type: Type | null;
        readonly value: Expression | null;
        readonly annotations: readonly Annotation[];
      }
    | {
        readonly form: 'if';
        readonly test: Expression;
        readonly yes: readonly Statement[];
        readonly no: readonly Statement[];
      }
    /** While the test holds (null: for ever); `step` runs after each round. */
    | {
        readonly form: 'loop';
        readonly test: Expression | null;
        readonly isTestedLast: boolean;
        readonly body: readonly Statement[];
        readonly step: readonly Expression[];
        readonly label: string | null;
      }
    /** Once for each element; `key` holds its index or key. */
    | {
        readonly form: 'each';
        readonly variable: Variable;
        readonly key?: Variable | null;
        readonly type: Type | null;
        readonly of: Expression;
        readonly body: readonly Statement[];
        readonly label: string | null;
      }
    /** A case goes on in the next one if nothing leaves it. */
    | {
        readonly form: 'switch';
        readonly subject: Expression;
        readonly cases: readonly Case[];
        readonly label: string | null;
      }
    | {
        readonly form: 'try';
        readonly body: readonly Statement[];
        readonly handlers: readonly Handler[];
        readonly last: readonly Statement[];
      }
    | { readonly form: 'block'; readonly body: readonly Statement[]; readonly label: string | null }
    | { readonly form: 'return'; readonly value: Expression | null }
    | { readonly form: 'throw'; readonly value: Expression | null }
    | { readonly form: 'break' | 'continue'; readonly label: string | null }
    /** What does not hold does not come to what follows. */
    | { readonly form: 'assert'; readonly test: Expression }
  );

export interface Case {
  /** Values of the subject; null: all that no other case takes. */
  readonly values: readonly Expression[] | null;
  readonly body: readonly Statement[];
}

export interface Handler {
  readonly variable: Variable | null;
  readonly body: readonly Statement[];
}

/** Data beside a declaration, from which roles come: `@GetMapping("/a")`. */
export interface Annotation extends Span {
  /** Its last name. */
  readonly name: string;
  readonly path: string | null;
  /** What is called to decorate; absent where a language only notes annotations. */
  readonly callee?: Expression;
  /** As it is written. */
  readonly text: string;
  readonly arguments: readonly Expression[];
}

export interface Parameter extends Span {
  readonly variable: Variable;
  readonly name: string;
  readonly type: Type | null;
  readonly annotations: readonly Annotation[];
  readonly isRest: boolean;
  /** All that is given by names that no parameter has: `**options`. */
  readonly isTable?: boolean;
  /** Its value where a call does not give it. */
  readonly initial?: Expression | null;
  /** Members that it is taken apart into where it is declared: `({ body, query })`. */
  readonly keys?: readonly string[];
}

export interface FunctionDeclaration extends Span {
  readonly id: FunctionId;
  /** '' of a function without a name. */
  readonly name: string;
  readonly kind: 'method' | 'constructor' | 'closure' | 'initializer' | 'getter' | 'setter';
  readonly parameters: readonly Parameter[];
  /** Null: it is declared without a body. */
  readonly body: readonly Statement[] | null;
  readonly result: Type | null;
  /** The class whose member it is; null when absent. */
  readonly owner: ClassId | null;
  readonly isStatic: boolean;
  /** Only functions of this file can call it. */
  readonly isPrivate: boolean;
  readonly annotations: readonly Annotation[];
  /** Expressions and statements within, functions within it left out. */
  readonly size: number;
  /** Its own variables: from the first to the one before the last. */
  readonly variables: readonly [Variable, Variable];
  /** What it is called on where it has no class: `this` of a plain function. */
  readonly self?: Variable;
  /** The list of all that it is called with: `arguments`. */
  readonly given?: Variable;
  /** Its result is a value that is still to come. */
  readonly isAsync?: boolean;
  /** Its result is a list of what it yields. */
  readonly isGenerator?: boolean;
}

export interface Field extends Span {
  readonly name: string;
  readonly type: Type | null;
  readonly initial: Expression | null;
  readonly annotations: readonly Annotation[];
  readonly isStatic: boolean;
  /** Nothing in the file assigns it but its declaration, and nothing else can. */
  readonly isFixed: boolean;
  /** It holds an element that the class itself makes: one of an enumeration. */
  readonly isMember: boolean;
}

export interface ClassDeclaration extends Span {
  readonly id: ClassId;
  /** '' of a class without a name. */
  readonly name: string;
  /** `named`: another type under a name of its own, with methods; `bases` has that type. */
  readonly kind: 'class' | 'interface' | 'enum' | 'record' | 'named';
  readonly bases: readonly Type[];
  readonly fields: readonly Field[];
  readonly functions: readonly FunctionId[];
  /** Blocks that run when an object is made, or when the class is loaded. */
  readonly initializers: readonly FunctionId[];
  /** What the object is called within its methods: `this`. */
  readonly self: Variable;
  readonly annotations: readonly Annotation[];
}

/** One file, or a part of one. */
export interface Module {
  /** Names of variables, by their numbers. */
  readonly variables: readonly string[];
  readonly functions: readonly FunctionDeclaration[];
  readonly classes: readonly ClassDeclaration[];
  /** Statements outside of all functions. */
  readonly body: readonly Statement[];
  /** Types of the tree that were not understood, and how often. */
  readonly unknown: ReadonlyMap<string, number>;
  /** Offset of the first place that nests too deep to be lowered; absent: all is lowered. */
  readonly cut?: number | null;
  /** The object that holds what other files may use, when the body has run. */
  readonly exported?: Variable;
  /** The same objects of other files in view. */
  readonly exportedElsewhere?: readonly Variable[];
  /** What other files may use by its names; absent: they see no more than the text says. */
  readonly offer?: Offer;
}

/** What a file gives to others. */
export interface Offer {
  /** What stands for each name; a `name` is handed on from another file. */
  readonly names: ReadonlyMap<string, Expression>;
  /** Paths of modules all of whose names are handed on. */
  readonly stars: readonly string[];
  /** The module as a value; null: it can't be one. */
  readonly whole: Expression | null;
}

/** Expressions directly within an expression; statements of `run` are not among them. */
function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.form) {
    case 'constant':
    case 'load':
    case 'name':
    case 'class':
    case 'closure':
    case 'run':
      return [];
    case 'member':
    case 'reference':
      return [expression.object];
    case 'index':
      return [expression.object, expression.key];
    case 'call': {
      const values = expression.arguments.map(({ value }) => value);
      return expression.receiver === null ? values : [expression.receiver, ...values];
    }
    case 'new':
      return expression.arguments.map(({ value }) => value);
    case 'apply': {
      const values = expression.arguments.map(({ value }) => value);
      return [expression.callee, ...values];
    }
    case 'text':
      return expression.parts;
    case 'tag':
      return [expression.tag, ...expression.parts];
    case 'list':
    case 'results':
      return expression.items;
    case 'result':
      return [expression.of];
    case 'slice':
      return [expression.object, expression.from, expression.to].filter((one) => one !== null);
    case 'object':
      return entryParts(expression.entries);
    case 'element':
      return [
        ...(expression.component === null ? [] : [expression.component]),
        ...entryParts(expression.attributes),
        ...expression.children,
      ];
    case 'spread':
    case 'rest':
    case 'await':
    case 'yield':
      return [expression.value];
    case 'pattern':
      return [];
    case 'unary':
      return [expression.operand];
    case 'binary':
    case 'logic':
      return [expression.left, expression.right];
    case 'choose':
      return [expression.test, expression.yes, expression.no];
    case 'assign':
      return [expression.place, expression.value];
    case 'cast':
    case 'is':
      return [expression.value];
    case 'unknown':
      return expression.children;
  }
}

function entryParts(entries: readonly Entry[]): Expression[] {
  return entries.flatMap(({ key, value }) => (key === null ? [value] : [key, value]));
}

/** Statements and expressions directly within a statement or expression. */
export function childrenOf(node: Statement | Expression): readonly (Statement | Expression)[] {
  switch (node.form) {
    case 'evaluate':
      return [node.value];
    case 'declare':
    case 'return':
    case 'throw':
      return node.value === null ? [] : [node.value];
    case 'assert':
      return [node.test];
    case 'if':
      return [node.test, ...node.yes, ...node.no];
    case 'loop':
      return [...(node.test === null ? [] : [node.test]), ...node.body, ...node.step];
    case 'each':
      return [node.of, ...node.body];
    case 'switch':
      return [
        node.subject,
        ...node.cases.flatMap(({ values, body }) => [...(values ?? []), ...body]),
      ];
    case 'try':
      return [...node.body, ...node.handlers.flatMap(({ body }) => body), ...node.last];
    case 'block':
    case 'run':
      return node.body;
    case 'break':
    case 'continue':
    case 'function':
      return [];
    default:
      return partsOf(node);
  }
}
