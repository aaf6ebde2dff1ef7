import type { TestNode } from './regtest-node.ts';

const NOBODY = `raw(0014${'00'.repeat(20)})`;

/** Replaces a node's last `depth` blocks by `depth + 1` that hold no transactions: those of the old blocks go back to the mempool. */
export async function reorgNode(node: TestNode, depth: number): Promise<void> {
  const height = await node.rpc<number>('getblockcount');
  await node.rpc('invalidateblock', await node.rpc<string>('getblockhash', height - depth + 1));
  for (let blocks = 0; blocks <= depth; blocks += 1) await node.rpc('generateblock', NOBODY, []);
}
