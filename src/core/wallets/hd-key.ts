/** BIP32 keys of wallets: from seed to account with intermediate secrets overwritten, and extended public keys in and out. */
import { BIP32Factory, type BIP32Interface } from 'bip32';
import { ecc } from '../keys/ecc.ts';
import { coinType, type Network, networkParameters } from '../network.ts';

export const bip32 = BIP32Factory(ecc);

/**
 * Purposes of the account paths we derive: BIP84, BIP86, BIP49, BIP44; BIP48 for multisig (script type 2h: wsh), BIP87 for that of
 * taproot, of which BIP48 says nothing.
 */
export type KeyedWalletType = 'segwit' | 'taproot' | 'nested-segwit' | 'legacy' | 'multisig' | 'taproot-multisig';

const PURPOSE = {
  segwit: 84,
  taproot: 86,
  'nested-segwit': 49,
  legacy: 44,
  multisig: 48,
  'taproot-multisig': 87,
} as const;

/** Hardened steps from the master key to account 0: m/84h/1h/0h is [84, 1, 0]. */
export function accountPath(type: KeyedWalletType, network: Network): readonly number[] {
  const path = [PURPOSE[type], coinType(network), 0];
  return type === 'multisig' ? [...path, 2] : path;
}

/** Derives the account key of a seed (16 to 64 bytes). The caller wipes it when done (`wipeKey`); the seed is left as it is. */
export function accountKey(seed: Uint8Array, path: readonly number[], network: Network) {
  let node = bip32.fromSeed(seed, networkParameters(network));
  const masterFingerprint = Buffer.from(node.fingerprint).toString('hex');
  for (const step of path) {
    const child = node.deriveHardened(step);
    wipeKey(node);
    node = child;
  }
  return {
    node,
    /** `[fingerprint/84h/1h/0h]`, what stands before the extended key in a descriptor. */
    origin: `[${masterFingerprint}${path.map((step) => `/${step}h`).join('')}]`,
    /** Of the master key, 8 hex digits. */
    masterFingerprint,
  };
}

export type AccountKey = ReturnType<typeof accountKey>;

/** Overwrites a node's private key and chain code. bip32 hands out its own buffers, so this reaches the node itself. */
export function wipeKey(node: BIP32Interface): void {
  node.privateKey?.fill(0);
  node.chainCode.fill(0);
}
