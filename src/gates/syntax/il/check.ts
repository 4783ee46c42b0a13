import { childrenOf, type Expression, type Module, type Statement } from './il.ts';

/**
 * Flaws of a module: numbers that name nothing, spans that end before they begin, code that leaves
 * a loop or block that it does not stand in. Empty for every correct lowering.
 */
export function flawsOf(module: Module): string[] {
  const flaws: string[] = [];
  const { variables, functions, classes } = module;
  const bodies: (readonly (Statement | Expression)[])[] = [
    module.body,
    ...functions.map(({ body }) => body ?? []),
    ...classes.map(({ fields }) => fields.flatMap(({ initial }) => initial ?? [])),
  ];
  for (const [index, declared] of functions.entries()) {
    if (declared.id !== index) flaws.push(`function ${index} has the number ${declared.id}`);
    const [first, end] = declared.variables;
    if (first > end || end > variables.length) flaws.push(`function ${index}: its variables`);
    for (const { variable } of declared.parameters) {
      if (variable < first || variable >= end)
        flaws.push(`function ${index}: a parameter's number`);
    }
  }
  for (const [index, declared] of classes.entries()) {
    if (declared.id !== index) flaws.push(`class ${index} has the number ${declared.id}`);
    for (const id of [...declared.functions, ...declared.initializers]) {
      if (functions[id]?.owner !== index)
        flaws.push(`class ${index}: function ${id} is not its own`);
    }
  }
  for (const body of bodies) {
    const waiting = [...body];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const flaw = flawOf(module, node);
      if (flaw !== null) flaws.push(`${node.form} at ${node.start}: ${flaw}`);
      waiting.push(...childrenOf(node));
    }
  }
  return flaws;
}

function flawOf({ variables, functions, classes }: Module, node: Statement | Expression) {
  if (node.start > node.end) return 'it ends before it begins';
  switch (node.form) {
    case 'load':
    case 'declare':
    case 'each':
      return variables[node.variable] === undefined ? 'no such variable' : null;
    case 'closure':
    case 'function':
      return functions[node.id] === undefined ? 'no such function' : null;
    case 'class':
      return classes[node.id] === undefined ? 'no such class' : null;
    case 'assign':
      return /^(?:load|member|index|cast|unknown|name|call|apply|choose|list|text|constant|new|run|unary)$/.test(
        node.place.form,
      )
        ? null
        : 'it assigns to something else than a place';
    default:
      return null;
  }
}
