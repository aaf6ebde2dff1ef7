import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { descriptorChecksum, withChecksum, withoutChecksum } from '../wallets/descriptor-checksum.ts';
import { analyzeMiniscript } from './analyze-miniscript.ts';
import type { DescriptorNode, InnerNode, TreeNode } from './descriptor-node.ts';
import { parseDescriptorNodes } from './parse-descriptor.ts';
import { inputWeight } from './satisfaction-weight.ts';
import { keysOf, writeDescriptor } from './write-descriptor.ts';
import { writeMiniscript } from './write-miniscript.ts';

/** What a descriptor says. Throws `invalid_descriptor`, `wrong_network` or `unsupported`. */
export function describeDescriptor(text: string, network: Network) {
  const nodes = parseDescriptorNodes(text, network);
  const first = nodes[0] as DescriptorNode;
  const keys = keysOf(first);
  return {
    /** Canonical, with checksum; multipath steps as they were given. */
    descriptor: nodes.length === 1 ? writeDescriptor(first) : canonicalMultipath(text, network),
    /** Of the text as it was given. */
    checksum: descriptorChecksum(withoutChecksum(text.trim())),
    /** `wsh`, `sh(wsh)`, `tr`, … : the functions that say what the output is. */
    type: typeOf(first),
    ranged: keys.some((key) => key.ranged),
    /** Whether it tells, keys given, how to spend. */
    solvable: first.type !== 'addr' && first.type !== 'raw',
    /** Canonical, one per value of its multipath steps; one where there are none. */
    paths: nodes.map(writeDescriptor),
    keys: nodes.length === 1 ? keys : nodes.flatMap(keysOf),
    miniscripts: miniscriptsOf(first).map(({ root, tapscript }) => ({
      ...analyzeMiniscript(root, tapscript),
      expression: writeMiniscript(root, (key) => key.text),
      context: tapscript ? ('tapscript' as const) : ('wsh' as const),
    })),
    /** Weight units of an input that spends it; null where it does not tell. */
    inputWeight: inputWeight(first),
  };
}

export type DescribedDescriptor = ReturnType<typeof describeDescriptor>;

/** The same for whoever derives scripts from it: insane miniscripts are refused, as Bitcoin Core refuses them. */
export function openDescriptor(text: string, network: Network): DescriptorNode[] {
  const nodes = parseDescriptorNodes(text, network);
  for (const { root, tapscript } of miniscriptsOf(nodes[0] as DescriptorNode)) {
    const { sane, issues } = analyzeMiniscript(root, tapscript);
    if (!sane) throw new DomainError('invalid_descriptor', `the miniscript is not sane: ${issues.join('; ')}`);
  }
  return nodes;
}

const typeOf = (node: DescriptorNode): string =>
  node.type === 'sh' && (node.inner.type === 'wsh' || node.inner.type === 'wpkh')
    ? `sh(${node.inner.type})`
    : node.type;

type MiniscriptInner = Extract<InnerNode, { type: 'miniscript' }>;

function miniscriptsOf(node: DescriptorNode): MiniscriptInner[] {
  const isMiniscript = (inner: { type: string }): inner is MiniscriptInner => inner.type === 'miniscript';
  if (node.type === 'tr') return node.tree === null ? [] : leavesOf(node.tree).filter(isMiniscript);
  if (node.type === 'wsh') return [node.inner].filter(isMiniscript);
  return node.type === 'sh' && node.inner.type === 'wsh' ? [node.inner.inner].filter(isMiniscript) : [];
}

export const leavesOf = (tree: TreeNode): InnerNode[] =>
  'leaf' in tree ? [tree.leaf] : [...leavesOf(tree.branches[0]), ...leavesOf(tree.branches[1])];

/** Writes the descriptor with a number in place of each multipath step, and puts the steps back. */
function canonicalMultipath(text: string, network: Network): string {
  const body = withoutChecksum(text.trim());
  const steps: string[] = [];
  const marks: number[] = [];
  let mark = 2_000_000_000;
  const marked = body.replace(/\/<([^<>]*)>/g, (_match, values: string) => {
    while (body.includes(String(mark))) mark += 1;
    steps.push(values.replaceAll(/[H']/g, 'h'));
    marks.push(mark);
    return `/${mark++}`;
  });
  const [node] = parseDescriptorNodes(marked, network);
  let written = withoutChecksum(writeDescriptor(node as DescriptorNode));
  marks.forEach((number, position) => {
    written = written.replace(`/${number}`, `/<${steps[position]}>`);
  });
  return withChecksum(written);
}
