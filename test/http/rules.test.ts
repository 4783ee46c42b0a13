import test from 'ava';
import { createRulesHandlers } from '../../src/http/api/handlers-rules.ts';
import { createDispatch } from '../../src/http/server/dispatch.ts';
import type { RulesKeeper } from '../../src/rulebook/rules-keeper.ts';
import { openDoor } from './door.ts';
import { sendTo } from './send-to.ts';
import { unusedHandlers } from './unused-handlers.ts';

/** The front door over rules that take whatever comes; `texts` were given to a scan thread. */
function createRulesDoor() {
  const texts: string[] = [];
  const comments: string[] = [];
  const keeper = {
    inForce: () => ({ number: 1, revision: 'r1' }),
    replace: async (_: unknown, { comment }: { comment: string }) => {
      comments.push(comment);
      return { number: 2 };
    },
  } as unknown as RulesKeeper;
  const handlers = createRulesHandlers(
    keeper,
    () => Promise.reject(new Error('not of this test')),
    async (given) => {
      texts.push(...given);
      return given.map((text) => text.replaceAll('hunter2', '…'));
    },
  );
  const door = createDispatch({ ...unusedHandlers(), ...handlers }, openDoor());
  return { door, texts, comments };
}

test('secrets in the comment of new rules are hidden; no thread is asked without one', async (t) => {
  const { door, texts, comments } = createRulesDoor();
  const put = (query: string) => sendTo(door, 'rules', { version: 1 }, { method: 'PUT', query });
  t.is((await put('')).status, 200);
  t.is((await put('comment=')).status, 200);
  t.deepEqual(texts, []);
  t.is((await put('comment=hunter2%20was%20found')).status, 200);
  t.deepEqual(texts, ['hunter2 was found']);
  t.deepEqual(comments, ['', '', '… was found']);
});
