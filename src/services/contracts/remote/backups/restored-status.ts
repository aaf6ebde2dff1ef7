/** Where a contract stands that is taken in from a backup: by its funding output, or by what the account's wallets know to spend it. */
import type { ChainSource } from '../../../../chain/chain-source.ts';
import { type ParsedTransaction, parseTransaction } from '../../../../core/blocks/transaction.ts';
import type { DlcContract } from '../../../../core/dlc/contract/dlc-contract.ts';
import type { AccountId } from '../../../../core/ids.ts';
import type { TransactionRecord } from '../../../../store/records.ts';
import type { ContractPatch, ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../../../store/store.ts';
import type { PreviousTransactions } from '../../../transactions/signing/previous-transactions.ts';
import { type ClosingTerms, closingKindFor } from '../../tracking/track-transaction.ts';

type Standing = Pick<ContractRecord, 'status' | 'reason'> & ContractPatch;

/**
 * In the job that keeps the contract, so that the ledger sees to everything after it. null where blocks were followed since the chain was
 * asked: what they have done to the contract nobody would tell it.
 */
export type RestoredStatus = (
  tx: Reading & Pick<Repositories, 'ledger'>,
  terms: ClosingTerms,
) => Promise<Standing | null>;
type Reading = Pick<Repositories, 'transactions'>;

export function createRestoredStatus(deps: {
  store: Store;
  chain: Pick<ChainSource, 'utxo'>;
  previousTransactions: PreviousTransactions;
}) {
  const { store, chain, previousTransactions } = deps;

  return async (accountId: AccountId, { fundingTxid, fundingVout }: DlcContract): Promise<RestoredStatus> => {
    const funding = { txid: fundingTxid, vout: fundingVout };
    const asked = await store.read.ledger.tip();
    const hasMoved = async (tx: Pick<Repositories, 'ledger'>) => (await tx.ledger.tip())?.hash !== asked?.hash;
    const output = await chain.utxo(funding);
    if (output !== null) {
      const status = output.height === null ? 'funded' : 'confirmed';
      return async (tx) => ((await hasMoved(tx)) ? null : { status, fundingHeight: output.height, reason: null });
    }
    const seen = await spenderOf(store.read, accountId, funding);
    const raw = seen && (await previousTransactions(accountId, [seen.txid])).get(seen.txid);
    const transaction = raw ? parseTransaction(raw) : null;
    return async (tx, terms) => {
      if (await hasMoved(tx)) return null;
      const spender = await spenderOf(tx, accountId, funding);
      const reason = 'restored: the chain knows no unspent funding output; it was not broadcast yet, or is spent';
      if (spender === null) return { status: 'signed', fundingHeight: null, reason };
      const funded = await tx.transactions.find(accountId, fundingTxid);
      return {
        ...closedBy(terms, spender, transaction?.txid === spender.txid ? transaction : null),
        fundingHeight: funded?.blockHeight ?? spender.blockHeight,
        reason: null,
      };
    };
  };
}

/** Of the account's own transactions: one that pays none of its wallets is not known here. */
async function spenderOf(
  { transactions }: Reading,
  accountId: AccountId,
  { txid, vout }: { txid: DlcContract['fundingTxid']; vout: number },
): Promise<TransactionRecord | null> {
  for (const child of await transactions.children(accountId, txid)) {
    const inputs = await transactions.inputs(accountId, child.txid);
    if (inputs.some(({ prev }) => prev.txid === txid && prev.vout === vout)) return child;
  }
  return null;
}

/** Of one that nobody has any more it is not known what it was. */
function closedBy(
  terms: ClosingTerms,
  { txid, blockHeight, blockHash }: TransactionRecord,
  transaction: ParsedTransaction | null,
): Pick<ContractRecord, 'status'> & ContractPatch {
  const closingKind = transaction === null ? 'unknown' : closingKindFor(terms, transaction);
  const taken = closingKind === 'refund' ? 'refunded' : 'executed';
  return {
    status: blockHeight === null ? taken : 'closed',
    closingTxid: txid,
    closingKind,
    closingHeight: blockHeight,
    closingBlockHash: blockHash,
  };
}
