/** Transactions that somebody made elsewhere: what the mempool would say of them, and handing them over. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import type { FeeRate } from '../../core/fee-rate.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { SubmissionJobs, SubmissionParams } from '../../core/relay-policy/submitted-transaction.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';

export type { MempoolAcceptResult } from '../../chain/chain-source.ts';

export function createTransactionSubmission(deps: {
  chain: Pick<ChainSource, 'testTogether' | 'broadcast' | 'mempoolEntry'>;
  store: Pick<Store, 'write'>;
  computing: Computing<SubmissionJobs>;
}) {
  const { chain, store, computing } = deps;
  /** The network has it already: that the node cannot say where is no failure. What is known and in no mempool is in a block. */
  async function whereIs(txid: Txid, known: boolean) {
    const entry = await chain.mempoolEntry(txid).catch(() => undefined);
    const status: 'broadcast' | 'confirmed' = known && entry === null ? 'confirmed' : 'broadcast';
    return { status, feeSats: entry?.feeSats ?? null };
  }

  return {
    /** Up to 25, parents before children. Throws `source_incapable` where the source cannot test. */
    test: (raws: readonly Uint8Array[]) => chain.testTogether(raws),
    /**
     * Hands a transaction, in hex, or with the field psbt a final PSBT, to the source, and records it then. Throws `invalid_transaction`, `invalid_psbt`, `psbt_incomplete`, `policy_refused` with the node's reason, `fee_too_high` above
     * `maxFeeRate` (null: any), `policy_refused` also where an output burns more than `maxBurnSats`, `node_unavailable`: then nothing is kept, and sending it again is safe.
     */
    async broadcast(
      context: RequestContext,
      {
        transaction,
        maxFeeRate,
        maxBurnSats,
        field = 'transaction',
      }: { field?: SubmissionParams['field']; transaction: string; maxFeeRate: FeeRate | null; maxBurnSats: bigint },
    ) {
      const { accountId, signal } = context;
      const given = { text: transaction, maxBurnSats, field };
      const { raw, txid, wtxid, vsize } = await computing.run('transaction.read', given, { accountId, signal });
      const verdict = await chain.broadcast(raw, maxFeeRate === null ? {} : { maxFeeRate });
      if (verdict.result === 'refused') throw refusalOf(verdict.reason, field);
      const known = verdict.result === 'known';
      const { status, feeSats } = await whereIs(txid, known);
      const result = { txid, known, status, wtxid, vsize, feeSats };
      // The effect is the network's, not the database's: it is recorded after it, and a retry finds it known.
      await store.write((tx) => recordRequest(tx, context, { result, target: txid }));
      return result;
    },
  };
}

export type TransactionSubmission = ReturnType<typeof createTransactionSubmission>;

function refusalOf(reason: string, field: string): DomainError {
  if (reason !== 'max-fee-exceeded')
    return new DomainError('policy_refused', `the node refuses the transaction: ${reason}`, {
      field,
      reason,
    });
  return new DomainError('fee_too_high', 'the transaction pays more than max_fee_rate: raise that if it is meant', {
    field: 'max_fee_rate',
    reason,
  });
}
