/** Signing keys as a request shows, enrols and revokes them: a credential its own, administrators those of others, too. */
import { type Rights, roleReaches } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { addsVoice } from '../../core/policies/rules-change.ts';
import { checkProof } from '../../core/request-signatures/proof-of-possession.ts';
import { parsePublicJwk } from '../../core/request-signatures/signing-algorithm.ts';
import type { VerifyBytes } from '../../core/request-signatures/verify-signature.ts';
import type { PageRequest } from '../../store/records.ts';
import type { KeyOwner, SigningKeyRecord } from '../../store/repositories/signing-keys.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';
import { enrolment } from './enrolment.ts';
import { assertMayChange, assertMayEnd } from './grants.ts';
import { hadByUser, inCommon, reachOf } from './rights.ts';
import type { SigningKeyService } from './signing-keys.ts';

export interface SigningKeyRequest {
  publicKey: unknown;
  name?: string;
  /** The caller's own unless said. */
  credential?: Pick<KeyOwner, 'kind' | 'id'>;
  proof: string;
}

export function createSigningKeyManagement(deps: {
  store: Store;
  signingKeys: Pick<SigningKeyService, 'enrol'>;
  verifyBytes: VerifyBytes;
  clock: () => number;
}) {
  const { store, signingKeys, verifyBytes, clock } = deps;

  async function find(keyId: string, { accountId }: RequestContext): Promise<SigningKeyRecord> {
    const record = await store.read.signingKeys.find(accountId, keyId);
    if (record === null) throw new DomainError('not_found', 'there is no such signing key', { field: 'key_id' });
    return record;
  }

  return {
    page: (
      filter: { owner?: Pick<KeyOwner, 'kind' | 'id'>; revoked?: boolean },
      page: PageRequest,
      { accountId }: RequestContext,
    ) => store.read.signingKeys.page(accountId, filter, page),
    get: find,

    async enrol({ publicKey, name = 'signing key', credential, proof }: SigningKeyRequest, context: RequestContext) {
      const owner = { kind: credential?.kind ?? context.credential.kind, id: credential?.id ?? context.credential.id };
      if (!isOwn(owner, context.credential)) {
        assertAdministers(context.credential);
        assertMayChange(context.credential, await ownerOf(store.read, { ...owner, accountId: context.accountId }));
      }
      const jwk = parsePublicJwk(publicKey);
      // The proof was fresh when it was sent.
      const now = Math.floor((context.changesRules?.approved?.askedAt ?? clock()) / 1000);
      await checkProof(proof, jwk, { accountId: context.accountId, credentialId: owner.id }, { verifyBytes, now });
      return store.write(async (tx) => {
        const rights = await assertStillMay(tx, { ...owner, accountId: context.accountId }, context.credential);
        const record = await signingKeys.enrol(
          tx,
          { ...owner, accountId: context.accountId },
          { name, publicJwk: jwk },
        );
        const given = !isOwn(owner, context.credential) && addsVoice(rights, { own: false });
        const change = given ? { before: null, after: record } : null;
        const commitment = await enrolment(tx, { ...record, keyId: owner.id }, record.keyId);
        await recordRequest(tx, context, { result: record, target: record.keyId, change, commitment });
        return record;
      });
    },

    /** One that is revoked already stays as it is. */
    async revoke(keyId: string, context: RequestContext) {
      const { accountId, credentialKind: kind, credentialId: id } = await find(keyId, context);
      if (!isOwn({ kind, id }, context.credential)) {
        assertAdministers(context.credential);
        const owner = await ownerOf(store.read, { accountId, kind, id }).catch(() => null);
        if (owner !== null) assertMayEnd(context.credential, owner);
      }
      return store.write(async (tx) => {
        await tx.signingKeys.revoke(accountId, keyId, clock());
        const record = (await tx.signingKeys.find(accountId, keyId)) as SigningKeyRecord;
        const keysLeft = await tx.signingKeys.countStanding({ accountId, kind, id });
        const result = { record, keysLeft };
        await recordRequest(tx, context, { result, target: keyId });
        return result;
      });
    },
  };
}

export type SigningKeyManagement = ReturnType<typeof createSigningKeyManagement>;

const isOwn = (owner: Pick<KeyOwner, 'kind' | 'id'>, credential: Credential): boolean =>
  owner.kind === credential.kind && owner.id === credential.id;

function assertAdministers(credential: Credential): void {
  if (roleReaches(credential.role, 'admin')) return;
  throw new DomainError('forbidden', 'this needs the role admin: other credentials manage only their own keys');
}

/** In the job that enrols: what was revoked, ended or given more meanwhile gets no key. A person is held, and remembers who set it. Answers the owner's rights. */
async function assertStillMay(tx: Repositories, owner: KeyOwner, by: Credential): Promise<Rights> {
  const { accountId, kind, id } = owner;
  const user = kind === 'person' ? await tx.users.findForUpdate(accountId, id) : null;
  const rights = await ownerOf(tx, owner);
  if (!isOwn(owner, by)) {
    assertMayChange(by, rights);
    if (user?.setByRights)
      await tx.users.update(accountId, id, { setByRights: inCommon(user.setByRights, reachOf(by)) });
  } else if (by.sessionId !== undefined && (await tx.sessions.find(accountId, by.sessionId))?.endedAt !== null) {
    throw new DomainError('unauthorized', 'the session has ended: log in again');
  }
  return rights;
}

/** All that it has, and a person had. Throws `not_found` at `credential` for one that is not the account's, or does not stand any more. */
async function ownerOf(
  tx: Pick<Repositories, 'apiKeys' | 'oauthClients' | 'users'>,
  { accountId, kind, id }: KeyOwner,
): Promise<Rights> {
  const user = kind === 'person' ? standing(await tx.users.find(accountId, id)) : null;
  const found =
    kind === 'api_key'
      ? standing(await tx.apiKeys.find(accountId, id))
      : kind === 'oauth_client'
        ? standing(await tx.oauthClients.find(accountId, id))
        : user && hadByUser(user);
  if (found !== null) return found;
  throw new DomainError('not_found', 'there is no such credential, or it was revoked', { field: 'credential' });
}

function standing<T extends { revokedAt?: number | null; deletedAt?: number | null }>(record: T | null): T | null {
  return record === null || (record.revokedAt ?? record.deletedAt ?? null) !== null ? null : record;
}
