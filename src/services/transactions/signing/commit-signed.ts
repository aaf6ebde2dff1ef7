import { parseTransaction } from '../../../core/blocks/transaction.ts';
import { DomainError } from '../../../core/errors.ts';
import { outpointKey, type Txid } from '../../../core/outpoint.ts';
import type { CompletePayment } from '../../../core/payments/complete-payment.ts';
import type { TransactionRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { endHeldSignatures } from '../../approvals/end-unapproved.ts';
import { transactionEvent } from '../../ledger/transaction-event.ts';
import type { OfService, Passed } from '../../policies/gate.ts';
import { outputsOf } from '../sending/claim-coins.ts';
import { insertOwnCoins, ownersOf } from '../sending/own-outputs.ts';
import { unconfirmedDescendants } from '../sending/retire-transaction.ts';
import { isUnconfirmed } from '../transaction-states.ts';

/**
 * The last signature came, in the caller's write job, which holds the record: from here on it is a payment like any other. It takes the
 * txid that its signatures give it, and, where it is a replacement, the coins of what it replaces.
 */
export async function commitSigned(
  tx: Repositories,
  held: TransactionRecord,
  complete: CompletePayment,
  _passed: Passed | OfService,
  now: number,
): Promise<TransactionRecord> {
  const { accountId } = held;
  const { raw, txid, vsize } = complete;
  await claimAll(tx, held);
  if (txid !== held.txid) await tx.transactions.rename(accountId, held.txid, txid);
  const signed: TransactionRecord = { ...held, txid, status: 'signed', raw, vsize, psbt: null, updatedAt: now };
  await tx.transactions.update(accountId, txid, { status: 'signed', raw, vsize, psbt: null, updatedAt: now });
  const { version, outputs } = parseTransaction(raw);
  await insertOwnCoins(tx, { accountId, txid, version, outputs }, await ownersOf(tx, accountId, outputs), now);
  await tx.events.append(transactionEvent(signed));
  if (held.status === 'awaiting_signature') await endHeldSignatures(tx, held, signed, now);
  return signed;
}

/** What it spends is its own since it was made, but for the coins of what it replaces: those stayed there until now. */
async function claimAll(tx: Repositories, held: TransactionRecord): Promise<void> {
  const { accountId, txid } = held;
  const evicts = await evictedBy(tx, held);
  const spent = (await tx.transactions.inputs(accountId, txid)).map((input) => input.prev);
  const wanted = [...spent, ...(await outputsOf(tx, accountId, evicts, spent))];
  const [lost] = await tx.coins.claim(accountId, wanted, txid, [txid, ...evicts]);
  if (!lost) return;
  throw new DomainError(
    'state_conflict',
    `transaction ${txid} cannot be sent: ${outpointKey(lost)} is spent elsewhere`,
    {
      field: 'txid',
    },
  );
}

/** The payment that it replaces, where that is still under way, with what was built on it. */
async function evictedBy(tx: Repositories, held: TransactionRecord): Promise<Txid[]> {
  const original = held.replaces && (await tx.transactions.findForUpdate(held.accountId, held.replaces));
  if (!original || !isUnconfirmed(original.status)) return [];
  const descendants = await unconfirmedDescendants(tx, original);
  return [original.txid, ...descendants.map((one) => one.txid).filter((txid) => txid !== held.txid)];
}
