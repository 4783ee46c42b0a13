import test from 'ava';
import {
  deed,
  entriesOf,
  getRecord,
  openPlace,
  openTrail,
  phasesOf,
  putRecord,
} from './trail-harness.ts';

test('decide writes intent, record and outcome, and answers the same again', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  await putRecord(place, { rfc_id: 'RFC-1' });
  const output = await trail.decide(deed('RFC-1', 'op-1'));
  t.is(output.overall_status, 'OVERRIDDEN');
  t.is(output.decision?.decision_id, 'op-1');
  t.false(output.replayed);
  const record = await getRecord(place, 'RFC-1');
  t.is(record?.overall_status, 'OVERRIDDEN');
  t.deepEqual(record?.override_history, [output.decision]);
  t.is(record?.rev, 2);
  t.deepEqual(await phasesOf(place, 'op-1'), ['intent', 'done']);
  const again = await trail.decide(deed('RFC-1', 'op-1'));
  t.deepEqual(again, { ...output, replayed: true });
  const outcome = (await entriesOf(place, 'op-1'))[1];
  t.like(outcome, output.audit);
});
