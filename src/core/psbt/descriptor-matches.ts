/** Which scripts of a PSBT a descriptor derives, and what an updater may say of them then. */
import { leavesOf, openDescriptor } from '../descriptors/describe-descriptor.ts';
import type { DescriptorNode } from '../descriptors/descriptor-node.ts';
import { type DescriptorScript, scriptsAt } from '../descriptors/descriptor-scripts.ts';
import { keysOf } from '../descriptors/write-descriptor.ts';
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { tapLeafHash } from '../taproot/leaf-hash.ts';
import type { Bip32Derivation, TapBip32Derivation } from './key-derivations.ts';
import type { PsbtInputFacts, PsbtOutputFacts } from './psbt-draft.ts';

export interface UpdaterDescriptors {
  readonly network: Network;
  /** Public ones, ranged or not, with multipath steps or not, with checksum or not. */
  readonly descriptors: readonly string[];
  /** First and last index that is tried of the ranged ones; 0 to 99 where left out. */
  readonly range?: readonly [number, number] | undefined;
}

export interface DescriptorMatch extends DescriptorScript {
  readonly node: DescriptorNode;
  readonly index: number;
}

const DEFAULT_RANGE = [0, 99] as const;
/** Keys that one request may have derived. */
const MOST_DERIVATIONS = 20_000;
const HARDENED = 0x80000000;

/**
 * Of the scripts (hex) those that the descriptors derive within the range. Throws `invalid_descriptor`, `wrong_network` and
 * `unsupported` at `descriptors[i]`, `invalid_value` and `too_large` at `range`.
 */
export function matchDescriptors(
  scripts: ReadonlySet<string>,
  given: UpdaterDescriptors,
): Map<string, DescriptorMatch> {
  const [first, last] = given.range ?? DEFAULT_RANGE;
  if (!(Number.isInteger(first) && Number.isInteger(last) && 0 <= first && first <= last && last < HARDENED))
    throw new DomainError(
      'invalid_value',
      'a range is two indices from 0 to 2147483647, the first not above the last',
      {
        field: 'range',
      },
    );
  const nodes = given.descriptors.flatMap((text, index) => nodesOf(text, given.network, `descriptors[${index}]`));
  const keys = nodes.reduce((sum, node) => sum + keysOf(node).length, 0);
  if (keys * (last - first + 1) > MOST_DERIVATIONS)
    throw new DomainError(
      'too_large',
      `at most ${MOST_DERIVATIONS} keys are derived at a time: give a narrower range or fewer descriptors`,
      { field: 'range' },
    );
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

/** Of the keys that come from somewhere: a plain key without origin has nothing to tell. */
function derivationsOf({ node, index }: DescriptorMatch): Bip32Derivation[] {
  return keysOf(node).flatMap((key) => {
    const derivation = key.derivationAt(index);
    return derivation === null ? [] : [{ publicKey: key.publicKeyAt(index), ...derivation }];
  });
}

/** Each key once, with the hashes of all leaves that hold it. */
function tapDerivationsOf({ node, index, taproot }: DescriptorMatch): TapBip32Derivation[] {
  if (node.type !== 'tr' || taproot === null) return [];
  const found = new Map<string, TapBip32Derivation & { leafHashes: Uint8Array[] }>();
  const add = (keys: ReturnType<typeof keysOf>, leafHash: Uint8Array | null) => {
    for (const key of new Set(keys)) {
      const derivation = key.derivationAt(index);
      if (derivation === null) continue;
      const xOnlyKey = key.publicKeyAt(index).subarray(1);
      const name = Buffer.from(xOnlyKey).toString('hex');
      const known = found.get(name) ?? { xOnlyKey, ...derivation, leafHashes: [] };
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
  return [...found.values()];
}
