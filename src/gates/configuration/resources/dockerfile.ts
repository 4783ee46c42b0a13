import { type Entry, entriesOf, type Node, scalarsOf, valuesOf } from '../document.ts';
import { type Resource, resourceOf } from './resource.ts';

/** The instructions, each by its name; each `Stage`; the `Image` that is made in the end; all. */
export function dockerfile(root: Node): Resource[] {
  const entries = withSelfCopies(entriesOf([root]));
  // An instruction is known by its text: its number changes with each instruction before it.
  const instructions = entries.map((entry) => {
    const [text] = scalarsOf(valuesOf(entry.value, 'text'));
    return resourceOf({ type: entry.key, address: `${entry.key} ${text?.value ?? ''}`, entry });
  });
  const { start, end } = root;
  const file = {
    type: 'Dockerfile',
    address: '',
    node: root,
    around: null,
    start,
    headEnd: 1,
    end,
  };
  const starts = entries.flatMap(({ key }, index) => (key === 'FROM' ? [index] : []));
  const stages = starts.map((from, index) => entries.slice(from, starts[index + 1]));
  const last = stages.at(-1);
  return [
    ...instructions,
    ...stages.map((own, index) => stageOf('Stage', `Stage#${index + 1}`, own, own)),
    ...(last === undefined ? [] : [stageOf('Image', 'Image', last, inherited(stages))]),
    file,
  ];
}

/** Marks `from_itself` at a COPY whose source is the stage that it stands in. */
function withSelfCopies(entries: readonly Entry[]): Entry[] {
  let stage: string | undefined;
  let index = -1;
  return entries.map((entry) => {
    const first = (key: string) => scalarsOf(valuesOf(entry.value, key))[0];
    if (entry.key === 'FROM') {
      stage = first('as')?.value.toLowerCase();
      index += 1;
    }
    const from = entry.key === 'COPY' ? first('from') : undefined;
    const isSelf = from !== undefined && [stage, `${index}`].includes(from.value.toLowerCase());
    if (!isSelf || entry.value.kind !== 'map') return entry;
    const mark = { key: 'from_itself', keyStart: from.start, keyEnd: from.end };
    const value = { ...entry.value };
    value.entries = [...value.entries, { ...mark, value: { ...from, value: 'true' } }];
    return { ...entry, value };
  });
}

/** The texts of instructions by their names, and `user`, the last USER. */
function stageOf(
  type: string,
  address: string,
  own: readonly Entry[],
  all: readonly Entry[],
): Resource {
  const texts = all.flatMap((entry) => {
    return valuesOf(entry.value, 'text').map((value) => ({ ...entry, value }));
  });
  const user = texts.findLast(({ key }) => key === 'USER');
  const last = user === undefined ? [] : [{ ...user, key: 'user' }];
  const { keyStart: start = 0, keyEnd: headEnd = 0 } = own[0] ?? {};
  const end = own.at(-1)?.value.end ?? headEnd;
  const node: Node = { kind: 'map', start, end, entries: [...texts, ...last] };
  return { type, address, node, around: null, start, headEnd, end };
}

/** Instructions of the last stage; before them, the instructions of stages it is built on. */
function inherited(stages: readonly (readonly Entry[])[]): Entry[] {
  const all: (readonly Entry[])[] = [];
  for (let at = stages.length - 1; at >= 0; ) {
    const own = stages[at] ?? [];
    all.unshift(own);
    const [image] = scalarsOf(own[0] === undefined ? [] : valuesOf(own[0].value, 'image'));
    at = stages.findLastIndex(([from], index) => {
      const [name] = from === undefined ? [] : scalarsOf(valuesOf(from.value, 'as'));
      return index < at && name !== undefined && name.value === image?.value;
    });
  }
  return all.flat();
}
