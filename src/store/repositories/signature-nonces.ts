import type { SignatureNonceRepository } from '../interfaces/signing-keys.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';

const insertNonces = insertRows(
  'signature_nonces',
  ['key_id', 'nonce', 'fingerprint', 'expires_at'],
  'on conflict (key_id, nonce) do nothing',
);
const findNonce = prepared((db, p: { keyId: string; nonce: string }) =>
  db.selectFrom('signature_nonces').select('fingerprint').where('key_id', '=', p.keyId).where('nonce', '=', p.nonce),
);
const deleteExpired = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('signature_nonces').where('expires_at', '<=', p.now),
);

export function signatureNonceRepository(session: Session): SignatureNonceRepository {
  return {
    find: async (keyId, nonce) => (await findNonce.first(session, { keyId, nonce }))?.fingerprint ?? null,
    spend: async ({ keyId, nonce, fingerprint, expiresAt }) => {
      const { changes } = await insertNonces(session, [
        { key_id: keyId, nonce, fingerprint, expires_at: BigInt(expiresAt) },
      ]);
      if (changes > 0n) return 'spent';
      return (await findNonce.first(session, { keyId, nonce }))?.fingerprint === fingerprint ? 'resent' : 'taken';
    },
    deleteExpired: async (now) => Number(await deleteExpired.run(session, { now: BigInt(now) })),
  };
}
