/** Whom each record pays, one row for each recipient: what notes find their record by. Kept by the repository of transactions. */
import { foldAddress } from '../../core/address-book/entry-rules.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { byColumns } from '../queries/by-columns.ts';
import { insertRows } from '../queries/insert-rows.ts';
import type { Session } from '../queries/session.ts';
import { linkNote, moveNotes } from './transaction-notes.ts';
import type { Recipient } from './transaction-rows.ts';

interface Paying {
  readonly accountId: AccountId;
  readonly txid: Txid;
  readonly recipients: readonly Recipient[];
}

/** `notes`: of the recipient and amount, linked to nothing. The statement is within a job that has its turn of the account. */
const insert = insertRows<'payment_outputs', { address: string; amount_sats: bigint; notes: bigint }>(
  'payment_outputs',
  ['account_id', 'address', 'amount_sats', 'txid', 'nth'],
  `returning address, amount_sats, (select count(*) from transaction_notes as note where note.account_id = payment_outputs.account_id
    and note.recipient = payment_outputs.address and note.amount_sats = payment_outputs.amount_sats and note.txid is null) as notes`,
);
const outputs = byColumns('payment_outputs');

function rowsOf({ accountId, txid, recipients }: Paying) {
  const seen = new Map<string, bigint>();
  return recipients.map(({ address: given, amountSats }) => {
    const address = foldAddress(given);
    const key = `${address} ${amountSats}`;
    const nth = seen.get(key) ?? 0n;
    seen.set(key, nth + 1n);
    return { account_id: accountId, address, amount_sats: amountSats, txid, nth };
  });
}

/** Of a new record, and links the notes that wait for it. `replaces`: whose notes go to this one, where it pays the same. */
export async function insertOutputs(session: Session, paying: Paying, replaces: Txid | null): Promise<void> {
  const { accountId, txid } = paying;
  const rows = rowsOf(paying);
  const { rows: made } = await insert(session, rows);
  if (replaces !== null) await moveNotes(session, accountId, replaces, txid);
  for (const { address: recipient, amount_sats: amountSats, notes } of made)
    if (notes === 1n) await linkNote(session, { accountId, recipient, amountSats });
}

/** `before` has become this record: another txid, or other recipients. */
export async function replaceOutputs(session: Session, before: Paying, paying: Paying): Promise<void> {
  for (const { account_id, address, amount_sats, txid, nth } of rowsOf(before))
    await outputs.delete(session, { account_id, address, amount_sats, txid, nth });
  await insertOutputs(session, paying, before.txid === paying.txid ? null : before.txid);
}
