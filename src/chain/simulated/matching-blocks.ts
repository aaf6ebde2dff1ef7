import { setImmediate as nextTurn } from 'node:timers/promises';
import { scanBlock } from '../../core/blocks/block.ts';
import { createWatchSet, type WatchSet } from '../../core/blocks/watch-set.ts';
import { internalHash } from '../../core/outpoint.ts';
import type { ChainState } from './chain-state.ts';

const BLOCKS_PER_TURN = 50;

export interface ScanRequest {
  readonly scriptPubKeys: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly salt: Uint8Array;
  readonly onProgress?: ((height: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Heights in [from, to] whose block pays or spends one of the scripts. Reads from the first block on, to know the outputs that later
 * blocks spend; lets others run every few blocks.
 */
export async function matchingBlocks(chain: ChainState, request: ScanRequest): Promise<number[]> {
  const scripts = createWatchSet(request.salt, request.scriptPubKeys.length);
  for (const script of request.scriptPubKeys) scripts.add(Buffer.from(script, 'hex'));
  const wanted = new Set(request.scriptPubKeys.map((script) => script.toLowerCase()));
  const outpoints = createWatchSet(request.salt);
  const heights: number[] = [];
  for (let height = 0; height <= request.to; height++) {
    if (height % BLOCKS_PER_TURN === 0) await nextTurn();
    request.signal?.throwIfAborted();
    const block = chain.at(height);
    if (!block) break;
    const matches = matchesIn(block.bytes, scripts, outpoints, wanted);
    if (height < request.from) continue;
    if (matches) heights.push(height);
    request.onProgress?.(height);
  }
  return heights;
}

function matchesIn(bytes: Uint8Array, scripts: WatchSet, outpoints: WatchSet, wanted: ReadonlySet<string>): boolean {
  let matches = false;
  scanBlock(bytes, {
    input(block, start) {
      if (outpoints.size > 0 && outpoints.has(block, start, start + 36)) matches = true;
      return false;
    },
    output: (block, start, end) => scripts.has(block, start, end),
    match(tx) {
      tx.outputs.forEach(({ scriptPubKey }, vout) => {
        if (!wanted.has(scriptPubKey)) return;
        matches = true;
        const outpoint = Buffer.alloc(36);
        outpoint.set(internalHash(tx.txid));
        outpoint.writeUInt32LE(vout, 32);
        outpoints.add(outpoint);
      });
    },
  });
  return matches;
}
