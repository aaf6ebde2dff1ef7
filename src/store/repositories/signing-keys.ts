import type { KeyOwner, SigningKeyRepository } from '../interfaces/signing-keys.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { signingKeys } from '../tables/signing-keys.ts';

const keys = rowsOf(signingKeys, 'on conflict (key_id) do nothing');
const standing = ({ accountId, kind, id }: KeyOwner) => ({
  accountId,
  credentialKind: kind,
  credentialId: id,
  revokedAt: null,
});

export function signingKeyRepository(session: Session): SigningKeyRepository {
  const noted = (changed: bigint): bigint => {
    if (changed > 0n) session.note('credentials');
    return changed;
  };
  return {
    // Who could not sign before now can.
    insert: async (key) => noted(await keys.insert(session, [key])) > 0n,
    find: (accountId, keyId) => keys.find(session, { accountId, keyId }),
    findByKeyId: (keyId) => keys.find(session, { keyId }),
    page: (accountId, { owner, revoked }, page) =>
      keys.page(
        session,
        {
          name: 'signing keys',
          where: { accountId, credentialKind: owner?.kind, credentialId: owner?.id },
          given: { revokedAt: revoked },
        },
        page,
      ),
    countStanding: (owner) => keys.count(session, standing(owner)),
    revoke: async (accountId, keyId, at) =>
      noted(await keys.update(session, { accountId, keyId, revokedAt: null }, { revokedAt: at })) > 0n,
    revokeAll: async (owner, at) => Number(noted(await keys.update(session, standing(owner), { revokedAt: at }))),
    touch: async (accountId, keyId, at) => {
      await keys.update(session, { accountId, keyId }, { lastUsedAt: at });
    },
  };
}
