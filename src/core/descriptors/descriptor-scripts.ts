/** What a descriptor comes to at an index: output scripts, and what spending them reveals. */
import { p2pkh, p2sh, p2tr, p2wpkh, p2wsh } from '../scripts/output-scripts.ts';
import { pushData } from '../scripts/push.ts';
import { type TapTree, tapLeaf } from '../taproot/script-tree.ts';
import { type TaprootOutput, taprootOutput } from '../taproot/taproot-output.ts';
import { compileMiniscript, multiAScript, multisigScript } from './compile-miniscript.ts';
import type { DescriptorKey } from './descriptor-key.ts';
import type { DescriptorNode, InnerNode, TreeNode } from './descriptor-node.ts';

export interface DescriptorScript {
  readonly scriptPubKey: Buffer;
  readonly redeemScript: Buffer | null;
  readonly witnessScript: Buffer | null;
  readonly taproot: TaprootOutput | null;
}

/** One script, up to four of combo(): p2pk, p2pkh, p2wpkh, p2sh-p2wpkh, in Bitcoin Core's order. Throws `invalid_key` (tr, 1 in 2^127). */
export function scriptsAt(node: DescriptorNode, index: number): DescriptorScript[] {
  switch (node.type) {
    case 'addr':
    case 'raw':
      return [bare(node.script)];
    case 'combo':
      return comboScripts(node.key.publicKeyAt(index));
    case 'wpkh':
      return [bare(p2wpkh(node.key.publicKeyAt(index)))];
    case 'rawtr':
      return [bare(p2tr(node.key.publicKeyAt(index).subarray(1)))];
    case 'tr': {
      const taproot = taprootOutput(node.key.publicKeyAt(index).subarray(1), node.tree && tapTree(node.tree, index));
      return [{ ...bare(taproot.scriptPubKey), taproot }];
    }
    case 'wsh': {
      const witnessScript = innerScript(node.inner, index);
      return [{ ...bare(p2wsh(witnessScript)), witnessScript }];
    }
    case 'sh': {
      const { inner } = node;
      if (inner.type !== 'wsh') {
        const redeemScript = inner.type === 'wpkh' ? p2wpkh(inner.key.publicKeyAt(index)) : innerScript(inner, index);
        return [{ ...bare(p2sh(redeemScript)), redeemScript }];
      }
      const witnessScript = innerScript(inner.inner, index);
      const redeemScript = p2wsh(witnessScript);
      return [{ ...bare(p2sh(redeemScript)), redeemScript, witnessScript }];
    }
    default:
      return [bare(innerScript(node, index))];
  }
}

const bare = (scriptPubKey: Buffer): DescriptorScript => ({
  scriptPubKey,
  redeemScript: null,
  witnessScript: null,
  taproot: null,
});

function comboScripts(key: Uint8Array): DescriptorScript[] {
  const scripts = [bare(p2pk(key)), bare(p2pkh(key))];
  if (key.length !== 33) return scripts;
  const redeemScript = p2wpkh(key);
  return [...scripts, bare(redeemScript), { ...bare(p2sh(redeemScript)), redeemScript }];
}

/** The script that a hash or a leaf commits to, or that stands bare. In a leaf keys are x-only. */
export function innerScript(node: InnerNode, index: number, tapscript = false): Buffer {
  const keyOf = (key: DescriptorKey): Uint8Array => key.publicKeyAt(index).subarray(tapscript ? 1 : 0);
  switch (node.type) {
    case 'pk':
      return p2pk(keyOf(node.key));
    case 'pkh':
      return p2pkh(keyOf(node.key));
    case 'miniscript':
      return compileMiniscript(node.root, index, node.tapscript);
    case 'multi':
      return multisigScript(node.required, node.keys.map(keyOf));
    case 'sortedmulti':
      return multisigScript(node.required, sorted(node.keys.map(keyOf)));
    case 'multi_a':
      return multiAScript(node.required, node.keys.map(keyOf));
    case 'sortedmulti_a':
      return multiAScript(node.required, sorted(node.keys.map(keyOf)));
  }
}

function tapTree(tree: TreeNode, index: number): TapTree {
  if ('leaf' in tree) return tapLeaf(innerScript(tree.leaf, index, true));
  return [tapTree(tree.branches[0], index), tapTree(tree.branches[1], index)];
}

const sorted = (keys: Uint8Array[]): Uint8Array[] => keys.toSorted(Buffer.compare);

const p2pk = (key: Uint8Array): Buffer => Buffer.concat([pushData(key), Buffer.of(0xac)]);
