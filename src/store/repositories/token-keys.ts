import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { TokenKeyRecord } from '../tables/oauth.ts';
import { tokenKeys } from '../tables/oauth.ts';

const keys = rowsOf(tokenKeys, 'on conflict do nothing');

export function tokenKeyRepository(session: Session) {
  const noteIf = (changed: bigint): boolean => {
    if (changed > 0n) session.note('credentials');
    return changed > 0n;
  };
  return {
    /** All that ever were, oldest generation first: a few dozen in years. */
    list: () => keys.all(session, {}, 'order by generation'),
    /** False where the generation is taken: another process was first. */
    insert: async (key: TokenKeyRecord) => noteIf(await keys.insert(session, [key])),
    /** False where there is no such key, or it is revoked already. */
    revoke: async (keyId: string, at: number) =>
      noteIf(await keys.update(session, { keyId, revokedAt: null }, { revokedAt: at })),
    /** Deletes the private half of a key that signs no more. */
    forgetPrivateKey: async (keyId: string) => {
      await keys.update(session, { keyId }, { sealedPrivateKey: null });
    },
  };
}
