import test from 'ava';
import { otherKindOf, principalOf } from '../../src/auth/claims.ts';

const ROLES: [unknown, unknown, string][] = [
  [undefined, undefined, 'viewer'],
  [['submitter'], undefined, 'submitter'],
  [['viewer', 'admin', 'reviewer'], undefined, 'admin'],
  [undefined, { roles: ['cab-member', 'offline_access'] }, 'cab-member'],
  [['submitter'], { roles: ['change-manager'] }, 'change-manager'],
  [['change-manager'], { roles: ['submitter'] }, 'change-manager'],
  ['admin', undefined, 'viewer'],
  [{ 0: 'admin', length: 1 }, undefined, 'viewer'],
  [['Admin', ' admin', 'ADMIN'], undefined, 'viewer'],
  [[['admin']], undefined, 'viewer'],
  [[null, 7, {}, 'submitter'], undefined, 'submitter'],
  [undefined, { roles: 'admin' }, 'viewer'],
  [undefined, ['admin'], 'viewer'],
  [undefined, null, 'viewer'],
  [null, 'admin', 'viewer'],
  [7, 7, 'viewer'],
  [Array.from({ length: 5_000 }, () => 'x'), { roles: [] }, 'viewer'],
];

for (const [index, [meridian_roles, realm_access, role]] of ROLES.entries()) {
  test(`principalOf gives ${role} for roles of shape ${index}`, (t) => {
    const found = principalOf({ sub: 'ann', meridian_roles, realm_access });
    t.is(String(found?.role), role);
  });
}

test('principalOf takes roles from nowhere else', (t) => {
  const resource_access = { cra: { roles: ['admin'] } };
  const others = { resource_access, groups: ['admin'], scope: 'admin', roles: ['admin'] };
  t.is(principalOf({ sub: 'ann', ...others })?.role, 'viewer');
});

test('principalOf takes the tenant as it is, or the default one for odd values', (t) => {
  const tenantOf = (meridian_tenant: unknown) =>
    principalOf({ sub: 'ann', meridian_tenant })?.tenant_id;
  t.is(tenantOf('acme'), 'acme');
  t.is(tenantOf('a'.repeat(128)), 'a'.repeat(128));
  const odd = ['', 'a'.repeat(129), 7, null, ['acme'], {}, 'a\0b', '\ud800'];
  for (const tenant of odd) t.is(tenantOf(tenant), 'default');
});

test('principalOf names people by name, else by address, and never by control characters', (t) => {
  const nameOf = (claims: object) => principalOf({ sub: 'ann', ...claims })?.name;
  t.is(nameOf({ name: 'Ann', email: 'ann@example.test' }), 'Ann');
  t.is(nameOf({ email: 'ann@example.test' }), 'ann@example.test');
  t.is(nameOf({ name: 'a\r\nb', email: ['x'] }), null);
  t.is(nameOf({ name: { toString: 'x' } }), null);
});

test('principalOf is null without a usable sub', (t) => {
  for (const sub of [undefined, null, '', 7, ['ann'], 'a\nb', '\udc00', 'a'.repeat(256)]) {
    t.is(principalOf({ sub }), null);
  }
});

test('otherKindOf knows what is no access token, whatever the shapes', (t) => {
  t.is(otherKindOf({}), null);
  t.is(otherKindOf({ typ: 'Bearer' }), null);
  t.is(otherKindOf({ typ: 7 }), null);
  for (const typ of ['ID', 'id', 'Refresh', 'Offline', 'Logout']) t.truthy(otherKindOf({ typ }));
  for (const name of ['nonce', 'at_hash', 'c_hash', 'events']) {
    t.truthy(otherKindOf({ [name]: null }), name);
  }
});

for (const sub of [
  'local-admin',
  'dev-mode',
  'anonymous',
  'cra',
  'api-token:12ab',
  'override-token',
]) {
  test(`principalOf takes nobody of the issuer for ${sub}`, (t) => {
    t.is(principalOf({ sub }), null);
  });
}
