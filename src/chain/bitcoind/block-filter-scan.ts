import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../core/errors.ts';
import type { RpcClient } from './rpc-client.ts';
import { RPC } from './rpc-error.ts';
import { resultOf } from './rpc-results.ts';

export type BlockFilterScan = (
  scriptPubKeys: readonly string[],
  from: number,
  to: number,
  onProgress?: (height: number) => void,
  signal?: AbortSignal,
) => Promise<number[] | null>;

interface ScanAnswer {
  relevant_blocks: string[];
  completed: boolean;
}

const FIRST_CHUNK = 2_000;
const MAX_CHUNK = 100_000;
/** One call's aim: short enough to abort and report soon, long enough to pay for sending the scripts. */
const CHUNK_MS = 3_000;
const CALL_TIMEOUT_MS = 600_000;
const BUSY_RETRY_MS = 500;
const BUSY_PATIENCE_MS = 600_000;

/**
 * Finds blocks by their BIP158 filters with `scanblocks` (needs -blockfilterindex). Filters have false positives, never false negatives.
 * The node runs one scan at a time: ours queue here, and another client's is waited for.
 */
export function createBlockFilterScan(rpc: RpcClient): BlockFilterScan {
  let lastScan: Promise<unknown> = Promise.resolve();

  /** Proves that the index reaches `height`: scanblocks itself skips silently what has no filter yet. */
  async function indexReaches(height: number): Promise<boolean> {
    const [hash] = await rpc.batch([{ method: 'getblockhash', params: [height] }]);
    const [filter] = await rpc.batch([{ method: 'getblockfilter', params: [resultOf<string>(hash)] }]);
    if (!filter?.error) return true;
    if (/not enabled/i.test(filter.error.message) || filter.error.code === RPC.methodNotFound) return false;
    throw new DomainError('node_syncing', 'the Bitcoin node is still building its block filter index');
  }

  async function scanChunk(scripts: string[], from: number, to: number, signal: AbortSignal | undefined) {
    const deadline = Date.now() + BUSY_PATIENCE_MS;
    const abort = () => {
      rpc.call('scanblocks', ['abort']).catch(() => {});
    };
    for (;;) {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', abort, { once: true });
      const [outcome] = await rpc
        .batch([{ method: 'scanblocks', params: ['start', scripts, from, to, 'basic'] }], {
          timeoutMs: CALL_TIMEOUT_MS,
        })
        .finally(() => signal?.removeEventListener('abort', abort));
      signal?.throwIfAborted();
      const isBusy = outcome?.error?.code === RPC.invalidParameter && /in progress/i.test(outcome.error.message);
      if (isBusy && Date.now() < deadline) {
        await sleep(BUSY_RETRY_MS, undefined, signal ? { signal } : {});
        continue;
      }
      const answer = resultOf<ScanAnswer>(outcome);
      // Someone else's abort, or the node stops: an unfinished range must not pass for a searched one.
      if (!answer.completed) throw new DomainError('node_unavailable', 'the Bitcoin node broke off its block scan');
      return answer.relevant_blocks;
    }
  }

  async function heightsOf(hashes: readonly string[]): Promise<number[]> {
    const outcomes = await rpc.batch(hashes.map((hash) => ({ method: 'getblockheader', params: [hash, true] })));
    return outcomes.map((outcome) => resultOf<{ height: number }>(outcome).height);
  }

  async function scan(...[scriptPubKeys, from, to, onProgress, signal]: Parameters<BlockFilterScan>) {
    if (to < from) return [];
    if (!(await indexReaches(to))) return null;
    if (scriptPubKeys.length === 0) return [];
    const descriptors = scriptPubKeys.map((script) => `raw(${script})`);
    const found: number[] = [];
    let size = FIRST_CHUNK;
    for (let start = from; start <= to; ) {
      const end = Math.min(to, start + size - 1);
      const began = performance.now();
      found.push(...(await heightsOf(await scanChunk(descriptors, start, end, signal))));
      const tookMs = Math.max(1, performance.now() - began);
      size = Math.round(Math.min(MAX_CHUNK, size * 4, Math.max(200, (size * CHUNK_MS) / tookMs)));
      onProgress?.(end);
      start = end + 1;
    }
    return [...new Set(found)].filter((height) => height >= from && height <= to).toSorted((a, b) => a - b);
  }

  return (...args) => {
    const mine = lastScan.then(() => scan(...args));
    lastScan = mine.catch(() => {});
    return mine;
  };
}
