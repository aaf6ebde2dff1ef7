import type { SignatureNonceRepository } from '../interfaces/signing-keys.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { signatureNonces } from '../tables/signing-keys.ts';

const nonces = rowsOf(signatureNonces, 'on conflict (key_id, nonce) do nothing');
const deleteExpired = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('signature_nonces').where('expires_at', '<=', p.now),
);

export function signatureNonceRepository(session: Session): SignatureNonceRepository {
  const find = async (keyId: string, nonce: string): Promise<string | null> =>
    (await nonces.find(session, { keyId, nonce }))?.fingerprint ?? null;
  return {
    find,
    spend: async (spent) => {
      if ((await nonces.insert(session, [spent])) > 0n) return 'spent';
      return (await find(spent.keyId, spent.nonce)) === spent.fingerprint ? 'resent' : 'taken';
    },
    deleteExpired: async (now) => Number(await deleteExpired.run(session, { now: BigInt(now) })),
  };
}
