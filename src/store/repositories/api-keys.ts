import type { Role } from '../../core/access.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { ApiKeyRecord, PageRequest } from '../records.ts';
import { apiKeys } from '../tables/accounts.ts';

const keys = rowsOf(apiKeys);

export function apiKeyRepository(session: Session) {
  const noteIf = (changed: bigint): boolean => {
    if (changed > 0n) session.note('credentials');
    return changed > 0n;
  };
  return {
    insert: async (key: ApiKeyRecord) => {
      await keys.insert(session, [key]);
    },
    /** By the 8 public characters, whatever the account: this is how a caller's account becomes known. */
    findByPrefix: (prefix: string) => keys.find(session, { prefix }),
    find: (accountId: string, keyId: string) => keys.find(session, { accountId, keyId }),
    /** All of them, newest first. */
    list: (accountId: string) => keys.all(session, { accountId }, 'order by created_at desc, key_id desc'),
    /** Newest first. `active` goes by the time given with it: neither revoked nor over then. */
    page: (
      accountId: string,
      { name, role, active }: { name?: string; role?: Role; active?: { is: boolean; at: number } },
      page: PageRequest,
    ) =>
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
    /** Every process forgets the key. False where it is not the account's or is revoked already. */
    revoke: async (accountId: string, keyId: string, at: number) =>
      noteIf(await keys.update(session, { accountId, keyId, revokedAt: null }, { revokedAt: at })),
    /** Names a key's successor and when the key itself ends. False where it has one already, is revoked, or is not the account's. */
    succeed: async (
      accountId: string,
      keyId: string,
      { keyId: rotatedTo, overlapEndsAt }: { keyId: string; overlapEndsAt: number },
    ) =>
      noteIf(
        await keys.update(
          session,
          { accountId, keyId, rotatedTo: null, revokedAt: null },
          { rotatedTo, overlapEndsAt },
        ),
      ),
    touch: async (accountId: string, keyId: string, at: number) => {
      await keys.update(session, { accountId, keyId }, { lastUsedAt: at });
    },
  };
}
