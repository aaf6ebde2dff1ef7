/** Which scripts of a PSBT a descriptor derives, and what an updater may say of them then. */
import { leavesOf, openDescriptor } from '../descriptors/describe-descriptor.ts';
import type { DescriptorKey } from '../descriptors/descriptor-key.ts';
import type { DescriptorNode } from '../descriptors/descriptor-node.ts';
import { type DescriptorScript, scriptsAt } from '../descriptors/descriptor-scripts.ts';
import { hash160 } from '../descriptors/hashes.ts';
import { keysOf } from '../descriptors/write-descriptor.ts';
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { tapLeafHash } from '../taproot/leaf-hash.ts';
import type { Bip32Derivation, KeyOrigin, TapBip32Derivation } from './key-derivations.ts';
import type { PsbtInputFacts, PsbtOutputFacts } from './psbt-draft.ts';

export interface UpdaterDescriptors {
  readonly network: Network;
  /** Public ones, ranged or not, with multipath steps or not, with checksum or not. */
  readonly descriptors: readonly string[];
  /** First and last index that is tried of the ranged ones; where left out 0 to 99, or to less where there are very many keys. */
  readonly range?: readonly [number, number] | undefined;
}

export interface DescriptorMatch extends DescriptorScript {
  readonly node: DescriptorNode;
  readonly index: number;
}

const DEFAULT_LAST = 99;
/** Keys that one request may have derived: some tenths of a second. */
const MOST_DERIVATIONS = 10_000;
const HARDENED = 0x80000000;

/**
 * Of the scripts (hex) those that the descriptors derive within the range. Throws `invalid_descriptor`, `wrong_network` and
 * `unsupported` at `descriptors[i]`, `invalid_value` and `too_large` at `range`.
 */
export function matchDescriptors(
  scripts: ReadonlySet<string>,
  given: UpdaterDescriptors,
): Map<string, DescriptorMatch> {
  const nodes = given.descriptors.flatMap((text, index) => nodesOf(text, given.network, `descriptors[${index}]`));
  const keys = nodes.reduce((sum, node) => sum + keysOf(node).filter((key) => key.ranged).length, 0);
  const affordable = Math.floor(MOST_DERIVATIONS / Math.max(keys, 1));
  const [first, last] = given.range ?? [0, Math.min(DEFAULT_LAST, affordable - 1)];
  if (!(Number.isInteger(first) && Number.isInteger(last) && 0 <= first && first <= last && last < HARDENED))
    throw atRange('invalid_value', 'a range is two indices from 0 to 2147483647, the first not above the last');
  if (last - first >= affordable)
    throw atRange('too_large', `at most ${MOST_DERIVATIONS} keys are derived at a time: give a narrower range`);
  const found = new Map<string, DescriptorMatch>();
  for (const node of nodes) {
    const ranged = keysOf(node).some((key) => key.ranged);
    for (let index = ranged ? first : 0; index <= (ranged ? last : 0); index++) {
      if (found.size === scripts.size) return found;
      for (const script of scriptsAt(node, index)) {
        const key = script.scriptPubKey.toString('hex');
        if (scripts.has(key) && !found.has(key)) found.set(key, { ...script, node, index });
      }
    }
  }
  return found;
}

const atRange = (code: 'invalid_value' | 'too_large', message: string): DomainError =>
  new DomainError(code, message, { field: 'range' });

function nodesOf(text: string, network: Network, field: string): DescriptorNode[] {
  try {
    return openDescriptor(text, network);
  } catch (error) {
    throw error instanceof DomainError ? error.at(field) : error;
  }
}

/** Scripts behind hashes, keys and their origins; of taproot the leaves with their control blocks, the root, the internal key. */
export function inputFactsOf(match: DescriptorMatch): PsbtInputFacts {
  const { taproot } = match;
  if (taproot === null) return { ...scriptsOf(match), bip32Derivations: derivationsOf(match) };
  return {
    tapInternalKey: taproot.internalKey,
    tapMerkleRoot: taproot.merkleRoot ?? undefined,
    tapLeafScripts: taproot.leaves,
    tapBip32Derivations: tapDerivationsOf(match),
  };
}

export function outputFactsOf(match: DescriptorMatch): PsbtOutputFacts {
  const { taproot } = match;
  if (taproot === null) return { ...scriptsOf(match), bip32Derivations: derivationsOf(match) };
  return {
    tapInternalKey: taproot.internalKey,
    tapTree:
      taproot.leaves.length === 0
        ? undefined
        : taproot.leaves.map(({ path, leafVersion, script }) => ({ depth: path.length, leafVersion, script })),
    tapBip32Derivations: tapDerivationsOf(match),
  };
}

const scriptsOf = ({ redeemScript, witnessScript }: DescriptorMatch) => ({
  redeemScript: redeemScript ?? undefined,
  witnessScript: witnessScript ?? undefined,
});

/** As Bitcoin Core does it: a plain key without origin is its own master, and rawtr() tells nothing of its output key. */
const derivationsOf = ({ node, index }: DescriptorMatch): Bip32Derivation[] =>
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
function tapDerivationsOf({ node, index, taproot }: DescriptorMatch): TapBip32Derivation[] {
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
