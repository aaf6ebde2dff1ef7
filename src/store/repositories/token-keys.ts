import type { TokenKeyRepository } from '../interfaces/token-keys.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { tokenKeys } from '../tables/oauth.ts';

const keys = rowsOf(tokenKeys, 'on conflict do nothing');

export function tokenKeyRepository(session: Session): TokenKeyRepository {
  const noteIf = (changed: bigint): boolean => {
    if (changed > 0n) session.note('credentials');
    return changed > 0n;
  };
  return {
    list: () => keys.all(session, {}, 'order by generation'),
    insert: async (key) => noteIf(await keys.insert(session, [key])),
    revoke: async (keyId, at) => noteIf(await keys.update(session, { keyId, revokedAt: null }, { revokedAt: at })),
    forgetPrivateKey: async (keyId) => {
      await keys.update(session, { keyId }, { sealedPrivateKey: null });
    },
  };
}
