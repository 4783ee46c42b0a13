import test from 'ava';
import { openHttpSite, openSshSite } from '../cli/fixtures/push-sites.ts';
import { forms, openScene, withoutJudgement } from '../proof/pre-receive-steps.ts';

for (const [name, open] of [
  ['git http-backend', openHttpSite],
  ['sshd', openSshSite],
] as const) {
  test.serial(
    `pre-receive behind ${name}: every push is judged, or \`fail\` decides`,
    async (t) => {
      t.timeout(300_000);
      const scene = await openScene(t, await open(t));
      await t.notThrowsAsync(forms(scene));
      await t.notThrowsAsync(withoutJudgement(scene));
    },
  );
}
