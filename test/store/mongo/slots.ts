/** Databases that tests of one process have open at once: each costs the server a dozen files. */
const OPEN_MAX = 4;

let open = 0;
const waiting: (() => void)[] = [];

/** Waits for its turn; resolves with what ends it. */
export async function takeSlot(): Promise<() => void> {
  if (open >= OPEN_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  open += 1;
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    open -= 1;
    waiting.shift()?.();
  };
}
