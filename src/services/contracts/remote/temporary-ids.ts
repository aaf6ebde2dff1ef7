/**
 * Until a contract's funding transaction is known its coins are held under its temporary id, as under a txid, and whoever offers chooses
 * that. Where it were the id of a transaction of ours, giving the contract up would give that one's coins free, too.
 */
import { DomainError } from '../../../core/errors.ts';
import type { Txid } from '../../../core/outpoint.ts';
import type { Repositories } from '../../../store/store.ts';

/** Throws `contract_refused` where a temporary id is a txid that is known here. */
export async function refuseUsedName(
  tx: Pick<Repositories, 'transactions' | 'contracts'>,
  accountId: string,
  temporaryContractId: string,
): Promise<void> {
  const named = temporaryContractId as Txid;
  const used =
    (await tx.transactions.find(accountId, named)) !== null || (await tx.contracts.byFundingTxids([named])).length > 0;
  if (!used) return;
  throw new DomainError('contract_refused', 'temporary_contract_id: it is the id of a transaction; it must be random', {
    field: 'message',
  });
}

/** The other way round: throws `contract_refused` where a funding transaction has an id under which coins are held. */
export async function refuseUsedAsName(
  tx: Pick<Repositories, 'contracts'>,
  accountId: string,
  fundingTxid: Txid,
): Promise<void> {
  if ((await tx.contracts.byTemporaryIds(accountId, [fundingTxid])).length === 0) return;
  throw new DomainError(
    'contract_refused',
    'contract_id: another contract has the id of the funding transaction as its temporary id',
    {
      field: 'message',
    },
  );
}
