/** What a new credential's answer says of scopes that its role cannot use. */
import { expect, it } from 'vitest';
import type { Role } from '../../src/core/access.ts';
import { credentialWarnings, scopeWarnings } from '../../src/core/scope-roles.ts';

it.each<[Role, string[], string[]]>([
  ['viewer', ['wallets:read', 'auth:write', 'fees:write'], []],
  ['viewer', ['*'], ['* can only read with the role viewer: to write needs the role operator']],
  ['operator', ['*'], []],
  ['admin', ['*'], []],
  ['admin', ['users:write', 'oauth-clients:write', 'compliance:write'], []],
  [
    'viewer',
    ['wallets:write', 'compliance:read', 'transactions:write', 'users:read'],
    [
      'wallets:write, transactions:write can only read with the role viewer: to write needs the role operator',
      'compliance:read does nothing with the role viewer: it needs the role operator',
      'users:read does nothing with the role viewer: it needs the role admin',
    ],
  ],
  [
    'operator',
    ['oauth-clients:write', 'users:write', 'wallets:write'],
    [
      'oauth-clients:write can only read with the role operator: to write needs the role admin',
      'users:write does nothing with the role operator: it needs the role admin',
    ],
  ],
])('of the role %s with %s', (role, scopes, said) => expect(scopeWarnings({ role, scopes })).toEqual(said));

it.each<[string, 'client' | null, string[], boolean, number]>([
  ['without a key', 'client', ['wallets:write'], true, 1],
  ['without a key, for all', 'client', ['*'], true, 1],
  ['with a key', null, ['wallets:write'], true, 0],
  ['that shall only read', 'client', ['wallets:read'], true, 0],
  ['that need not sign', 'client', ['wallets:write'], false, 0],
])('%s', (_, keyless, scopes, requireSignature, warnings) => {
  const said = credentialWarnings({ role: 'operator', scopes, requireSignature }, keyless);
  expect(said).toHaveLength(warnings);
  if (warnings > 0) expect(said[0]).toContain('made without public_key, this client can only read');
});
