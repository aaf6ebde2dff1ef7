import { describe, expect, it } from 'vitest';
import { authorize } from '../../src/hooks/credentials/authorization.ts';
import type { Access } from '../../src/hooks/operation.ts';
import type { Caller, Credential } from '../../src/services/requests/request-context.ts';

const caller = (given: Partial<Omit<Caller, 'credential'>> = {}, credential: Partial<Credential> = {}): Caller => ({
  accountId: 'acc_one',
  accountFrozen: false,
  platform: false,
  ...given,
  credential: {
    kind: 'person',
    id: 'usr_one',
    role: 'admin',
    scopes: ['*'],
    tier: 'standard',
    limits: null,
    expiresAt: null,
    allowedIps: null,
    mayGrant: false,
    countsAs: null,
    requireSignature: true,
    signingKey: 'any',
    ...credential,
  },
});
const read = (access: Access) => ({ access, effect: 'read' }) as const;
const write = (access: Access) => ({ access, effect: 'write' }) as const;
const PLATFORM = { scope: 'accounts:write', role: 'admin', platform: true } as const;
const OWN = { scope: 'users:write', role: 'admin', own: 'user_id' } as const;

describe('authorization', () => {
  it('of what is for the platform refuses every other account, whatever its role', () => {
    expect(() => authorize(caller(), read(PLATFORM))).toThrow('the account that runs the service');
    expect(() => authorize(caller({ platform: true }), read(PLATFORM))).not.toThrow();
    const operator = caller({ platform: true }, { role: 'operator' });
    expect(() => authorize(operator, read(PLATFORM))).toThrow('the role admin');
    const scopeless = caller({ platform: true }, { scopes: ['wallets:write'] });
    expect(() => authorize(scopeless, read(PLATFORM))).toThrow('the scope accounts:write');
  });

  it('names all that is lacking at once', () => {
    const nobody = caller({ accountFrozen: true }, { role: 'viewer', scopes: ['fees:read'] });
    expect(() => authorize(nobody, write(PLATFORM))).toThrow(
      /^this is for administrators .*; this needs the role admin and the scope accounts:write: the credential has the role viewer and not that scope; the account is frozen/,
    );
  });

  it('lets a person at their own record without role and scope, and at no other', () => {
    const person = caller({}, { role: 'viewer', scopes: [] });
    expect(() => authorize(person, write(OWN), { user_id: 'usr_one' })).not.toThrow();
    expect(() => authorize(person, write(OWN), { user_id: 'usr_two' })).toThrow('the role admin');
    expect(() => authorize(person, write(OWN), {})).toThrow('the role admin');
    expect(() => authorize(person, write({ ...OWN, own: 'other_id' }), { user_id: 'usr_one' })).toThrow();
  });

  it('takes only a person for the owner: another credential may have any id', () => {
    for (const kind of ['api_key', 'oauth_client'] as const) {
      const other = caller({}, { kind, role: 'viewer', scopes: [] });
      expect(() => authorize(other, write(OWN), { user_id: 'usr_one' })).toThrow('the role admin');
    }
  });

  it('of a frozen account lets reads and computations through and no writes, of their own record neither', () => {
    const frozen = caller({ accountFrozen: true });
    expect(() => authorize(frozen, read(OWN))).not.toThrow();
    expect(() => authorize(frozen, { access: OWN, effect: 'compute' })).not.toThrow();
    expect(() => authorize(frozen, write(OWN))).toThrow('frozen');
    expect(() => authorize(frozen, write(OWN), { user_id: 'usr_one' })).toThrow('frozen');
  });
});
