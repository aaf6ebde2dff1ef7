/** Access tokens over a store, with a clock that the test moves and subjects that it makes. */
import { randomBytes } from 'node:crypto';
import type { AccountId } from '../../src/core/ids.ts';
import type { Caller } from '../../src/services/requests/request-context.ts';
import { createTextCipher } from '../../src/services/secrets/text-cipher.ts';
import {
  createAccessTokens,
  type LoadedSubject,
  type SubjectLoader,
  type TokenSubject,
} from '../../src/services/tokens/access-tokens.ts';
import { createTokenKeys } from '../../src/services/tokens/token-keys.ts';
import type { Store } from '../../src/store/store.ts';

export const TEST_ISSUER = 'https://ashlar.test';

export const testCaller = (given: Partial<Caller['credential']> & { accountId?: AccountId } = {}): Caller => {
  const { accountId = 'acc_one', ...credential } = given;
  return {
    accountId,
    accountFrozen: false,
    platform: false,
    credential: {
      kind: 'oauth_client',
      id: 'cli_test',
      role: 'operator',
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
  };
};

/** Subjects by id, as they stand: a test changes them as an administrator would. */
export function subjectsOf(callers: Map<string, Caller>): SubjectLoader {
  const loaded = new WeakMap<Caller, LoadedSubject>();
  const find: SubjectLoader['findCached'] = ({ subjectId }) => {
    const caller = callers.get(subjectId);
    if (caller === undefined) return null;
    let subject = loaded.get(caller);
    if (subject === undefined) {
      subject = { caller, allowedIps: null };
      loaded.set(caller, subject);
    }
    return subject;
  };
  return { findCached: find, find: async (of) => find(of) ?? null };
}

export const testSubject = (given: Partial<TokenSubject> = {}): TokenSubject => ({
  kind: 'oauth_client',
  id: 'cli_test',
  accountId: 'acc_one',
  scopes: ['*'],
  sessionId: null,
  boundKeyId: null,
  ...given,
});

export function tokenParts(store: Store, clock: () => number, sealKey: Uint8Array = randomBytes(32)) {
  const keys = createTokenKeys({ store, cipher: createTextCipher(sealKey, randomBytes), clock });
  const accessTokens = createAccessTokens({ store, keys, issuer: TEST_ISSUER, clock, randomBytes });
  return { keys, accessTokens, issuer: TEST_ISSUER };
}
