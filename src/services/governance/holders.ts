/** Who holds tokens: people and API keys of the account. A key that was rotated goes on as the same holder. */
import { createHmac } from 'node:crypto';
import { placeOf } from '../../core/address-book/entry-rules.ts';
import { DomainError } from '../../core/errors.ts';
import { type AddressClaim, addressText, assertProof } from '../../core/governance/address-proof.ts';
import { holderIdIn, isHolderId } from '../../core/governance/holder-address.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { HolderRecord } from '../../store/repositories/governance.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Daos, GovernanceDeps } from './daos.ts';
import { allWithLocked, type HolderTokens, withLocked } from './locked.ts';
import { newHolder } from './move-tokens.ts';

export type { HolderTokens };

/** A message to sign is taken in the window in which it was asked for, and in the next. */
const NONCE_WINDOW_MS = 600_000;

const NAMES = '; a holder is named by its address, such as gov1p…, or its id, usr_… or key_…';

type Asking = Pick<RequestContext, 'accountId' | 'credential'>;

export function createHolders({
  store,
  network,
  clock,
  daos,
  nonceKey,
}: GovernanceDeps & { daos: Daos; nonceKey: Uint8Array }) {
  const { read } = store;

  const idOf = async (tx: Repositories, { accountId, credential: { kind, id } }: Asking): Promise<string> =>
    kind === 'api_key' ? tx.apiKeys.firstOfLine(accountId, id) : id;

  const withId = async (tx: Repositories, accountId: AccountId, holderId: string): Promise<HolderRecord> =>
    (await tx.governance.findHolder(accountId, holderId)) ?? newHolder(accountId, holderId, clock());

  /** A person who was not deleted; a key that was not revoked, or was rotated to one that was not. */
  async function stands(tx: Repositories, accountId: AccountId, id: string): Promise<boolean> {
    if (!id.startsWith('usr_')) return tx.apiKeys.isStanding(accountId, id);
    const person = await tx.users.find(accountId, id);
    return person !== null && person.deletedAt === null;
  }

  /** By an address, or an id; also one that is deleted or revoked and has had tokens. Throws `not_found`, and as decodeAddress does. */
  async function named(tx: Repositories, accountId: AccountId, name: string, field: string): Promise<HolderRecord> {
    const id = isHolderId(name) ? name : holderIdIn(name);
    const found =
      id === null
        ? await tx.governance.findByAddress(accountId, addressAt(name, field, NAMES))
        : await tx.governance.findHolder(accountId, id);
    if (found !== null) return found;
    if (id !== null && (await stands(tx, accountId, id)))
      return withId(tx, accountId, id.startsWith('usr_') ? id : await tx.apiKeys.firstOfLine(accountId, id));
    throw new DomainError(
      'not_found',
      'there is no such holder in this account: GET /v1/governance/holders lists them',
      {
        field,
      },
    );
  }

  /** Who is to get tokens. Throws as `named` does, and `state_conflict` of one that is deleted or revoked. */
  async function receiver(
    tx: Repositories,
    accountId: AccountId,
    name: string,
    field = 'address',
  ): Promise<HolderRecord> {
    const holder = await named(tx, accountId, name, field);
    if (await stands(tx, accountId, holder.holderId)) return holder;
    throw new DomainError('state_conflict', 'this holder is deleted or revoked, and can get no tokens', { field });
  }

  function addressAt(address: string, field: string, besides = ''): string {
    try {
      return placeOf(address, network).address;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw new DomainError(error.code, `${error.message}${besides}`, { field });
    }
  }

  const windowNow = () => Math.floor(clock() / NONCE_WINDOW_MS);

  /** What it would sign: another one for each registration, so that none is taken twice. */
  function claimOf(
    { accountId, holderId, registrations }: HolderRecord,
    address: string,
    window: number,
  ): AddressClaim {
    const place = JSON.stringify([accountId, holderId, registrations, address, network, window]);
    const nonce = createHmac('sha256', nonceKey).update(place).digest('base64url');
    return { dao: accountId, holderId, address, network, nonce };
  }

  return {
    named,
    receiver,
    stands,
    /** Whoever asks. */
    self: async (tx: Repositories, asking: Asking) => withId(tx, asking.accountId, await idOf(tx, asking)),

    /** Newest first: whoever has had tokens or registered an address. */
    async list(page: PageRequest, { accountId }: RequestContext): Promise<Page<HolderTokens>> {
      const found = await read.governance.holders(await daos.of(accountId), page);
      return { ...found, data: await allWithLocked(read, accountId, found.data) };
    },

    /** Throws `not_found`, and as decodeAddress does. */
    async get(name: string, { accountId }: RequestContext): Promise<HolderTokens> {
      await daos.of(accountId);
      return withLocked(read, await named(read, accountId, name, 'holder_address'));
    },

    /** What whoever asks signs with the address's key. Throws as decodeAddress does. */
    async proof(given: string, context: RequestContext) {
      const address = addressAt(given, 'query.address');
      const holder = await withId(read, context.accountId, await idOf(read, context));
      const window = windowNow();
      return {
        address,
        message: addressText(claimOf(holder, address, window)),
        expiresAt: (window + 2) * NONCE_WINDOW_MS,
      };
    },

    /** Takes the place of the address before. Throws `invalid_signature`, `already_exists`, and as decodeAddress does. */
    register: (given: { address: string; signature: string }, context: RequestContext): Promise<HolderTokens> =>
      daos.change(context, async (tx, { accountId, holders }) => {
        const address = addressAt(given.address, 'address');
        const holder = await withId(tx, accountId, await idOf(tx, context));
        const windows = [windowNow(), windowNow() - 1];
        assertProof(
          windows.map((window) => claimOf(holder, address, window)),
          given.signature,
        );
        const owner = await tx.governance.findByAddress(accountId, address);
        if (owner !== null && owner.holderId !== holder.holderId)
          throw new DomainError('already_exists', 'this address is another holder’s', { field: 'address' });
        const registered: HolderRecord = { ...holder, address, registrations: holder.registrations + 1 };
        if (await tx.governance.putHolder(registered))
          await tx.governance.updateDao(accountId, { holders: holders + 1 });
        return { result: await withLocked(tx, registered), target: holder.holderId };
      }),
  };
}
export type Holders = ReturnType<typeof createHolders>;
