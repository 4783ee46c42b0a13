import test from 'ava';
import { ANALYZE_REQUEST } from '../../src/model/analyze-request.ts';
import { CraError } from '../../src/model/errors.ts';
import { createValidator } from '../../src/model/validate.ts';

const GOOD = { repo_name: 'a', branch: 'b', commit_message: '', diff: 'x' };

const BAD: [string, unknown, string][] = [
  ['a number', 1, 'body: must be object'],
  ['null', null, 'body: must be object'],
  ['an array', [], 'body: must be object'],
  ['nothing in it', {}, 'repo_name: is required'],
  ['a missing diff', { ...GOOD, diff: undefined }, 'diff: is required'],
  ['a wrong type', { ...GOOD, repo_name: 5 }, 'repo_name: must be string'],
  ['an empty name', { ...GOOD, branch: '' }, 'branch: must not be empty'],
  ['an empty diff', { ...GOOD, diff: '' }, 'diff: must not be empty'],
  ['a NUL', { ...GOOD, repo_name: 'a\0' }, 'repo_name: holds a character that is not allowed'],
  ['an unknown source', { ...GOOD, diffSource: 'x' }, 'diffSource: must be one of local, pre-'],
  ['a text for a flag', { ...GOOD, postVcsStatus: 'yes' }, 'postVcsStatus: must be boolean'],
  ['a long name', { ...GOOD, branch: 'b'.repeat(1025) }, 'branch: must have at most 1024 char'],
];

for (const [title, value, message] of BAD) {
  test(`createValidator names the field and the problem of ${title}`, (t) => {
    const validate = createValidator(ANALYZE_REQUEST, 'body');
    const error = t.throws(() => validate(JSON.parse(JSON.stringify(value))), {
      instanceOf: CraError,
    });
    t.is(error?.code, 'INVALID_ARGUMENT');
    t.true(error?.message.startsWith(message), error?.message);
    t.is(error?.details['field'], message.slice(0, message.indexOf(':')));
  });
}

test('createValidator lets unknown extra fields pass', (t) => {
  const validate = createValidator(ANALYZE_REQUEST, 'body');
  t.notThrows(() => validate({ ...GOOD, extra: 1 }));
});
