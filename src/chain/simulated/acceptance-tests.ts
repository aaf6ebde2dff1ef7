import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { type FeeRate, feeFor } from '../../core/fee-rate.ts';
import type { AcceptanceTest } from '../chain-source.ts';
import { verdictOf } from '../reject-reasons.ts';
import { notNow, Refusal } from './refusal.ts';
import type { SimulatedNode } from './simulated-node.ts';

const MOST_TOGETHER = 25;

/** Tests transactions as Bitcoin Core's testmempoolaccept does: the first refused one leaves the others unjudged. */
export function testTogether(node: SimulatedNode, transactions: readonly ParsedTransaction[]): AcceptanceTest[] {
  if (transactions.length > MOST_TOGETHER) return all(transactions, 'package-too-many-transactions');
  if (new Set(transactions.map(({ txid }) => txid)).size !== transactions.length)
    return all(transactions, 'package-contains-duplicates');
  const results = transactions.map(({ txid }): AcceptanceTest => ({ ...UNJUDGED, txid }));
  for (let count = 1; count <= transactions.length; count++) {
    const tx = transactions[count - 1] as ParsedTransaction;
    try {
      if (node.isKnown(tx.txid)) throw notNow('txn-already-in-mempool');
      const { added } = node.wouldAccept(transactions.slice(0, count));
      if (count < transactions.length) continue;
      return added.map(({ tx: { txid, vsize }, feeSats }) => ({ ...UNJUDGED, txid, allowed: true, vsize, feeSats }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      results[count - 1] = refusal(tx, error.message);
      return results;
    }
  }
  return results;
}

/** Bitcoin Core's guard of sendrawtransaction. Throws Refusal. */
export function checkMaxFee(node: SimulatedNode, tx: ParsedTransaction, maxFeeRate: FeeRate): void {
  const [candidate] = node.wouldAccept([tx]).added;
  if (candidate && candidate.feeSats > feeFor(maxFeeRate, tx.vsize)) throw notNow('max-fee-exceeded');
}

const UNJUDGED = { allowed: null, known: false, reason: null, vsize: null, feeSats: null };

const refusal = ({ txid }: ParsedTransaction, reason: string): AcceptanceTest => ({
  ...{ ...UNJUDGED, txid, allowed: false, reason },
  known: verdictOf(reason).result === 'known',
});

const all = (transactions: readonly ParsedTransaction[], reason: string): AcceptanceTest[] =>
  transactions.map((tx) => refusal(tx, reason));
