import { withChecksum } from '../wallets/descriptor-checksum.ts';
import type { DescriptorKey } from './descriptor-key.ts';
import type { DescriptorNode, InnerNode, TreeNode } from './descriptor-node.ts';
import { writeMiniscript } from './write-miniscript.ts';

/** The canonical text with its checksum: as Bitcoin Core writes it, hardened steps with h. */
export const writeDescriptor = (node: DescriptorNode): string => withChecksum(bodyOf(node));

function bodyOf(node: DescriptorNode | InnerNode): string {
  switch (node.type) {
    case 'addr':
      return `addr(${node.address})`;
    case 'raw':
      return `raw(${node.script.toString('hex')})`;
    case 'tr':
      return `tr(${[node.key.text, ...(node.tree ? [treeText(node.tree)] : [])].join(',')})`;
    case 'sh':
    case 'wsh':
      return `${node.type}(${bodyOf(node.inner)})`;
    case 'miniscript':
      return writeMiniscript(node.root, (key) => key.text);
    case 'multi':
    case 'sortedmulti':
    case 'multi_a':
    case 'sortedmulti_a':
      return `${node.type}(${[node.required, ...node.keys.map((key) => key.text)].join(',')})`;
    default:
      return `${node.type}(${node.key.text})`;
  }
}

const treeText = (tree: TreeNode): string =>
  'leaf' in tree ? bodyOf(tree.leaf) : `{${treeText(tree.branches[0])},${treeText(tree.branches[1])}}`;

/** Every key of a descriptor, in the order written; one that stands twice is there twice. */
export function keysOf(node: DescriptorNode): DescriptorKey[] {
  const keys: DescriptorKey[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    else if (isKey(value)) keys.push(value);
    else if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) visit(Object.values(value));
  };
  visit(node);
  return keys;
}

const isKey = (value: unknown): value is DescriptorKey =>
  typeof value === 'object' && value !== null && 'publicKeyAt' in value;
