import { hex } from '../../bytes.ts';
import { hash160 } from '../../hashes.ts';
import { keysPushedBy } from '../../scripts/script-keys.ts';
import type { TaprootLeaf, TaprootSpend } from './taproot-spend.ts';

/** Leaves by what they push that may be a key or its hash, in hex. */
export type LeavesByKey = ReadonlyMap<string, readonly TaprootLeaf[]>;

export function leavesByKey({ leaves }: TaprootSpend): LeavesByKey {
  const found = new Map<string, TaprootLeaf[]>();
  for (const leaf of leaves)
    for (const key of keysPushedBy(leaf.script)) {
      const others = found.get(key);
      if (others) others.push(leaf);
      else found.set(key, [leaf]);
    }
  return found;
}

/** Those whose script has the key or its hash. */
export function leavesOf(leaves: LeavesByKey, xOnlyKey: Uint8Array): TaprootLeaf[] {
  if (leaves.size === 0) return [];
  const byKey = leaves.get(hex(xOnlyKey)) ?? [];
  const byHash = leaves.get(hash160(xOnlyKey).toString('hex')) ?? [];
  return [...new Set([...byKey, ...byHash])];
}
