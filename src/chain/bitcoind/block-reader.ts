import { DomainError } from '../../core/errors.ts';
import { type BlockHash, blockHash } from '../../core/outpoint.ts';
import type { HeaderInfo, RawBlock } from '../chain-source.ts';
import { createBatchSizer } from './batch-sizer.ts';
import type { RpcCall, RpcClient, RpcOutcome } from './rpc-client.ts';
import { RPC } from './rpc-error.ts';
import { resultOrNull } from './rpc-results.ts';

export interface HeaderAnswer {
  hash: string;
  height: number;
  previousblockhash?: string;
  time: number;
  mediantime: number;
  confirmations: number;
}

const NO_PARENT = '0'.repeat(64) as BlockHash;
const BLOCK_TIMEOUT_MS = 60_000;
const TARGET_BATCH_BYTES = 8_000_000;

/** Blocks as raw bytes with what only the node knows of them (height, median time, whether they are in the best chain). */
export function createBlockReader(rpc: RpcClient) {
  const sizer = createBatchSizer(TARGET_BATCH_BYTES, 200);

  async function readBatch(hashes: readonly BlockHash[]): Promise<(RawBlock | null)[]> {
    const calls = hashes.flatMap((hash): RpcCall[] => [
      { method: 'getblockheader', params: [hash, true] },
      { method: 'getblock', params: [hash, 0] },
    ]);
    const outcomes = await rpc.batch(calls, { timeoutMs: BLOCK_TIMEOUT_MS });
    return hashes.map((_hash, position) => rawBlock(outcomes[2 * position], outcomes[2 * position + 1]));
  }

  return {
    async header(hash: BlockHash) {
      const [outcome] = await rpc.batch([{ method: 'getblockheader', params: [hash, true] }]);
      const answer = resultOrNull<HeaderAnswer>(outcome, RPC.invalidAddressOrKey);
      return answer && headerInfo(answer);
    },
    async block(hash: BlockHash) {
      return (await readBatch([hash]))[0] ?? null;
    },
    async blocks(hashes: readonly BlockHash[]) {
      const read: RawBlock[] = [];
      let asked = 0;
      const askNext = () => {
        const chunk = hashes.slice(asked, asked + sizer.next());
        asked += chunk.length;
        const answer = readBatch(chunk);
        // Awaited later: until then a failure is not unhandled.
        answer.catch(() => {});
        return { chunk, answer };
      };
      // One batch ahead: the node reads its disk while we decode.
      let ahead = askNext();
      while (ahead.chunk.length > 0) {
        const { chunk, answer } = ahead;
        ahead = askNext();
        let bytes = 0;
        for (const [position, block] of (await answer).entries()) {
          if (!block) throw new DomainError('unavailable', `the Bitcoin node does not know block ${chunk[position]}`);
          bytes += block.bytes.length * 2;
          read.push(block);
        }
        sizer.observed(chunk.length, bytes);
      }
      return read;
    },
  };
}

function rawBlock(header: RpcOutcome | undefined, block: RpcOutcome | undefined): RawBlock | null {
  const answer = resultOrNull<HeaderAnswer>(header, RPC.invalidAddressOrKey);
  if (!answer) return null;
  if (block?.error?.code === RPC.miscError) {
    if (!/pruned/i.test(block.error.message))
      throw new DomainError('unavailable', `block ${answer.height} has not been downloaded at the Bitcoin node`);
    throw new DomainError(
      'source_incapable',
      `block ${answer.height} has been pruned at the Bitcoin node: one that is not pruned has it`,
    );
  }
  const hex = resultOrNull<string>(block, RPC.invalidAddressOrKey);
  return hex === null ? null : { ...headerInfo(answer), bytes: Buffer.from(hex, 'hex') };
}

export const headerInfo = (answer: HeaderAnswer): HeaderInfo => ({
  hash: blockHash(answer.hash),
  height: answer.height,
  prevHash: answer.previousblockhash ? blockHash(answer.previousblockhash) : NO_PARENT,
  time: answer.time,
  medianTime: answer.mediantime,
  // The node says -1 of a block outside its best chain.
  inBestChain: answer.confirmations >= 0,
});
