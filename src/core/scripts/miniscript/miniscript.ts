/** Miniscript as a tree (https://bitcoin.sipa.be/miniscript): the fragments that scripts decode to, without syntactic sugar. */
import { hex } from '../../bytes.ts';

export type Miniscript =
  | { readonly type: '0' | '1' }
  | { readonly type: 'pk_k'; readonly key: Uint8Array }
  | { readonly type: 'pk_h'; readonly keyHash: Uint8Array }
  | { readonly type: 'older' | 'after'; readonly value: number }
  | { readonly type: HashFragment; readonly hash: Uint8Array }
  | { readonly type: 'multi' | 'multi_a'; readonly required: number; readonly keys: readonly Uint8Array[] }
  | { readonly type: 'thresh'; readonly required: number; readonly of: readonly Miniscript[] }
  | {
      readonly type: 'and_v' | 'and_b' | 'or_b' | 'or_c' | 'or_d' | 'or_i';
      readonly of: readonly [Miniscript, Miniscript];
    }
  | { readonly type: 'andor'; readonly of: readonly [Miniscript, Miniscript, Miniscript] }
  | { readonly type: Wrapper; readonly of: readonly [Miniscript] };

export type HashFragment = 'sha256' | 'hash256' | 'ripemd160' | 'hash160';
type Wrapper = 'a' | 's' | 'c' | 'd' | 'v' | 'j' | 'n';

/** Where a script stands: keys are x-only in tapscript, compressed in P2WSH, either form before segwit. */
export type ScriptContext = 'legacy' | 'segwit-v0' | 'tapscript';

/** As descriptors write it, keys and hashes in hex; wrappers are written one by one (`v:c:pk_k(…)`). */
export function miniscriptText(node: Miniscript): string {
  switch (node.type) {
    case '0':
    case '1':
      return node.type;
    case 'pk_k':
      return `pk_k(${hex(node.key)})`;
    case 'pk_h':
      return `pk_h(${hex(node.keyHash)})`;
    case 'older':
    case 'after':
      return `${node.type}(${node.value})`;
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160':
      return `${node.type}(${hex(node.hash)})`;
    case 'multi':
    case 'multi_a':
      return `${node.type}(${[node.required, ...node.keys.map(hex)].join(',')})`;
    case 'thresh':
      return `thresh(${[node.required, ...node.of.map(miniscriptText)].join(',')})`;
    case 'and_v':
    case 'and_b':
    case 'or_b':
    case 'or_c':
    case 'or_d':
    case 'or_i':
    case 'andor':
      return `${node.type}(${node.of.map(miniscriptText).join(',')})`;
    default:
      return `${node.type}:${miniscriptText(node.of[0])}`;
  }
}

/** Every key, and every key's hash, in the order of the script. */
export function miniscriptKeys(node: Miniscript): Uint8Array[] {
  if (node.type === 'pk_k') return [node.key];
  if (node.type === 'pk_h') return [node.keyHash];
  if (node.type === 'multi' || node.type === 'multi_a') return [...node.keys];
  return 'of' in node ? node.of.flatMap(miniscriptKeys) : [];
}
