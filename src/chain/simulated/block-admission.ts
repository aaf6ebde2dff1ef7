import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { outpointKey, type Txid } from '../../core/outpoint.ts';
import { MANDATORY_FLAGS } from '../../core/scripts/interpreter/script-flags.ts';
import { checkFinal, checkTransaction } from './consensus.ts';
import type { Mempool, PooledTransaction } from './mempool.ts';
import { type AdmissionParts, positionOf, resolve } from './pre-checks.ts';
import { never, notNow } from './refusal.ts';
import { checkScripts } from './script-checks.ts';

const NO_MEMPOOL: Pick<Mempool, 'get'> = { get: () => null };

/**
 * A transaction that was judged before (it was in a block that left the chain, in the mempool before that, or in this chain's own file):
 * only what the chain may have changed since is looked at. Throws Refusal.
 */
export function judgeAgain(parts: AdmissionParts, tx: ParsedTransaction, addedAt: number): PooledTransaction {
  const position = positionOf(parts.chain);
  checkFinal(tx, position);
  if (tx.inputs.some(({ prev }) => parts.mempool.spenderOf(prev))) throw notNow('txn-mempool-conflict');
  return { ...resolve(parts, tx, new Map(), position), addedAt };
}

/** Consensus alone, for a block's transactions in its order: `staged` are those before it. Answers the fee. Throws Refusal. */
export function judgeForBlock(
  parts: AdmissionParts,
  tx: ParsedTransaction,
  staged: Map<Txid, ParsedTransaction>,
  spentInBlock: Set<string>,
): bigint {
  checkTransaction(tx);
  if (tx.coinbase) throw never('bad-cb-multiple');
  const position = positionOf(parts.chain);
  checkFinal(tx, position);
  for (const { prev } of tx.inputs) {
    const key = outpointKey(prev);
    if (spentInBlock.has(key)) throw never('bad-txns-inputs-missingorspent');
    spentInBlock.add(key);
  }
  const candidate = resolve({ ...parts, mempool: NO_MEMPOOL }, tx, staged, position);
  checkScripts(candidate, MANDATORY_FLAGS, parts.ecc, 'block');
  staged.set(tx.txid, tx);
  return candidate.feeSats;
}
