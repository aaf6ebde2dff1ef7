import type { Miniscript } from '../scripts/miniscript/miniscript.ts';
import type { DescriptorKey } from './descriptor-key.ts';
import type { MiniscriptNode } from './descriptor-node.ts';

export interface KeySource {
  /** null: not a key of the context. */
  key(publicKey: Uint8Array): DescriptorKey | null;
  /** null: no such key is known. */
  keyOfHash(hash: Uint8Array): DescriptorKey | null;
}

/** What a script says, with its keys as a descriptor names them; null where one of them is not known. */
export function nameMiniscriptKeys(node: Miniscript, keys: KeySource): MiniscriptNode | null {
  switch (node.type) {
    case '0':
    case '1':
    case 'older':
    case 'after':
      return node;
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160':
      return { type: node.type, hash: Buffer.from(node.hash) };
    case 'pk_k':
    case 'pk_h': {
      const key = node.type === 'pk_k' ? keys.key(node.key) : keys.keyOfHash(node.keyHash);
      return key && { type: node.type, key };
    }
    case 'multi':
    case 'multi_a': {
      const named = node.keys.map((key) => keys.key(key));
      return allThere(named) ? { type: node.type, required: node.required, keys: named } : null;
    }
    default:
      return nameWithin(node, keys);
  }
}

function nameWithin(node: Extract<Miniscript, { of: unknown }>, keys: KeySource): MiniscriptNode | null {
  const subs = node.of.map((sub) => nameMiniscriptKeys(sub, keys));
  if (!allThere(subs)) return null;
  const [first, second, third] = subs as [MiniscriptNode, MiniscriptNode, MiniscriptNode];
  switch (node.type) {
    case 'thresh':
      return { type: 'thresh', required: node.required, subs };
    case 'andor':
      return { type: 'andor', subs: [first, second, third] };
    case 'and_v':
    case 'and_b':
    case 'or_b':
    case 'or_c':
    case 'or_d':
    case 'or_i':
      return { type: node.type, subs: [first, second] };
    default:
      return { type: node.type, sub: first };
  }
}

const allThere = <T>(values: readonly (T | null)[]): values is readonly T[] => values.every((value) => value !== null);
