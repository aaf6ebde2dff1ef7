/** What a signer must be told of a wallet's script beyond the script itself: scripts behind hashes, keys and where they come from. */
import type { KeyInfo, TapTreeInfoNode } from '@bitcoinerlab/descriptors';
import { hash160 } from '../blocks/hash160.ts';
import { DomainError } from '../errors.ts';
import { type Network, networkParameters } from '../network.ts';
import type { Bip32Derivation, TapBip32Derivation } from '../psbt/key-derivations.ts';
import { tapLeafHash } from '../taproot/leaf-hash.ts';
import { type TapTree, tapLeaf } from '../taproot/script-tree.ts';
import { type SpendableLeaf, taprootOutput } from '../taproot/taproot-output.ts';
import { withoutChecksum } from './descriptor-checksum.ts';
import { expandDescriptor, tapLeavesOf } from './descriptor-library.ts';
import { bip32 } from './hd-key.ts';

export interface TaprootSpending {
  /** x-only */
  readonly internalKey: Uint8Array;
  readonly merkleRoot: Uint8Array | null;
  /** From left to right. */
  readonly leaves: readonly SpendableLeaf[];
  /** Each once, with the leaves it stands in; none for the internal key. */
  readonly keys: readonly TapBip32Derivation[];
}

export interface SpendingData {
  readonly scriptPubKey: Uint8Array;
  readonly redeemScript: Uint8Array | null;
  readonly witnessScript: Uint8Array | null;
  /** Outside taproot. Where the descriptor gives no origin the extended key is its own master, as in Bitcoin Core. */
  readonly keys: readonly Bip32Derivation[];
  readonly taproot: TaprootSpending | null;
}

/**
 * Of the script of a descriptor (public, without multipath) at an index; the index of one without wildcard does not matter.
 * Throws `invalid_descriptor`, and `signing_unavailable` for addr(), which says nothing of its keys.
 */
export function spendingData(descriptor: string, index: number, network: Network): SpendingData {
  const text = withoutChecksum(descriptor);
  assertDescribesKeys(text);
  const expanded = expandDescriptor(text, index, network);
  const script = expanded.payment?.output;
  if (!script) throw new DomainError('invalid_descriptor', 'the descriptor has no script');
  const infos = Object.values(expanded.expansionMap ?? {});
  if (expanded.isTaproot) {
    return {
      ...{ scriptPubKey: script, redeemScript: null, witnessScript: null, keys: [] },
      taproot: taprootSpending(infos[0] as KeyInfo, expanded.tapTreeInfo ?? null),
    };
  }
  return {
    scriptPubKey: script,
    redeemScript: expanded.redeemScript ?? nestedProgram(script, infos),
    witnessScript: expanded.witnessScript ?? null,
    keys: distinct(infos.map(keyOf)),
    taproot: null,
  };
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

/** The program that P2SH-P2WPKH hashes, where the library gives none. */
function nestedProgram(script: Uint8Array, infos: readonly KeyInfo[]): Uint8Array | null {
  const [only] = infos;
  if (script[0] !== 0xa9 || !only?.pubkey || infos.length !== 1) return null;
  return Buffer.concat([Uint8Array.of(0x00, 0x14), hash160(only.pubkey)]);
}

function taprootSpending(internal: KeyInfo, tree: TapTreeInfoNode | null): TaprootSpending {
  const internalKey = internal.pubkey as Uint8Array;
  const { merkleRoot, leaves } = taprootOutput(internalKey, tree && treeOf(tree));
  const keys = new Map<string, Bip32Derivation & { leafHashes: Uint8Array[] }>();
  const add = (info: KeyInfo, leafHash: Uint8Array | null) => {
    const key = keyOf(info);
    const name = hex(key.publicKey);
    const known = keys.get(name) ?? { ...key, leafHashes: [] };
    if (leafHash !== null) known.leafHashes.push(leafHash);
    keys.set(name, known);
  };
  add(internal, null);
  for (const leaf of tree ? tapLeavesOf(tree) : []) {
    const leafHash = tapLeafHash(leaf.tapScript, leaf.version);
    for (const info of Object.values(leaf.expansionMap)) add(info, leafHash);
  }
  return {
    ...{ internalKey, merkleRoot, leaves },
    keys: [...keys.values()].map(({ publicKey, leafHashes, ...origin }) => ({
      ...origin,
      xOnlyKey: publicKey,
      leafHashes: leafHashes.sort(Buffer.compare),
    })),
  };
}

const treeOf = (node: TapTreeInfoNode): TapTree =>
  'left' in node ? [treeOf(node.left), treeOf(node.right)] : tapLeaf(node.tapScript, node.version);

function keyOf(info: KeyInfo): Bip32Derivation {
  const publicKey = info.pubkey as Uint8Array;
  const own = stepsOf(info.keyPath);
  if (info.masterFingerprint) {
    return { publicKey, fingerprint: hex(info.masterFingerprint), path: [...stepsOf(info.originPath), ...own] };
  }
  // Without origin the key is its own master, and a raw key has no steps.
  if (info.bip32 && info.xPub) return { publicKey, fingerprint: fingerprintOf(info.xPub), path: own };
  // Of an x-only key the hash is that of the even point, as in Bitcoin Core.
  const point = publicKey.length === 32 ? Buffer.concat([Uint8Array.of(2), publicKey]) : publicKey;
  return { publicKey, fingerprint: hex(hash160(point).subarray(0, 4)), path: [] };
}

const fingerprintOf = (extended: string): string => {
  const network = networkParameters(extended.startsWith('xpub') ? 'mainnet' : 'regtest');
  return hex(bip32.fromBase58(extended, network).fingerprint);
};

const distinct = (keys: readonly Bip32Derivation[]): Bip32Derivation[] => [
  ...new Map(keys.map((key) => [hex(key.publicKey), key])).values(),
];

/** "/84h/1'/0" as numbers. */
const stepsOf = (path: string | undefined): number[] =>
  (path ?? '')
    .split('/')
    .filter((step) => step !== '' && step !== 'm')
    .map((step) => (/[h'H]$/.test(step) ? Number(step.slice(0, -1)) + 0x80000000 : Number(step)));

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
