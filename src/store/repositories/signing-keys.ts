import type { AccountId } from '../../core/ids.ts';
import type { PublicJwk, SignatureAlgorithm } from '../../core/request-signatures/signing-algorithm.ts';
import { json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

/** What a key is enrolled for. */
export interface KeyOwner {
  readonly accountId: AccountId;
  readonly kind: 'api_key' | 'oauth_client' | 'person';
  /** key_…, a client id, usr_… */
  readonly id: string;
}

export const signingKeys = table('signing_keys', ['keyId'], {
  /** RFC 7638 SHA-256 thumbprint, base64url. Enrolled once, ever, in the whole service. */
  keyId: text(),
  accountId: text<AccountId>(),
  credentialKind: text<KeyOwner['kind']>(),
  credentialId: text(),
  name: text(),
  algorithm: text<SignatureAlgorithm>(),
  publicJwk: json<PublicJwk>(),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
});
export type SigningKeyRecord = RecordOf<typeof signingKeys>;

declare module '../schema.ts' {
  interface Schema {
    signing_keys: RowOf<typeof signingKeys>;
  }
}

const keys = rowsOf(signingKeys, 'on conflict (key_id) do nothing');
const standing = ({ accountId, kind, id }: KeyOwner) => ({
  accountId,
  credentialKind: kind,
  credentialId: id,
  revokedAt: null,
});

export function signingKeyRepository(session: Session) {
  const noted = (changed: bigint): bigint => {
    if (changed > 0n) session.note('credentials');
    return changed;
  };
  return {
    // Who could not sign before now can.
    /** False where the key is enrolled already, in whichever account. */
    insert: async (key: SigningKeyRecord) => noted(await keys.insert(session, [key])) > 0n,
    find: (accountId: AccountId, keyId: string) => keys.find(session, { accountId, keyId }),
    /** Whatever the account: this is how a signer's account becomes known. Revoked ones too. */
    findByKeyId: (keyId: string) => keys.find(session, { keyId }),
    /** Newest first. */
    page: (
      accountId: AccountId,
      { owner, revoked }: { owner?: Pick<KeyOwner, 'kind' | 'id'>; revoked?: boolean },
      page: PageRequest,
    ) =>
      keys.page(
        session,
        {
          name: 'signing keys',
          where: { accountId, credentialKind: owner?.kind, credentialId: owner?.id },
          given: { revokedAt: revoked },
        },
        page,
      ),
    /** How many of a credential's keys are not revoked. */
    countStanding: (owner: KeyOwner) => keys.count(session, standing(owner)),
    /** Every process forgets the key. False where it is not the account's or is revoked already. */
    revoke: async (accountId: AccountId, keyId: string, at: number) =>
      noted(await keys.update(session, { accountId, keyId, revokedAt: null }, { revokedAt: at })) > 0n,
    /** All of a credential's; answers how many. */
    revokeAll: async (owner: KeyOwner, at: number) =>
      Number(noted(await keys.update(session, standing(owner), { revokedAt: at }))),
    touch: async (accountId: AccountId, keyId: string, at: number) => {
      await keys.update(session, { accountId, keyId }, { lastUsedAt: at });
    },
  };
}
