import type {
  Annotation,
  Argument,
  ClassDeclaration,
  Entry,
  Expression,
  FunctionDeclaration,
  Module,
  Statement,
} from './il.ts';

/** Levels that are printed; deeper code shows as `...`. */
const DEPTH_MAX = 100;

/** A module as text, one statement a line: for people who ask what a lowering made of a file. */
export function printModule(module: Module): string {
  const lines = [...printBody(module, module.body, 0)];
  for (const declared of module.classes) lines.push(...printClass(module, declared));
  for (const declared of module.functions) lines.push(...printFunction(module, declared));
  for (const [what, count] of module.unknown) lines.push(`not understood: ${what}, ${count} times`);
  return `${lines.join('\n')}\n`;
}

/** How a function is named: its class, its name and its number. */
export function nameOfFunction(
  module: Module,
  { id, name, owner, kind }: FunctionDeclaration,
): string {
  const own = owner === null ? '' : `${module.classes[owner]?.name ?? ''}.`;
  return `${own}${name === '' ? kind : name}#${id}`;
}

function* printClass(module: Module, declared: ClassDeclaration): Generator<string> {
  const { id, name, kind, bases, fields, annotations } = declared;
  const list = bases.map((base) => base.path ?? base.name).join(', ');
  yield `${marksOf(annotations)}${kind} ${name || 'without a name'}#${id}${list === '' ? '' : ` : ${list}`}`;
  for (const field of fields) {
    const words = [field.isStatic ? 'static' : '', field.isFixed ? 'fixed' : ''].filter(Boolean);
    const value = field.initial === null ? '' : ` = ${printExpression(module, field.initial)}`;
    const type = field.type?.path ?? field.type?.name ?? '?';
    yield `  ${marksOf(field.annotations)}field ${[...words, field.name].join(' ')}: ${type}${value}`;
  }
}

function marksOf(annotations: readonly Annotation[]): string {
  return annotations.map(({ path, name }) => `@${path ?? name} `).join('');
}

function* printFunction(module: Module, declared: FunctionDeclaration): Generator<string> {
  const parameters = declared.parameters.map(({ variable, type, annotations }) => {
    return `${marksOf(annotations)}${variableName(module, variable)}: ${type?.path ?? type?.name ?? '?'}`;
  });
  const marks = marksOf(declared.annotations);
  const sorts = [declared.isAsync ? 'async ' : '', declared.isGenerator ? 'generator ' : ''];
  const kind = /^[gs]etter$/.test(declared.kind) ? declared.kind : 'function';
  yield `${marks}${sorts.join('')}${kind} ${nameOfFunction(module, declared)}(${parameters.join(', ')})`;
  if (declared.body !== null) yield* printBody(module, declared.body, 1);
}

function variableName(module: Module, variable: number): string {
  return `${module.variables[variable] ?? ''}%${variable}`;
}

function variableNames(module: Module, { key, variable }: Statement & { readonly form: 'each' }) {
  const names = [...(key == null ? [] : [key]), variable];
  return names.map((one) => variableName(module, one)).join(', ');
}

function* printBody(module: Module, body: readonly Statement[], depth: number): Generator<string> {
  const indent = '  '.repeat(depth);
  if (depth > DEPTH_MAX) yield `${indent}...`;
  else for (const statement of body) yield* printStatement(module, statement, depth);
}

function* printStatement(module: Module, statement: Statement, depth: number): Generator<string> {
  const indent = '  '.repeat(depth);
  const text = (expression: Expression) => printExpression(module, expression);
  const inner = (body: readonly Statement[]) => printBody(module, body, depth + 1);
  switch (statement.form) {
    case 'evaluate':
      yield indent + text(statement.value);
      return;
    case 'declare': {
      const { variable, type, value } = statement;
      const given = value === null ? '' : ` = ${text(value)}`;
      yield `${indent}declare ${variableName(module, variable)}: ${type?.path ?? type?.name ?? '?'}${given}`;
      return;
    }
    case 'function':
      yield `${indent}function ${variableName(module, statement.variable)} = #${statement.id}`;
      return;
    case 'if':
      yield `${indent}if ${text(statement.test)}`;
      yield* inner(statement.yes);
      if (statement.no.length === 0) return;
      yield `${indent}else`;
      yield* inner(statement.no);
      return;
    case 'loop': {
      const test = statement.test === null ? 'for ever' : `while ${text(statement.test)}`;
      yield `${indent}loop ${test}${statement.isTestedLast ? ', tested last' : ''}`;
      yield* inner(statement.body);
      for (const step of statement.step) yield `${indent}step ${text(step)}`;
      return;
    }
    case 'each':
      yield `${indent}each ${variableNames(module, statement)} of ${text(statement.of)}`;
      yield* inner(statement.body);
      return;
    case 'switch':
      yield `${indent}switch ${text(statement.subject)}`;
      for (const { values, body } of statement.cases) {
        yield `${indent}case ${values === null ? 'all others' : values.map(text).join(', ')}`;
        yield* inner(body);
      }
      return;
    case 'try':
      yield `${indent}try`;
      yield* inner(statement.body);
      for (const { body } of statement.handlers) {
        yield `${indent}catch`;
        yield* inner(body);
      }
      if (statement.last.length > 0) yield `${indent}finally`;
      yield* inner(statement.last);
      return;
    case 'block':
      yield `${indent}block${statement.label === null ? '' : ` ${statement.label}`}`;
      yield* inner(statement.body);
      return;
    case 'return':
    case 'throw':
      yield `${indent}${statement.form}${statement.value === null ? '' : ` ${text(statement.value)}`}`;
      return;
    case 'break':
    case 'continue':
      yield `${indent}${statement.form}${statement.label === null ? '' : ` ${statement.label}`}`;
      return;
    case 'assert':
      yield `${indent}assert ${text(statement.test)}`;
  }
}

