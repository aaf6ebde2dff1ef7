import { DomainError } from '../../core/errors.ts';
import type { Txid } from '../../core/outpoint.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { patchRow } from '../queries/patch-row.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { TransactionInput, WalletEffect } from '../records.ts';
import type { TransactionRepository } from '../store.ts';
import { listTransactions } from './transaction-pages.ts';
import { toTransaction, transactionColumns, transactionPatch } from './transaction-rows.ts';

const insertTransactions = insertRows('transactions', [
  'account_id',
  'txid',
  'unsigned_txid',
  'wallet_id',
  'ordinal',
  'kind',
  'status',
  'direction',
  'raw',
  'psbt',
  'recipients',
  'amount_sats',
  'fee_sats',
  'vsize',
  'version',
  'locktime',
  'input_count',
  'ancestor_fee_sats',
  'rbf',
  'block_height',
  'block_hash',
  'replaces',
  'replaced_by',
  'label',
  'external_id',
  'reason',
  'contract_kind',
  'created_at',
  'updated_at',
]);
const insertInputs = insertRows('transaction_inputs', ['account_id', 'txid', 'vin', 'prev_txid', 'prev_vout']);
const insertLinks = insertRows('wallet_transactions', [
  'wallet_id',
  'account_id',
  'txid',
  'ordinal',
  'received_sats',
  'sent_sats',
]);
const nextInAccount = prepared((db, p: { accountId: string }) =>
  db
    .updateTable('accounts')
    .set((eb) => ({ transaction_count: eb('transaction_count', '+', 1n) }))
    .where('account_id', '=', p.accountId)
    .returning('transaction_count as ordinal'),
);
const nextInWallet = prepared((db, p: { accountId: string; walletId: string }) =>
  db
    .updateTable('wallets')
    .set((eb) => ({ transaction_count: eb('transaction_count', '+', 1n) }))
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .returning('transaction_count as ordinal'),
);
const byTxid = prepared((db, p: { accountId: string; txid: Txid }) =>
  db.selectFrom('transactions').selectAll().where('txid', '=', p.txid).where('account_id', '=', p.accountId),
);
const heldByTxid = prepared((db, p: { accountId: string; txid: Txid }, kind) => {
  const record = db
    .selectFrom('transactions')
    .selectAll()
    .where('txid', '=', p.txid)
    .where('account_id', '=', p.accountId);
  return kind === 'postgres' ? record.forNoKeyUpdate() : record;
});
const byUnsignedTxid = prepared((db, p: { accountId: string; txid: Txid }) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where('unsigned_txid', '=', p.txid)
    .where('account_id', '=', p.accountId)
    .orderBy('ordinal', 'desc')
    .limit(1n),
);
const byExternalId = prepared((db, p: { accountId: string; externalId: string }) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('external_id', '=', p.externalId)
    .orderBy('ordinal', 'desc')
    .limit(1n),
);
const inputsOf = prepared((db, p: { accountId: string; txid: Txid }) =>
  db
    .selectFrom('transaction_inputs')
    .selectAll()
    .where('txid', '=', p.txid)
    .where('account_id', '=', p.accountId)
    .orderBy('vin'),
);
const linksOf = prepared((db, p: { accountId: string; txid: Txid }) =>
  db
    .selectFrom('wallet_transactions')
    .selectAll()
    .where('txid', '=', p.txid)
    .where('account_id', '=', p.accountId)
    .orderBy('wallet_id'),
);
const childrenOf = prepared((db, p: { accountId: string; txid: Txid }) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('status', 'in', ['awaiting_approval', 'awaiting_signature', 'signed', 'broadcast', 'confirmed'])
    .where('txid', 'in', (eb) =>
      eb
        .selectFrom('transaction_inputs')
        .select('transaction_inputs.txid')
        .where('prev_txid', '=', p.txid)
        .where('transaction_inputs.account_id', '=', p.accountId),
    )
    .orderBy('ordinal'),
);
const deleteInputs = prepared((db, p: { accountId: string; txid: Txid }) =>
  db.deleteFrom('transaction_inputs').where('txid', '=', p.txid).where('account_id', '=', p.accountId),
);
const deleteLinks = prepared((db, p: { accountId: string; txid: Txid }) =>
  db.deleteFrom('wallet_transactions').where('txid', '=', p.txid).where('account_id', '=', p.accountId),
);
const renameTransaction = prepared((db, p: { accountId: string; txid: Txid; to: Txid }) =>
  db.updateTable('transactions').set({ txid: p.to }).where('txid', '=', p.txid).where('account_id', '=', p.accountId),
);
const renameSpender = prepared((db, p: { accountId: string; txid: Txid; to: Txid }) =>
  db.updateTable('coins').set({ spent_by: p.to }).where('spent_by', '=', p.txid).where('account_id', '=', p.accountId),
);
const patchTransaction = patchRow('transactions', ['txid', 'account_id']);
const patchLink = patchRow('wallet_transactions', ['wallet_id', 'account_id', 'txid']);

