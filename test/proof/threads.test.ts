import test from 'ava';
import { proveKind } from '../../bench/ground/ground.ts';
import { KINDS } from '../../bench/ground/kinds.ts';

/** The seed of `bench/ground/thread-replacement`, which loses 500 threads of each kind. */
const COUNT = 5;

for (const kind of KINDS) {
  test.serial(`a process that uses RE2 lives on when it loses threads by ${kind}`, async (t) => {
    const { ended, result } = await proveKind(kind, COUNT);
    t.is(ended, 'exit 0');
    t.is(result?.count, COUNT);
    t.is(result?.witnessErrors, 0, 'another thread matched wrongly');
    t.is(result?.children.running, 0, 'a child outlived its thread');
    // Children of a thread's own stay defunct: nobody waits for them any more (nodejs/node#46569).
    if (kind !== 'terminate-own-child') t.is(result?.children.defunct, 0);
  });
}
