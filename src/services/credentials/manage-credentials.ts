/** What requests do with API keys and with OAuth clients alike: within the caller's account, and never beyond what the caller has. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { addsVoice } from '../../core/policies/rules-change.ts';
import type { Page } from '../../store/records.ts';
import type { KeyOwner } from '../../store/repositories/signing-keys.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { changesWait, ownVoice, type RulesChange } from '../policies/pass-change.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';
import { type CredentialRecord, isActive } from './credential-record.ts';
import { assertMayEnd, assertToCome, type CredentialRequest, grantedRights } from './grants.ts';
import type { SigningKeyService } from './signing-keys.ts';

export interface ManagementDeps {
  readonly store: Store;
  readonly signingKeys: Pick<SigningKeyService, 'revokeAll'>;
  readonly signaturePolicy: 'required' | 'per-key';
  readonly clock: () => number;
}

/** What differs by kind. */
interface ManagedKind<R extends CredentialRecord, Shown extends object> {
  readonly kind: KeyOwner['kind'];
  /** What a refusal calls it, and the field that names one. */
  readonly noun: string;
  readonly field: string;
  /** Nothing of its secrets. */
  shown(record: R): Shown;
  rows(tx: Pick<Repositories, 'apiKeys' | 'oauthClients'>): {
    find(accountId: AccountId, id: string): Promise<R | null>;
    revoke(accountId: AccountId, id: string, at: number): Promise<boolean>;
  };
}

/** Credentials are shown with `active`, by the time of the request. */
export function manageCredentials<R extends CredentialRecord, Shown extends object>(
  deps: ManagementDeps,
  { kind, noun, field, shown, rows }: ManagedKind<R, Shown>,
) {
  const { store, signingKeys, signaturePolicy, clock } = deps;

  const view = (record: R, at: number) => ({ ...shown(record), active: isActive(record, at) });

  async function find(id: string, { accountId }: RequestContext): Promise<R> {
    const record = await rows(store.read).find(accountId, id);
    if (record === null) throw new DomainError('not_found', `there is no such ${noun}`, { field });
    return record;
  }

  /** A job of a request: `change` answers the result and the id of what it made or changed. */
  const commit = <T>(
    context: RequestContext,
    change: (
      tx: Repositories,
    ) => Promise<{ result: T; target: string; change: RulesChange | null; commitment?: string }>,
  ) =>
    store.write(async (tx) => {
      const effect = await change(tx);
      await recordRequest(tx, context, effect);
      return effect.result;
    });

  return {
    view,
    find,
    commit,
    /** What a new one of the caller's account may do, and whose it is. Throws as `grantedRights` does. */
    async granted(request: CredentialRequest, { accountId, credential }: RequestContext, at: number) {
      const account = await store.read.accounts.find(accountId);
      if (account === null) throw new DomainError('not_found', 'the account is gone');
      assertToCome(request.expiresAt, at);
      const { countsAs } = credential;
      return {
        accountId,
        name: request.name,
        countsAs,
        ...grantedRights(request, account, credential, signaturePolicy),
      };
    },
    pageOf(found: Page<R>, at: number) {
      return { ...found, data: found.data.map((record) => view(record, at)) };
    },
    get: async (id: string, context: RequestContext) => view(await find(id, context), clock()),
    /** One that is made with these rights, and the key that signs for it. Whoever makes it for themselves, no rule names it yet. */
    made: (record: R, keyId: string | null, at: number): RulesChange | null =>
      addsVoice(record, { own: false }) ? { before: null, after: view(record, at), gains: { key_id: keyId } } : null,
    /** `of` goes on as `after`, whose secrets whoever asks is given, with a key that signs for it where they brought one. */
    async takenOver(
      tx: Pick<Repositories, 'approvals'>,
      of: R,
      after: R,
      { id, credential, keyId = null }: { id: string; credential: Credential; keyId?: string | null },
      at: number,
    ): Promise<RulesChange | null> {
      const own = credential.id === id || (of.countsAs ?? id) === ownVoice(credential);
      const longer = after.expiresAt !== of.expiresAt;
      // A rule that waits may name it, and not its successor.
      if (own && !longer && !(await changesWait(tx, of.accountId))) return null;
      if (!addsVoice(of, { own: own && longer })) return null;
      return {
        of: id,
        before: view(of, at),
        after: view(after, at),
        gains: { rotated_by: ownVoice(credential), key_id: keyId },
      };
    },
    /** With its signing keys. One that is revoked already stays so. */
    async revoke(id: string, context: RequestContext) {
      const record = await find(id, context);
      assertMayEnd(context.credential, record);
      const { accountId } = record;
      await commit(context, async (tx) => {
        await rows(tx).revoke(accountId, id, clock());
        await signingKeys.revokeAll(tx, { accountId, kind, id });
        return { result: null, target: id, change: null };
      });
    },
  };
}
