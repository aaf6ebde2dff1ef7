import type { BIP32Interface } from 'bip32';
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { parseExtendedPublicKey } from './extended-key.ts';

const EXTENDED_KEY = /\][xt]pub[1-9A-HJ-NP-Za-km-z]+/;

/**
 * Compressed public keys of a wallet with one key, by branch and index, from its public descriptor; plain BIP32 keys, without taproot's
 * tweak. Throws `signing_unavailable` for a descriptor without an extended key.
 */
export function accountPublicKeys(
  externalDescriptor: string,
  network: Network,
): (change: boolean, index: number) => Uint8Array {
  const [found] = EXTENDED_KEY.exec(externalDescriptor) ?? [];
  if (found === undefined) {
    throw new DomainError('signing_unavailable', 'the wallet has no extended key to derive further keys from', {
      field: 'wallet_id',
    });
  }
  const { node } = parseExtendedPublicKey(found.slice(1), network);
  const branches: readonly [BIP32Interface, BIP32Interface] = [node.derive(0), node.derive(1)];
  return (change, index) => Uint8Array.from(branches[change ? 1 : 0].derive(index).publicKey);
}
