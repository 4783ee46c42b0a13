import type { Offered } from '../../../rpc/contract.ts';
import {
  childrenOf,
  type Expression,
  type FunctionDeclaration,
  type FunctionId,
  type Span,
  type Statement,
} from '../il/il.ts';
import type { Run } from './run.ts';
import type { Summary } from './summary.ts';
import { type Fact, originsIn, type Shape } from './value.ts';

/**
 * What other files get of a module: its functions by what they do with what they are given, its
 * constants by their values as far as those can decide anything.
 */
export function summariseModule(run: Run, summaryOf: (id: FunctionId) => Summary): Offered[] {
  const { functions, body, exported } = run.module;
  const own = functions.filter((declared) => {
    const isOffered =
      exported === undefined ? declared.kind !== 'closure' : run.isExported(declared.id);
    return isOffered && declared.body !== null && run.isOwnFunction(declared.id);
  });
  const found = own.map((declared) => {
    return offer(run, nameFor(run, declared), declared, functionText(run, declared, summaryOf));
  });
  for (const statement of body) {
    if (!run.isOwnPlace(statement.start)) continue;
    const named = namedValue(run, statement);
    const text = named === null ? '' : constantText(named.value);
    if (named !== null && text !== '') found.push(offer(run, named.name, statement, text));
  }
  for (const { fields, start } of run.module.classes) {
    if (!run.isOwnPlace(start)) continue;
    for (const field of fields) {
      const text = field.initial === null ? '' : constantText(field.initial);
      if (text !== '') found.push(offer(run, field.name, field, text));
    }
  }
  return found;
}

/**
 * What users of a function name: of a method its class, as `get` and `run` stand everywhere. In Go
 * a value of the package's type is used without its name.
 */
function nameFor(run: Run, { name, owner }: FunctionDeclaration): string {
  const own = owner === null || run.knowledge.traits.has('embeds') ? '' : run.classOf(owner)?.name;
  return own ? own.replace(/Impl$/, '') : name;
}

function offer(run: Run, name: string, { start, end }: Span, does: string): Offered {
  return { name, first: run.lineAt(start), last: run.lineAt(Math.max(start, end - 1)), does };
}

/** Parameters by their numbers, so that a new name for one changes nothing. */
function functionText(
  run: Run,
  declared: FunctionDeclaration,
  summaryOf: (id: FunctionId) => Summary,
): string {
  const { parameters } = declared;
  const { result, reaches } = summaryOf(declared.id);
  const numbers = new Map(parameters.map(({ variable }, index) => [variable, index]));
  const dataOf = (shape: Shape) => {
    const origins = originsIn(run.flat(shape)).map(
      ({ parameter, strength, safeFor, claimedFor }) => {
        const from = parameter === null ? strength : `p${numbers.get(parameter) ?? ''}`;
        return `${from}-${[...safeFor].sort().join()}-${[...claimedFor].sort().join()}`;
      },
    );
    return [...new Set(origins)].sort().join(' ');
  };
  const calls = reaches.map(({ call }) => {
    const given = [...call.args, ...call.options.values()].map(dataOf).join(';');
    return `${call.path ?? call.name}(${given})`;
  });
  const decides = (result.constants ?? []).filter((one) => typeof one !== 'string');
  const { whenTrue = [], whenFalse = [] } = result.verdict ?? {};
  const facts = [whenTrue, whenFalse].map((some) => factsText(some, parameters));
  const others = parameters.flatMap(({ variable }, index) =>
    [...(run.handedOn.get(variable) ?? [])].map((path) => `${path}(p${index})`),
  );
  return JSON.stringify([
    dataOf(result),
    result.path,
    decides,
    facts,
    [...new Set(calls)].sort(),
    others.sort(),
  ]);
}

/** What is proved of parameters; places in facts change with each line above. */
function factsText(facts: readonly Fact[], parameters: FunctionDeclaration['parameters']) {
  const names = new Map(parameters.map(({ name }, index) => [name, `p${index}`]));
  const plain = facts.map(({ text, bits }) => {
    const own = (word: string) => names.get(word) ?? (/^\d+$/.test(word) ? '' : word);
    return `${bits} ${text.replace(/[\w$]+/g, own)}`;
  });
  return [...new Set(plain)].sort();
}

/** The name and the value of a constant of the module; null: the statement is another one. */
function namedValue(run: Run, statement: Statement): { name: string; value: Expression } | null {
  if (statement.form === 'declare') {
    const { variable, value } = statement;
    return value === null ? null : { name: run.module.variables[variable] ?? '', value };
  }
  if (statement.form !== 'evaluate' || statement.value.form !== 'assign') return null;
  const { place, value } = statement.value;
  if (place.form === 'member') return { name: place.name, value };
  if (place.form !== 'load') return null;
  return { name: run.module.variables[place.variable] ?? '', value };
}

/** Switches and patterns in a value; by texts and numbers too little is decided. */
function constantText(value: Expression): string {
  const found = new Set<string>();
  const waiting: (Statement | Expression)[] = [value];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.form === 'constant' && typeof node.value === 'boolean') found.add(`${node.value}`);
    if (node.form === 'pattern') found.add(`/${node.text}/${node.flags}`);
    waiting.push(...childrenOf(node));
  }
  return [...found].sort().join(' ');
}
