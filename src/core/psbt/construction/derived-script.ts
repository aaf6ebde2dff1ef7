/** What a descriptor that derives a script lets updaters say of it: scripts behind hashes, keys and where they come from. */
import { hex, sameBytes } from '../../bytes.ts';
import { leavesOf } from '../../descriptors/describe-descriptor.ts';
import type { DescriptorKey } from '../../descriptors/descriptor-key.ts';
import type { DescriptorNode } from '../../descriptors/descriptor-node.ts';
import type { DescriptorScript } from '../../descriptors/descriptor-scripts.ts';
import { heldKeys } from '../../descriptors/musig-key.ts';
import { keysOf } from '../../descriptors/write-descriptor.ts';
import { hash160 } from '../../hashes.ts';
import { tapLeafHash } from '../../taproot/leaf-hash.ts';
import type { Bip32Derivation, KeyOrigin, TapBip32Derivation } from '../codec/key-derivations.ts';
import { INPUT, OUTPUT } from '../codec/key-types.ts';
import type { PsbtEntry } from '../psbt-map.ts';
import type { PsbtInputFacts, PsbtOutputFacts } from './psbt-draft.ts';

/** A script with the descriptor and the index that it is derived from. */
export interface DerivedScript extends DescriptorScript {
  readonly node: DescriptorNode;
  readonly index: number;
}

/** Scripts behind hashes, keys and their origins; of taproot the leaves with their control blocks, the root, the internal key. */
export function inputFactsOf(script: DerivedScript): PsbtInputFacts {
  const { taproot } = script;
  if (script.node.type === 'rawtr') return outputKeyFacts(script, INPUT.MUSIG2_PARTICIPANT_PUBKEYS);
  if (taproot === null) return { ...scriptsOf(script), bip32Derivations: derivationsOf(script) };
  return {
    fields: participantFields(script, INPUT.MUSIG2_PARTICIPANT_PUBKEYS),
    tapInternalKey: taproot.internalKey,
    tapMerkleRoot: taproot.merkleRoot ?? undefined,
    tapLeafScripts: taproot.leaves,
    tapBip32Derivations: tapDerivationsOf(script),
  };
}

export function outputFactsOf(script: DerivedScript): PsbtOutputFacts {
  const { taproot } = script;
  if (script.node.type === 'rawtr') return outputKeyFacts(script, OUTPUT.MUSIG2_PARTICIPANT_PUBKEYS);
  if (taproot === null) return { ...scriptsOf(script), bip32Derivations: derivationsOf(script) };
  return {
    fields: participantFields(script, OUTPUT.MUSIG2_PARTICIPANT_PUBKEYS),
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

/** As Bitcoin Core does it: of rawtr() nothing is told but who makes up a MuSig2 output key. */
const outputKeyFacts = (script: DerivedScript, type: number): Pick<PsbtInputFacts, 'fields' | 'tapBip32Derivations'> =>
  keysOf(script.node).every((key) => key.musig === null)
    ? {}
    : { fields: participantFields(script, type), tapBip32Derivations: tapDerivationsOf(script) };

/** BIP373: whose keys make up the aggregate ones, by the aggregate key; two musig() of the same keys share theirs. */
function participantFields({ node, index }: DerivedScript, type: number): PsbtEntry[] {
  const found = new Map<string, PsbtEntry>();
  for (const { musig } of keysOf(node)) {
    if (musig === null) continue;
    const { aggregate: keyData, publicKeys } = musig.at(index);
    found.set(hex(keyData), { type, keyData, value: Buffer.concat(publicKeys) });
  }
  return [...found.values()];
}

/** As Bitcoin Core does it: a plain key without origin is its own master. */
const derivationsOf = ({ node, index }: DerivedScript): Bip32Derivation[] =>
  keysOf(node).map((key) => ({
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
  const found = new Map<string, TapBip32Derivation & { leafHashes: Uint8Array[] }>();
  const add = (keys: readonly DescriptorKey[], leafHash: Uint8Array | null) => {
    for (const key of new Set([...keys, ...heldKeys(keys)])) {
      const xOnlyKey = key.publicKeyAt(index).subarray(1);
      const name = hex(xOnlyKey);
      const known = found.get(name) ?? { xOnlyKey, ...originOf(key, index), leafHashes: [] };
      if (leafHash !== null) known.leafHashes.push(leafHash);
      found.set(name, known);
    }
  };
  if (node.type !== 'tr' || taproot === null) {
    add(keysOf(node), null);
    return [...found.values()];
  }
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
  hashes.toSorted(Buffer.compare).filter((hash, at, all) => at === 0 || !sameBytes(hash, all[at - 1] as Uint8Array));
