import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { type FeeRate, feeFor } from '../../core/fee-rate.ts';
import type { MempoolAcceptResult } from '../chain-source.ts';
import { verdictOf } from '../reject-reasons.ts';
import { notNow, Refusal } from './refusal.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** Tests transactions as Bitcoin Core's testmempoolaccept does: the first refused one leaves the others unjudged. */
export function testTogether(node: SimulatedNode, transactions: readonly ParsedTransaction[]): MempoolAcceptResult[] {
  try {
    const known = transactions.find(({ txid }) => node.isKnown(txid));
    if (known) throw new Refusal('txn-already-in-mempool', { final: false, of: known.txid });
    const [only] = transactions;
    const { added } =
      only && transactions.length === 1 ? node.wouldAccept(only) : node.wouldAcceptTogether(transactions, 'test');
    return added.map(({ tx: { txid, vsize }, feeSats }) => ({ ...UNJUDGED, txid, allowed: true, vsize, feeSats }));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, of } = error;
    const all = of === null || transactions.length === 1;
    return transactions.map((tx) => (all || tx.txid === of ? refusal(tx, message) : { ...UNJUDGED, txid: tx.txid }));
  }
}

/** Bitcoin Core's guard of sendrawtransaction. Throws Refusal. */
export function checkMaxFee(node: SimulatedNode, tx: ParsedTransaction, maxFeeRate: FeeRate): void {
  const [candidate] = node.wouldAccept(tx).added;
  if (candidate && candidate.feeSats > feeFor(maxFeeRate, tx.vsize)) throw notNow('max-fee-exceeded');
}

const UNJUDGED = { allowed: null, known: false, reason: null, vsize: null, feeSats: null };

const refusal = ({ txid }: ParsedTransaction, reason: string): MempoolAcceptResult => ({
  ...{ ...UNJUDGED, txid, allowed: false, reason },
  known: verdictOf(reason).result === 'known',
});
