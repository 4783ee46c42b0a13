import test from 'ava';
import { forwardedAddress } from '../../src/http/server/client-address.ts';

const CASES: [string, string][] = [
  ['', 'socket'],
  ['192.0.2.1', '192.0.2.1'],
  ['198.51.100.1, 192.0.2.1', '192.0.2.1'],
  ['203.0.113.1, 198.51.100.1, 192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['192.0.2.1, ', 'socket'],
  ['192.0.2.1, unknown', 'socket'],
  ['192.0.2.1, _hidden', 'socket'],
  ['192.0.2.1, 300.1.1.1', 'socket'],
  ['192.0.2.1\r\nX: y', 'socket'],
];

for (const [header, address] of CASES) {
  test(`forwardedAddress gives ${address} for ${JSON.stringify(header)}`, (t) => {
    t.is(forwardedAddress(header, 'socket'), address);
  });
}
