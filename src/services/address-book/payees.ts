import { DomainError } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';

/** A recipient of a request: an address, or an entry of the address book. */
interface NamedPayee {
  readonly address?: string | undefined;
  readonly address_book_id?: string | undefined;
}

/** The address of each recipient. */
export type PayeeAddresses = (
  recipients: readonly NamedPayee[],
  context: Pick<RequestContext, 'accountId'>,
) => Promise<string[]>;

/** Throws `not_found`, and `state_conflict` for an entry that is not effective yet; the error's field is the recipient's. */
export function createPayeeAddresses({
  store,
  clock,
}: {
  store: Pick<Store, 'read'>;
  clock: () => number;
}): PayeeAddresses {
  return async (recipients, { accountId }) => {
    const ids = recipients.flatMap(({ address_book_id: id }) => (id === undefined ? [] : [id]));
    const found = ids.length === 0 ? [] : await store.read.addressBook.findAll(accountId, [...new Set(ids)]);
    const entries = new Map(found.map((entry) => [entry.entryId, entry]));
    const at = clock();
    return recipients.map(({ address = '', address_book_id: id }, index) => {
      if (id === undefined) return address;
      const field = `recipients[${index}].address_book_id`;
      const entry = entries.get(id);
      if (entry === undefined) throw new DomainError('not_found', 'there is no such address book entry', { field });
      if (entry.effectiveAt > at) {
        const from = new Date(entry.effectiveAt).toISOString();
        throw new DomainError('state_conflict', `the address book entry ${id} is effective from ${from} on`, { field });
      }
      return entry.address;
    });
  };
}
