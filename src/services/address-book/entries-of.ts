import { placeOf } from '../../core/address-book/entry-rules.ts';
import { DomainError } from '../../core/errors.ts';
import type { Network } from '../../core/network.ts';
import type { EntriesOf } from '../policies/spending-of.ts';

/** The entries of payees, for rules. A bare script has no address and therefore no entry. */
export const createEntriesOf =
  (network: Network): EntriesOf =>
  async (tx, accountId, payees, at) => {
    const byScript = new Map<string, string>();
    for (const { address, scriptPubKey } of payees) {
      const script = scriptPubKey ?? scriptOf(address, network);
      if (script !== null) byScript.set(script, address);
    }
    const found = await tx.addressBook.byScript(accountId, [...byScript.keys()]);
    return new Map(
      found.map(({ scriptPubKey, entryId, tags, effectiveAt }) => [
        byScript.get(scriptPubKey) ?? '',
        [{ entryId, tags, ...(effectiveAt > at && { pending: true as const }) }],
      ]),
    );
  };

function scriptOf(address: string, network: Network): string | null {
  try {
    return placeOf(address, network).scriptPubKey;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}
