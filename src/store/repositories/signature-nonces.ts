import { type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const signatureNonces = table('signature_nonces', ['keyId', 'nonce'], {
  keyId: text(),
  nonce: text(),
  /** Keyed digest of the request, hex. */
  fingerprint: text(),
  /** From then on the signature is too old anyway. */
  expiresAt: time,
});
/** A nonce that was used under a key, and for which request. */
export type SpentNonce = RecordOf<typeof signatureNonces>;

declare module '../schema.ts' {
  interface Schema {
    signature_nonces: RowOf<typeof signatureNonces>;
  }
}

const nonces = rowsOf(signatureNonces, 'on conflict (key_id, nonce) do nothing');
const deleteExpired = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('signature_nonces').where('expires_at', '<=', p.now),
);

export function signatureNonceRepository(session: Session) {
  const find = async (keyId: string, nonce: string): Promise<string | null> =>
    (await nonces.find(session, { keyId, nonce }))?.fingerprint ?? null;
  return {
    /** The fingerprint of the request that spent it; null where it is free. */
    find,
    /** spent: it was free. resent: this very request spent it before. taken: another did; nothing is written. */
    spend: async (spent: SpentNonce) => {
      if ((await nonces.insert(session, [spent])) > 0n) return 'spent';
      return (await find(spent.keyId, spent.nonce)) === spent.fingerprint ? 'resent' : 'taken';
    },
    deleteExpired: async (now: number) => Number(await deleteExpired.run(session, { now: BigInt(now) })),
  };
}
