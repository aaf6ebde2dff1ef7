/** What a descriptor that derives a script lets updaters say of it: scripts behind hashes, keys and where they come from. */
import { leavesOf } from '../../descriptors/describe-descriptor.ts';
import type { DescriptorKey } from '../../descriptors/descriptor-key.ts';
import type { DescriptorNode } from '../../descriptors/descriptor-node.ts';
import type { DescriptorScript } from '../../descriptors/descriptor-scripts.ts';
import { hash160 } from '../../descriptors/hashes.ts';
import { keysOf } from '../../descriptors/write-descriptor.ts';
import { tapLeafHash } from '../../taproot/leaf-hash.ts';
import type { Bip32Derivation, KeyOrigin, TapBip32Derivation } from '../codec/key-derivations.ts';
import type { PsbtInputFacts, PsbtOutputFacts } from './psbt-draft.ts';

/** A script with the descriptor and the index that it is derived from. */
export interface DerivedScript extends DescriptorScript {
  readonly node: DescriptorNode;
  readonly index: number;
}

/** Scripts behind hashes, keys and their origins; of taproot the leaves with their control blocks, the root, the internal key. */
export function inputFactsOf(script: DerivedScript): PsbtInputFacts {
  const { taproot } = script;
  if (taproot === null) return { ...scriptsOf(script), bip32Derivations: derivationsOf(script) };
  return {
    tapInternalKey: taproot.internalKey,
    tapMerkleRoot: taproot.merkleRoot ?? undefined,
    tapLeafScripts: taproot.leaves,
    tapBip32Derivations: tapDerivationsOf(script),
  };
}

export function outputFactsOf(script: DerivedScript): PsbtOutputFacts {
  const { taproot } = script;
  if (taproot === null) return { ...scriptsOf(script), bip32Derivations: derivationsOf(script) };
  return {
    tapInternalKey: taproot.internalKey,
    tapTree:
      taproot.leaves.length === 0
        ? undefined
        : taproot.leaves.map(({ path, leafVersion, script }) => ({ depth: path.length, leafVersion, script })),
    tapBip32Derivations: tapDerivationsOf(script),
  };
}

const scriptsOf = ({ redeemScript, witnessScript }: DerivedScript) => ({
  redeemScript: redeemScript ?? undefined,
  witnessScript: witnessScript ?? undefined,
});

/** As Bitcoin Core does it: a plain key without origin is its own master, and rawtr() tells nothing of its output key. */
const derivationsOf = ({ node, index }: DerivedScript): Bip32Derivation[] =>
  (node.type === 'rawtr' ? [] : keysOf(node)).map((key) => ({
    publicKey: key.publicKeyAt(index),
    ...originOf(key, index),
  }));

function originOf(key: DescriptorKey, index: number): KeyOrigin {
  const known = key.derivationAt(index);
  if (known !== null) return known;
  // As it was written: in tr() an odd key is used as its even one, and still has its own fingerprint.
  const written = Buffer.from(key.text, 'hex');
  const publicKey = written.length === 32 ? key.publicKeyAt(index) : written;
  return { fingerprint: hash160(publicKey).toString('hex', 0, 4), path: [] };
}

/** Each key once, with the hashes of all leaves that hold it, each once and sorted as Bitcoin Core sorts them. */
function tapDerivationsOf({ node, index, taproot }: DerivedScript): TapBip32Derivation[] {
  if (node.type !== 'tr' || taproot === null) return [];
  const found = new Map<string, TapBip32Derivation & { leafHashes: Uint8Array[] }>();
  const add = (keys: readonly DescriptorKey[], leafHash: Uint8Array | null) => {
    for (const key of new Set(keys)) {
      const xOnlyKey = key.publicKeyAt(index).subarray(1);
      const name = Buffer.from(xOnlyKey).toString('hex');
      const known = found.get(name) ?? { xOnlyKey, ...originOf(key, index), leafHashes: [] };
      if (leafHash !== null) known.leafHashes.push(leafHash);
      found.set(name, known);
    }
  };
  add([node.key], null);
  const leaves = node.tree === null ? [] : leavesOf(node.tree);
  for (const [at, inner] of leaves.entries()) {
    const { script, leafVersion } = taproot.leaves[at] as (typeof taproot.leaves)[number];
    // keysOf reads whole descriptors; what a leaf holds could as well stand in wsh().
    add(keysOf({ type: 'wsh', inner }), tapLeafHash(script, leafVersion));
  }
  return [...found.values()].map((one) => ({ ...one, leafHashes: distinct(one.leafHashes) }));
}

const distinct = (hashes: readonly Uint8Array[]): Uint8Array[] =>
  hashes
    .toSorted(Buffer.compare)
    .filter((hash, at, all) => at === 0 || Buffer.compare(hash, all[at - 1] as Uint8Array) !== 0);
