/** What a signer must be told of a wallet's script beyond the script itself: scripts behind hashes, keys and where they come from. */
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import type { DerivedScript } from '../psbt/construction/derived-script.ts';
import { openBranch } from './descriptor-branch.ts';

/**
 * Of the scripts of a descriptor (public, without multipath) by index; the index of one without wildcard does not matter.
 * Throws `invalid_descriptor`, and `signing_unavailable` for addr(), which says nothing of its keys.
 */
export function openSpending(descriptor: string, network: Network): (index: number) => DerivedScript {
  assertDescribesKeys(descriptor);
  return openBranch(descriptor, network).derivedAt;
}

/** Throws `signing_unavailable` for addr(), which says nothing of its keys. */
export function assertDescribesKeys(descriptor: string): void {
  if (!descriptor.startsWith('addr(')) return;
  throw new DomainError(
    'signing_unavailable',
    'the wallet watches a bare address: nobody can be told what to sign; watch its descriptor to pay from it',
    { field: 'wallet_id' },
  );
}
