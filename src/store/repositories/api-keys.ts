import type { ApiKeyRepository } from '../interfaces/api-keys.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { apiKeys } from '../tables/accounts.ts';

const keys = rowsOf(apiKeys);

export function apiKeyRepository(session: Session): ApiKeyRepository {
  const noteIf = (changed: bigint): boolean => {
    if (changed > 0n) session.note('credentials');
    return changed > 0n;
  };
  return {
    insert: async (key) => {
      await keys.insert(session, [key]);
    },
    findByPrefix: (prefix) => keys.find(session, { prefix }),
    find: (accountId, keyId) => keys.find(session, { accountId, keyId }),
    list: (accountId) => keys.all(session, { accountId }, 'order by created_at desc, key_id desc'),
    page: (accountId, { name, role, active }, page) =>
      keys.page(
        session,
        {
          name: 'api-keys',
          where: { accountId, name, role },
          and: (eb) => {
            if (active === undefined) return [];
            const at = BigInt(active.at);
            const stands = eb.and([
              eb('revoked_at', 'is', null),
              eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]),
              eb.or([eb('overlap_ends_at', 'is', null), eb('overlap_ends_at', '>', at)]),
            ]);
            return [active.is ? stands : eb.not(stands)];
          },
        },
        page,
      ),
    revoke: async (accountId, keyId, at) =>
      noteIf(await keys.update(session, { accountId, keyId, revokedAt: null }, { revokedAt: at })),
    succeed: async (accountId, keyId, { keyId: rotatedTo, overlapEndsAt }) =>
      noteIf(
        await keys.update(
          session,
          { accountId, keyId, rotatedTo: null, revokedAt: null },
          { rotatedTo, overlapEndsAt },
        ),
      ),
    touch: async (accountId, keyId, at) => {
      await keys.update(session, { accountId, keyId }, { lastUsedAt: at });
    },
  };
}
