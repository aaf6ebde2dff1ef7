import { scanBlock } from '../../core/blocks/block.ts';
import { type ParsedTransaction, scanTransaction } from '../../core/blocks/transaction.ts';
import { createWatchSet } from '../../core/blocks/watch-set.ts';
import { internalHash, type Outpoint } from '../../core/outpoint.ts';
import type { BlockRecord } from '../../store/records.ts';
import type { MatchedBlock } from './chain-sink.ts';

const OUTPOINT_SIZE = 36;

/**
 * Finds the transactions that pay a watched script or spend a watched outpoint, by hash look-up over raw bytes. A match is a
 * likelihood (see watch-set.ts) that the ledger checks against the database; a miss is certain.
 */
export interface BlockMatcher {
  watchScripts(scriptPubKeys: readonly string[]): void;
  watchOutpoints(outpoints: readonly Outpoint[]): void;
  watchesScript(scriptPubKey: string): boolean;
  /** The outputs of a match that pay watched scripts are watched from then on, within the block too. */
  match(block: BlockRecord & { readonly bytes: Uint8Array }): MatchedBlock;
  matchTransaction(raw: Uint8Array): ParsedTransaction | null;
  clear(): void;
  readonly size: number;
  /** Memory of the tables in bytes. */
  readonly byteLength: number;
}

export function createBlockMatcher(randomBytes: (size: number) => Uint8Array): BlockMatcher {
  const scripts = createWatchSet(randomBytes(16));
  const outpoints = createWatchSet(randomBytes(16));
  const outpointBytes = Buffer.alloc(OUTPOINT_SIZE);

  function watchOutpoint({ txid, vout }: Outpoint): void {
    outpointBytes.set(internalHash(txid), 0);
    outpointBytes.writeUInt32LE(vout, 32);
    outpoints.add(outpointBytes);
  }

  const watchesScript = (scriptPubKey: string): boolean => {
    const bytes = Buffer.from(scriptPubKey, 'hex');
    return scripts.has(bytes, 0, bytes.length);
  };

  const visitor = {
    input: (bytes: Uint8Array, start: number): boolean => outpoints.has(bytes, start, start + OUTPOINT_SIZE),
    output: (bytes: Uint8Array, start: number, end: number): boolean => scripts.has(bytes, start, end),
  };

  function watchOutputsOf(transaction: ParsedTransaction): void {
    transaction.outputs.forEach(({ scriptPubKey }, vout) => {
      if (watchesScript(scriptPubKey)) watchOutpoint({ txid: transaction.txid, vout });
    });
  }

  function scan(bytes: Uint8Array): ParsedTransaction[] {
    const found: ParsedTransaction[] = [];
    scanBlock(bytes, {
      ...visitor,
      match(transaction) {
        found.push(transaction);
        watchOutputsOf(transaction);
      },
    });
    return found;
  }

  const watchScripts = (scriptPubKeys: readonly string[]): void => {
    for (const script of scriptPubKeys) scripts.add(Buffer.from(script, 'hex'));
  };

  return {
    watchScripts,
    watchOutpoints(added) {
      for (const outpoint of added) watchOutpoint(outpoint);
    },
    watchesScript,
    match({ height, hash, prevHash, time, medianTime, bytes }) {
      return {
        height,
        hash,
        prevHash,
        time,
        medianTime,
        transactions: scan(bytes),
        rescan(added) {
          watchScripts(added);
          return scan(bytes);
        },
      };
    },
    matchTransaction(raw) {
      const { transaction } = scanTransaction(raw, 0, visitor);
      if (transaction) watchOutputsOf(transaction);
      return transaction;
    },
    clear() {
      scripts.clear();
      outpoints.clear();
    },
    get size() {
      return scripts.size + outpoints.size;
    },
    get byteLength() {
      return scripts.byteLength + outpoints.byteLength;
    },
  };
}
