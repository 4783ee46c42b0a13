import test from 'ava';
import { judged, TWIN_LANGUAGES, twinsOf } from './twins/twins.ts';

/** Of each language; of `npm run proof -- twins` each twin. */
const TWINS_RUN = 80;
const TWINS_MIN = 300;

for (const language of TWIN_LANGUAGES) {
  test(`${language}: of twins the weak one is found, and the safe one is not`, async (t) => {
    const twins = twinsOf(language);
    t.true(twins.length >= TWINS_MIN);
    // An odd step, so that all classes come.
    const step = Math.floor(twins.length / TWINS_RUN) | 1;
    const some = twins.filter((_, index) => index % step === 0);
    const missed: string[] = [];
    const alarms: string[] = [];
    for (const twin of some) {
      const { isFound, isAlarm } = await judged(twin);
      const name = `${twin.construction}: ${twin.weakness}`;
      if (!isFound) missed.push(name);
      if (isAlarm) alarms.push(name);
    }
    t.true(missed.length <= 0.05 * some.length, missed.join(', '));
    t.true(alarms.length <= 0.03 * some.length, alarms.join(', '));
  });
}
