import { integer, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const tokenKeys = table('token_keys', ['keyId'], {
  /** 1, 2, 3, …: two processes that make the next key at once make one. */
  generation: integer,
  /** RFC 7638 SHA-256 thumbprint, base64url: the `kid` of its tokens. */
  keyId: text(),
  publicJwk: json<{ readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }>(),
  /** Encrypted under a key of the service; null once it was forgotten. */
  sealedPrivateKey: orNull(text()),
  /** Published before, signs from then on. */
  signsFrom: time,
  revokedAt: orNull(time),
  createdAt: time,
});
/** Keys with which the service signs access tokens. They belong to the service, not to an account. */
export type TokenKeyRecord = RecordOf<typeof tokenKeys>;

declare module '../schema.ts' {
  interface Schema {
    token_keys: RowOf<typeof tokenKeys>;
  }
}

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
