/** Runs `step` on `size` items at a time, one part after the other. */
export async function inParts<Item>(
  items: readonly Item[],
  size: number,
  step: (part: Item[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += size) await step(items.slice(at, at + size));
}

/** What `find` finds for each item, in order; `size` at a time, so that others get through. */
export async function findEach<Item, Found>(
  items: readonly Item[],
  size: number,
  find: (item: Item) => Promise<Found | null>,
): Promise<Found[]> {
  const found: Found[] = [];
  await inParts(items, size, async (part) => {
    const each = await Promise.all(part.map(find));
    found.push(...each.filter((one) => one !== null));
  });
  return found;
}