function printExpression(module: Module, expression: Expression, depth = 0): string {
  if (depth > DEPTH_MAX) return '...';
  const text = (one: Expression) => printExpression(module, one, depth + 1);
  const all = (list: readonly Expression[]) => list.map(text).join(', ');
  const given = (list: readonly Argument[]) =>
    list
      .map(({ value, name, isSpread }) => {
        const written = name === null ? text(value) : `${name}=${text(value)}`;
        return isSpread ? `...${written}` : written;
      })
      .join(', ');
  switch (expression.form) {
    case 'constant':
      return JSON.stringify(expression.value);
    case 'load':
      return variableName(module, expression.variable);
    case 'name':
      return expression.path ?? `?${expression.name}`;
    case 'class':
      return `class ${module.classes[expression.id]?.name ?? ''}#${expression.id}`;
    case 'member':
      return `${text(expression.object)}.${expression.name}`;
    case 'index':
      return `${text(expression.object)}[${text(expression.key)}]`;
    case 'call': {
      const { receiver, name, path, isBase } = expression;
      const own = isBase ? 'base.' : receiver === null ? '' : `${text(receiver)}.`;
      const called = receiver === null ? (path ?? name) : name;
      return `${own}${called}(${given(expression.arguments)})`;
    }
    case 'new': {
      const { own, path, name } = expression.type;
      const type = own === null ? (path ?? `?${name}`) : `${name}#${own}`;
      return `new ${type}(${given(expression.arguments)})`;
    }
    case 'apply': {
      const made = expression.isNew ? 'new ' : '';
      return `${made}(${text(expression.callee)})(${given(expression.arguments)})`;
    }
    case 'tag':
      return `tag ${text(expression.tag)}(${all(expression.parts)})`;
    case 'spread':
      return `...${text(expression.value)}`;
    case 'object':
      return `{${printEntries(module, expression.entries, depth)}}`;
    case 'element': {
      const { name, attributes, children } = expression;
      return `<${name} ${printEntries(module, attributes, depth)}>(${all(children)})`;
    }
    case 'rest':
      return `rest(${[text(expression.value), expression.from, ...expression.without].join(', ')})`;
    case 'pattern':
      return `/${expression.text}/${expression.flags}`;
    case 'await':
      return `await ${text(expression.value)}`;
    case 'yield':
      return `yield ${text(expression.value)}`;
    case 'text':
      return `text(${all(expression.parts)})`;
    case 'list':
      return `[${all(expression.items)}]`;
    case 'results':
      return `results(${all(expression.items)})`;
    case 'result': {
      const { of, index, tells } = expression;
      return `${text(of)}#${index}${tells === null ? '' : ` as ${tells}`}`;
    }
    case 'slice': {
      const bounds = [expression.from, expression.to].map((one) => (one === null ? '' : text(one)));
      return `${text(expression.object)}[${bounds.join(':')}]`;
    }
    case 'unary': {
      const { sign, operand } = expression;
      return /\w/.test(sign) ? `${sign} ${text(operand)}` : `${sign}${text(operand)}`;
    }
    case 'binary':
    case 'logic':
      return `(${text(expression.left)} ${expression.sign} ${text(expression.right)})`;
    case 'choose':
      return `(${text(expression.test)} ? ${text(expression.yes)} : ${text(expression.no)})`;
    case 'assign':
      return `${text(expression.place)} ${expression.sign ?? ''}= ${text(expression.value)}`;
    case 'closure':
      return `closure #${expression.id}`;
    case 'reference':
      return `${text(expression.object)}::${expression.name}`;
    case 'cast':
      return `(${expression.type.path ?? expression.type.name}) ${text(expression.value)}`;
    case 'is':
      return `${text(expression.value)} is ${expression.type?.name ?? '?'}`;
    case 'run':
      return `run(${[...printBody(module, expression.body, 0)].join('; ')})`;
    case 'unknown':
      return `unknown ${expression.what}(${all(expression.children)})`;
  }
}

function printEntries(module: Module, entries: readonly Entry[], depth: number): string {
  return entries
    .map(({ key, value, accessor }) => {
      const given = printExpression(module, value, depth + 1);
      if (key === null) return `...${given}`;
      const sort = accessor === null ? '' : `${accessor} `;
      return `${sort}${printExpression(module, key, depth + 1)}: ${given}`;
    })
    .join(', ');
}
