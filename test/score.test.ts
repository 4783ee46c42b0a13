import test from 'ava';
import { HISTORY } from '../src/limits.ts';
import { analyze, change, newFile, request, startDaemonProcess, temporaryDir } from './daemon.ts';

/** A change of one line in a file that is there. */
function edit(path: string, text: string): string {
  const head = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n`;
  return `${head}@@ -1,1 +1,1 @@\n-old\n+${text}\n`;
}

test.serial('the score of a change knows the earlier changes of its repository', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const post = async (diff: string, message = 'Change') => {
    const { body } = await analyze(daemon.url, change(diff, { commit_message: message }));
    const read = await request(`${daemon.url}/rfc/${body.data.rfc_id}`);
    const { change_risk, factors } = read.body.data.score;
    return { change_risk, text: factors.join('; ') };
  };
  const large = newFile('src/large.py', 'x = 1\n'.repeat(300));
  const first = await post(large);
  t.regex(first.text, /300 non-blank lines added/);
  t.notRegex(first.text, /in this repository/);
  for (let n = 1; n < HISTORY.CHANGES_MIN; n += 1) {
    await post(edit('src/small.py', `value = ${n}`), 'Fix the value');
  }
  const another = newFile('src/another.py', 'y = 1\n'.repeat(300));
  const later = await post(another);
  t.regex(later.text, /larger than usual in this repository/);
  // Posted again, a diff meets the history that it met the first time.
  t.deepEqual(await post(another), later);
  t.deepEqual(await post(large), first);
  t.is(await daemon.stop(), 0);
});
