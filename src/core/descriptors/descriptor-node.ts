/** A descriptor as a tree (BIP380 to 387 and 390). One tree stands for one expression without multipath; `index` is its wildcard's. */
import type { DescriptorKey } from './descriptor-key.ts';

export type MultiName = 'multi' | 'sortedmulti' | 'multi_a' | 'sortedmulti_a';
export type HashName = 'sha256' | 'hash256' | 'ripemd160' | 'hash160';
export type WrapperName = 'a' | 's' | 'c' | 'd' | 'v' | 'j' | 'n';
export type BinaryName = 'and_v' | 'and_b' | 'or_b' | 'or_c' | 'or_d' | 'or_i';

/** https://bitcoin.sipa.be/miniscript: within wsh(), and in the leaves of tr(). */
export type MiniscriptNode =
  | { readonly type: '0' | '1' }
  | { readonly type: 'pk_k' | 'pk_h'; readonly key: DescriptorKey }
  | { readonly type: 'older' | 'after'; readonly value: number }
  | { readonly type: HashName; readonly hash: Buffer }
  | { readonly type: BinaryName; readonly subs: readonly [MiniscriptNode, MiniscriptNode] }
  | { readonly type: 'andor'; readonly subs: readonly [MiniscriptNode, MiniscriptNode, MiniscriptNode] }
  | { readonly type: 'thresh'; readonly required: number; readonly subs: readonly MiniscriptNode[] }
  | { readonly type: 'multi' | 'multi_a'; readonly required: number; readonly keys: readonly DescriptorKey[] }
  | { readonly type: WrapperName; readonly sub: MiniscriptNode };

/** What a script hash or a leaf commits to. */
export type InnerNode =
  | { readonly type: 'pk' | 'pkh'; readonly key: DescriptorKey }
  | { readonly type: MultiName; readonly required: number; readonly keys: readonly DescriptorKey[] }
  | { readonly type: 'miniscript'; readonly tapscript: boolean; readonly root: MiniscriptNode };

export type TreeNode = { readonly leaf: InnerNode } | { readonly branches: readonly [TreeNode, TreeNode] };

export type DescriptorNode =
  | Exclude<InnerNode, { type: 'miniscript' }>
  | { readonly type: 'wpkh' | 'combo' | 'rawtr'; readonly key: DescriptorKey }
  | { readonly type: 'tr'; readonly key: DescriptorKey; readonly tree: TreeNode | null }
  | { readonly type: 'sh'; readonly inner: InnerNode | WpkhNode | WshNode }
  | WshNode
  | { readonly type: 'addr'; readonly address: string; readonly script: Buffer }
  | { readonly type: 'raw'; readonly script: Buffer };

interface WpkhNode {
  readonly type: 'wpkh';
  readonly key: DescriptorKey;
}
interface WshNode {
  readonly type: 'wsh';
  readonly inner: InnerNode;
}
