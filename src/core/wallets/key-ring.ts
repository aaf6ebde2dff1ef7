import type { BIP32Interface } from 'bip32';
import { type Network, networkParameters } from '../network.ts';
import type { KeyRing } from '../transactions/signing-input.ts';
import { bip32, wipeKey } from './hd-key.ts';

/**
 * Keys of a single-key wallet by branch (0 external, 1 change) and index, from its account key. Keys are plain BIP32 keys: taproot's
 * tweak is the signer's. The ring keeps copies; the caller wipes what it passed in.
 */
export function createKeyRing(account: { privateKey: Uint8Array; chainCode: Uint8Array }, network: Network): KeyRing {
  const node = bip32.fromPrivateKey(
    Uint8Array.from(account.privateKey),
    Uint8Array.from(account.chainCode),
    networkParameters(network),
  );
  // Most payments spend of one of them.
  const branches = new Map<boolean, BIP32Interface>();
  let disposed = false;

  const child = (change: boolean, index: number): BIP32Interface => {
    if (disposed) throw new Error('the key ring has been disposed of');
    const branch = branches.get(change) ?? node.derive(change ? 1 : 0);
    branches.set(change, branch);
    return branch.derive(index);
  };

  return {
    privateKey(change, index) {
      const key = child(change, index);
      key.chainCode.fill(0);
      return key.privateKey!;
    },
    publicKey(change, index) {
      const key = child(change, index);
      const publicKey = key.publicKey;
      wipeKey(key);
      return publicKey;
    },
    dispose() {
      disposed = true;
      wipeKey(node);
      for (const branch of branches.values()) wipeKey(branch);
    },
  };
}
