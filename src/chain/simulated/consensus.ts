import { MAX_SATS } from '../../core/amount.ts';
import { isNullOutpoint, type ParsedTransaction } from '../../core/blocks/transaction.ts';
import { outpointKey } from '../../core/outpoint.ts';
import { never, notNow } from './refusal.ts';

const COINBASE_MATURITY = 100;
export const MAX_BLOCK_WEIGHT = 4_000_000;
const HALVING_INTERVAL = 150;
const FIRST_SUBSIDY = 5_000_000_000n;
const LOCKTIME_THRESHOLD = 500_000_000;
const FINAL_SEQUENCE = 0xffffffff;
/** BIP68 */
const SEQUENCE_DISABLED = 0x80000000;
const SEQUENCE_BY_TIME = 0x00400000;

/** Regtest's schedule: 50 BTC, halved every 150 blocks. */
export function subsidy(height: number): bigint {
  const halvings = Math.floor(height / HALVING_INTERVAL);
  return halvings >= 64 ? 0n : FIRST_SUBSIDY >> BigInt(halvings);
}

/** What holds of a transaction by itself (Bitcoin Core's CheckTransaction). Throws Refusal. */
export function checkTransaction(tx: ParsedTransaction): void {
  if ((tx.weight - tx.raw.length) / 3 > MAX_BLOCK_WEIGHT / 4) throw never('bad-txns-oversize');
  let total = 0n;
  for (const { amountSats } of tx.outputs) {
    if (amountSats < 0n) throw never('bad-txns-vout-negative');
    if (amountSats > MAX_SATS) throw never('bad-txns-vout-toolarge');
    total += amountSats;
    if (total > MAX_SATS) throw never('bad-txns-txouttotal-toolarge');
  }
  if (new Set(tx.inputs.map(({ prev }) => outpointKey(prev))).size !== tx.inputs.length)
    throw never('bad-txns-inputs-duplicate');
  if (tx.coinbase) {
    const { length } = tx.inputs[0]!.scriptSig;
    if (length < 2 || length > 100) throw never('bad-cb-length');
  } else if (tx.inputs.some(({ prev }) => isNullOutpoint(prev))) throw never('bad-txns-prevout-null');
}

/** Where a transaction is to stand: in the block after the tip. */
export interface Position {
  readonly nextHeight: number;
  /** Median time of the tip (BIP113). */
  readonly medianTime: number;
}

/** Throws Refusal `non-final` where the locktime is not yet reached. */
export function checkFinal(tx: ParsedTransaction, position: Position): void {
  const limit = tx.locktime < LOCKTIME_THRESHOLD ? position.nextHeight : position.medianTime;
  if (tx.locktime === 0 || tx.locktime < limit) return;
  if (tx.inputs.some(({ sequence }) => sequence !== FINAL_SEQUENCE)) throw notNow('non-final');
}

/** A spent output's place: its height (the next one while unconfirmed), and the median time before its block. */
export interface CoinPlace {
  readonly height: number;
  readonly coinbase: boolean;
  medianTimeBefore(): number;
}

/** Relative locktimes (BIP68) of one input. */
export function checkSequence(version: number, sequence: number, coin: CoinPlace, position: Position): void {
  if (version < 2 || (sequence & SEQUENCE_DISABLED) !== 0) return;
  const delay = sequence & 0xffff;
  const met =
    (sequence & SEQUENCE_BY_TIME) !== 0
      ? coin.medianTimeBefore() + delay * 512 <= position.medianTime
      : coin.height + delay <= position.nextHeight;
  if (!met) throw notNow('non-BIP68-final');
}

export function checkMaturity(coin: CoinPlace, position: Position): void {
  const depth = position.nextHeight - coin.height;
  if (coin.coinbase && depth < COINBASE_MATURITY)
    throw notNow(`bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth ${depth}`);
}