const byWallet = (a: WalletEffect, b: WalletEffect): number => (a.walletId < b.walletId ? -1 : 1);

export function transactionRepository(session: Session): TransactionRepository {
  /** In wallet order: two jobs that take positions in the same wallets never wait for each other in a circle. */
  async function link(accountId: string, txid: Txid, effects: readonly WalletEffect[]): Promise<void> {
    const links = [];
    for (const { walletId, receivedSats, sentSats } of [...effects].sort(byWallet)) {
      const position = await nextInWallet.first(session, { accountId, walletId });
      if (!position) throw new DomainError('not_found', 'there is no such wallet', { field: 'wallet_id' });
      links.push({
        wallet_id: walletId,
        account_id: accountId,
        txid,
        ordinal: position.ordinal,
        received_sats: receivedSats,
        sent_sats: sentSats,
      });
    }
    await insertLinks(session, links);
  }

  return {
    insert: async (record, inputs, effects) => {
      const { accountId, txid } = record;
      const position = await nextInAccount.first(session, { accountId });
      if (!position) throw new DomainError('not_found', 'there is no such account');
      await insertTransactions(session, [transactionColumns(record, position.ordinal)]);
      const rows = inputs.map(({ vin, prev }) => ({
        account_id: accountId,
        txid,
        vin: BigInt(vin),
        prev_txid: prev.txid,
        prev_vout: BigInt(prev.vout),
      }));
      await insertInputs(session, rows);
      await link(accountId, txid, effects);
    },
    find: async (accountId, txid) => {
      const row =
        (await byTxid.first(session, { accountId, txid })) ??
        (await byUnsignedTxid.first(session, { accountId, txid }));
      return row && toTransaction(row);
    },
    hold: async (accountId, txid) => {
      const row = await heldByTxid.first(session, { accountId, txid });
      return row && toTransaction(row);
    },
    /** The newest where several have the external id. */
    findByExternalId: async (accountId, externalId) => {
      const row = await byExternalId.first(session, { accountId, externalId });
      return row && toTransaction(row);
    },
    list: (accountId, filter, page) => listTransactions(session, accountId, filter, page),
    inputs: async (accountId, txid) =>
      (await inputsOf.all(session, { accountId, txid })).map(
        (row): TransactionInput => ({
          vin: Number(row.vin),
          prev: { txid: row.prev_txid as Txid, vout: Number(row.prev_vout) },
        }),
      ),
    effects: async (accountId, txid) =>
      (await linksOf.all(session, { accountId, txid })).map((row) => ({
        walletId: row.wallet_id,
        receivedSats: row.received_sats,
        sentSats: row.sent_sats,
      })),
    update: async (accountId, txid, patch) => {
      const columns = transactionPatch(patch);
      if (Object.values(columns).every((value) => value === undefined)) return;
      const changed = await patchTransaction(session, columns, { txid, account_id: accountId });
      if (changed === 0n) throw new DomainError('not_found', 'there is no such transaction', { field: 'txid' });
    },
    addEffects: async (accountId, txid, effects) => {
      const linked = new Set((await linksOf.all(session, { accountId, txid })).map((row) => row.wallet_id));
      for (const { walletId, receivedSats, sentSats } of effects) {
        if (!linked.has(walletId)) continue;
        const amounts = { received_sats: receivedSats, sent_sats: sentSats };
        await patchLink(session, amounts, { wallet_id: walletId, account_id: accountId, txid });
      }
      await link(
        accountId,
        txid,
        effects.filter(({ walletId }) => !linked.has(walletId)),
      );
    },
    rename: async (accountId, txid, to) => {
      const inputs = await inputsOf.all(session, { accountId, txid });
      const links = await linksOf.all(session, { accountId, txid });
      // What refers to the record goes and comes again: neither database changes a key that is referred to.
      await deleteInputs.run(session, { accountId, txid });
      await deleteLinks.run(session, { accountId, txid });
      const renamed = await renameTransaction.run(session, { accountId, txid, to });
      if (renamed === 0n) throw new DomainError('not_found', 'there is no such transaction', { field: 'txid' });
      const moved = <T extends { txid: string }>(row: T): T => ({ ...row, txid: to });
      await insertInputs(session, inputs.map(moved));
      await insertLinks(session, links.map(moved));
      await renameSpender.run(session, { accountId, txid, to });
    },
    children: async (accountId, txid) => (await childrenOf.all(session, { accountId, txid })).map(toTransaction),
  };
}
