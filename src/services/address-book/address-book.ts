/** Named addresses that an account pays. Rules and payments use an entry once it is effective. */
import { type Place, placeOf, proofMessage } from '../../core/address-book/entry-rules.ts';
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import { verifyMessage } from '../../core/messages/verify-message.ts';
import type { Network } from '../../core/network.ts';
import type { Policy } from '../../core/policies/policy.ts';
import type { PageRequest } from '../../store/records.ts';
import type { AddressBookFilter, AddressBookRecord } from '../../store/repositories/address-book.ts';
import type { Repositories } from '../../store/store.ts';
import { changesWait } from '../policies/pass-change.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { type AddressBookDependencies, createExchangeEntries, delayed, refuseFull } from './exchange-entries.ts';

export type { AddressBookRecord };

interface Proof {
  readonly signature: string;
  /** Optional, because the message to sign is known; if given, it must be that one. */
  readonly message?: string | undefined;
}

export interface NewEntry {
  readonly name: string;
  readonly address: string;
  readonly tags: readonly string[];
  readonly externalId: string | null;
  readonly proof: Proof | null;
}

export interface EntryPatch {
  readonly name?: string | undefined;
  readonly address?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly externalId?: string | null | undefined;
  readonly proof?: Proof | null | undefined;
}

export function createAddressBook(deps: AddressBookDependencies) {
  const { store, network, clock, randomBytes, rulesOf } = deps;

  const effectiveAt = delayed(deps);

  return {
    ...createExchangeEntries(deps),

    /** Throws `already_exists` with the entry that has the address, `invalid_signature`, and as decodeAddress does. */
    async create({ name, address, tags, externalId, proof }: NewEntry, context: RequestContext) {
      const { accountId } = context;
      const place = placeAt(address, network);
      const checked = proof && checkedProof(proof, place, accountId);
      const at = clock();
      const entryId = newId('abe', randomBytes);
      return store.write(async (tx) => {
        await refuseTaken(tx, accountId, place);
        await refuseFull(tx, accountId, 1);
        const record: AddressBookRecord = {
          ...{ entryId, accountId, name, ...place, tags, externalId, proof: checked },
          effectiveAt: await effectiveAt(tx, accountId, at),
          createdAt: at,
          updatedAt: at,
        };
        await tx.addressBook.insert([record]);
        await recordRequest(tx, context, { result: record, target: entryId, change: { before: null, after: record } });
        return record;
      });
    },

    /** Throws `not_found`. */
    get: async (entryId: string, { accountId }: RequestContext) =>
      (await store.read.addressBook.find(accountId, entryId)) ?? missing(),

    /** `address` as the request has it. Throws as decodeAddress does. */
    list({ address, ...filter }: AddressBookFilter & { address?: string }, page: PageRequest, context: RequestContext) {
      const place =
        address === undefined ? {} : { scriptPubKey: placeAt(address, network, 'query.address').scriptPubKey };
      return store.read.addressBook.list(context.accountId, { ...filter, ...place }, page);
    },

    /**
     * A new address or an added tag permits new payments, so the delay starts again. A proof belongs to one address.
     * Throws as `create` does.
     */
    update(entryId: string, patch: EntryPatch, context: RequestContext) {
      const { accountId } = context;
      const moved = patch.address === undefined ? null : placeAt(patch.address, network);
      return store.write(async (tx) => {
        const old = (await tx.addressBook.findForUpdate(accountId, entryId)) ?? missing();
        const { name = old.name, tags = old.tags, externalId = old.externalId } = patch;
        const place = moved ?? { address: old.address, scriptPubKey: old.scriptPubKey };
        const same = place.scriptPubKey === old.scriptPubKey;
        if (!same) await refuseTaken(tx, accountId, place);
        const kept = same ? old.proof : null;
        const proof = patch.proof === undefined ? kept : patch.proof && checkedProof(patch.proof, place, accountId);
        const widened = !same || tags.some((tag) => !old.tags.includes(tag));
        const updatedAt = clock();
        const record: AddressBookRecord = {
          ...{ ...old, name, tags, externalId, ...place, proof, updatedAt },
          effectiveAt: widened ? await effectiveAt(tx, accountId, updatedAt) : old.effectiveAt,
        };
        await tx.addressBook.update(record);
        await recordRequest(tx, context, { result: record, target: entryId, change: { before: old, after: record } });
        return record;
      });
    },

    /** At once, unless a rule that holds something up goes by it. Throws `not_found`. */
    delete: (entryId: string, context: RequestContext) =>
      store.write(async (tx) => {
        const { accountId } = context;
        const old = (await tx.addressBook.findForUpdate(accountId, entryId)) ?? missing();
        await tx.addressBook.delete(accountId, entryId);
        const { policies } = await rulesOf(tx, accountId);
        const isNamed = policies.some((rule) => holdsUp(rule, old)) || (await changesWait(tx, accountId));
        const change = isNamed ? { before: old, after: null } : null;
        await recordRequest(tx, context, { result: undefined, target: entryId, change });
      }),
  };
}

export type AddressBook = ReturnType<typeof createAddressBook>;

/** Without the entry the rule would let pass what it denies, or wants approved. */
const holdsUp = ({ enabled, when: { destinations }, then }: Policy, { entryId, tags }: AddressBookRecord): boolean =>
  enabled &&
  then.action !== 'allow' &&
  ((destinations?.entries?.includes(entryId) ?? false) || tags.some((tag) => destinations?.tags?.includes(tag)));

function missing(): never {
  throw new DomainError('not_found', 'there is no such address book entry', { field: 'address_book_id' });
}

function placeAt(address: string, network: Network, field = 'address'): Place {
  try {
    return placeOf(address, network);
  } catch (error) {
    throw error instanceof DomainError ? error.at(field) : error;
  }
}

function checkedProof({ signature, message }: Proof, { address, scriptPubKey }: Place, accountId: AccountId) {
  const wanted = proofMessage(address, accountId);
  if (message !== undefined && message !== wanted) {
    const reason = `must be exactly ${JSON.stringify(wanted)}`;
    throw new DomainError('invalid_value', `proof.message ${reason}`, { field: 'proof.message', reason });
  }
  const { state, reason } = verifyMessage(Buffer.from(scriptPubKey, 'hex'), Buffer.from(wanted), signature);
  if (state === 'valid') return { message: wanted, signature };
  throw new DomainError('invalid_signature', `the signature of ${JSON.stringify(wanted)} is not valid: ${reason}`, {
    field: 'proof.signature',
  });
}

async function refuseTaken(tx: Repositories, accountId: AccountId, { scriptPubKey }: Place): Promise<void> {
  const [taken] = await tx.addressBook.byScript(accountId, [scriptPubKey]);
  if (taken === undefined) return;
  throw new DomainError(
    'already_exists',
    `entry ${taken.entryId} already has this address: ${JSON.stringify(taken.name)}`,
    {
      field: 'address',
    },
  );
}
