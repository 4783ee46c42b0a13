import test from 'ava';
import { PUSH_STORE } from '../../../src/store/limits.ts';
import { createTurns } from '../../../src/store/steps/turns.ts';

const repo = (repo_key: string) => ({ tenant_id: 'default', repo_key });

test('createTurns goes on once where a search was given up, else behind the last claim', (t) => {
  const turns = createTurns();
  t.is(turns.start(null), null);
  t.deepEqual(turns.start(repo('a')), repo('a'));
  turns.stopBehind({ ...repo('m'), ref: 'refs/heads/main' } as never);
  t.deepEqual(turns.start(repo('a')), repo('m'));
  t.deepEqual(turns.start(repo('a')), repo('a'));
});

test('createTurns knows the last ref of the repositories that had their turn last', (t) => {
  const turns = createTurns();
  t.is(turns.lastRef(repo('a')), '');
  turns.taken({ ...repo('a'), ref: 'refs/heads/one' });
  turns.taken({ ...repo('a'), ref: 'refs/heads/two' });
  turns.taken({ ...repo('b'), ref: 'refs/heads/one' });
  t.is(turns.lastRef(repo('a')), 'refs/heads/two');
  t.is(turns.lastRef({ ...repo('a'), tenant_id: 'other' }), '');
  for (let n = 0; n < PUSH_STORE.TURNS_REMEMBERED - 1; n += 1) {
    turns.taken({ ...repo(`more-${n}`), ref: 'refs/heads/main' });
  }
  t.is(turns.lastRef(repo('a')), '', 'the oldest is forgotten');
  t.is(turns.lastRef(repo('b')), 'refs/heads/one');
});
