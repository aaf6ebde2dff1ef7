import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { byColumns } from '../queries/by-columns.ts';
import { insertRows } from '../queries/insert-rows.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { coins } from './coin-rows.ts';
import { insertOutputs, replaceOutputs } from './payment-outputs.ts';
import { listTransactions } from './transaction-pages.ts';
import {
  kindColumns,
  shown,
  type TransactionFilter,
  type TransactionInput,
  type TransactionRecord,
  transactions,
  type WalletEffect,
} from './transaction-rows.ts';

const insertInputs = insertRows('transaction_inputs', ['account_id', 'txid', 'vin', 'prev_txid', 'prev_vout']);
const insertLinks = insertRows('wallet_transactions', [
  'wallet_id',
  'account_id',
  'txid',
  'ordinal',
  'received_sats',
  'sent_sats',
]);
const nextInAccount = prepared((db, p: { accountId: AccountId; scripts: bigint }) =>
  db
    .updateTable('accounts')
    .set((eb) => ({
      transaction_count: eb('transaction_count', '+', 1n),
      script_count: eb('script_count', '+', p.scripts),
    }))
    .where('account_id', '=', p.accountId)
    .returning('transaction_count as ordinal'),
);
const nextInWallet = prepared((db, p: { accountId: AccountId; walletId: WalletId }) =>
  db
    .updateTable('wallets')
    .set((eb) => ({ transaction_count: eb('transaction_count', '+', 1n) }))
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .returning('transaction_count as ordinal'),
);
const markTaken = prepared((db, p: { accountId: AccountId; txid: Txid; at: bigint }) =>
  db
    .updateTable('transactions')
    .set({ status: 'broadcast', updated_at: p.at })
    .where('txid', '=', p.txid)
    .where('account_id', '=', p.accountId)
    .where('status', '=', 'signed')
    .where('reason', 'is', null)
    .returningAll(),
);
const childrenOf = prepared((db, p: { accountId: AccountId; txid: Txid }) =>
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
const names = byColumns('transactions');
const inputs = byColumns('transaction_inputs');
const links = byColumns('wallet_transactions');

/** The account has a transaction with that txid. The job may read on and must not commit. */
export class RecordedBefore extends Error {}

/** What the job has done of the record's insertion, in statements that it made anyway. */
export interface TakenPlaces {
  readonly walletId: WalletId;
  /** The wallet's next position, taken. */
  readonly ordinal: bigint;
  /** Scripts of the account that are inserted and not counted yet. */
  readonly scripts: bigint;
}

const byWallet = (a: WalletEffect, b: WalletEffect): number => (a.walletId < b.walletId ? -1 : 1);

export function transactionRepository(session: Session) {
  const newest = 'order by ordinal desc limit 1';
  /** Of those that have another txid by now. Written as in the index, which has only these: of native segwit the two are the same. */
  const signedSince = `and unsigned_txid <> txid ${newest}`;
  const inputsOf = (accountId: AccountId, txid: Txid) =>
    inputs.select(session, { txid, account_id: accountId }, 'order by vin');
  const linksOf = (accountId: AccountId, txid: Txid) =>
    links.select(session, { txid, account_id: accountId }, 'order by wallet_id');

  /** In wallet order: two jobs that take positions in the same wallets never wait for each other in a circle. */
  async function link(
    accountId: AccountId,
    txid: Txid,
    effects: readonly WalletEffect[],
    taken: TakenPlaces | null = null,
  ): Promise<void> {
    const added = [];
    for (const { walletId, receivedSats, sentSats } of [...effects].sort(byWallet)) {
      const position =
        walletId === taken?.walletId ? taken : await nextInWallet.first(session, { accountId, walletId });
      if (!position) throw new DomainError('not_found', 'there is no such wallet', { field: 'wallet_id' });
      added.push({
        wallet_id: walletId,
        account_id: accountId,
        txid,
        ordinal: position.ordinal,
        received_sats: receivedSats,
        sent_sats: sentSats,
      });
    }
    await insertLinks(session, added);
  }

  return {
    /** Inserts record, inputs and wallet links, giving the dense positions. `ordinal` of the given record is ignored. Throws RecordedBefore. */
    insert: async (
      record: Omit<TransactionRecord, 'ordinal'>,
      spent: readonly TransactionInput[],
      effects: readonly WalletEffect[],
      taken: TakenPlaces | null = null,
    ) => {
      const { accountId, txid } = record;
      const position = await nextInAccount.first(session, { accountId, scripts: taken?.scripts ?? 0n });
      if (!position) throw new DomainError('not_found', 'there is no such account');
      const row = { ...record, ...kindColumns(record.kind), ordinal: Number(position.ordinal) };
      if ((await transactions.insert(session, [row])) === 0n) throw new RecordedBefore(`${txid} is recorded already`);
      const rows = spent.map(({ vin, prev }) => ({
        account_id: accountId,
        txid,
        vin: BigInt(vin),
        prev_txid: prev.txid,
        prev_vout: BigInt(prev.vout),
      }));
      await insertInputs(session, rows);
      await link(accountId, txid, effects, taken);
      await insertOutputs(session, record, record.replaces);
    },
    /** By txid or unsigned txid, within the account. */
    find: async (accountId: AccountId, txid: Txid) =>
      (await transactions.find(session, { txid, accountId })) ??
      (await transactions.find(session, { unsignedTxid: txid, accountId }, signedSince)),
    /** The same without its bytes. */
    findShown: async (accountId: AccountId, txid: Txid) =>
      (await shown.find(session, { txid, accountId })) ??
      (await shown.find(session, { unsignedTxid: txid, accountId }, signedSince)),
    /** By txid, for a job that goes by what it reads: until that ends no other job changes the record. */
    findForUpdate: (accountId: AccountId, txid: Txid) => transactions.findForUpdate(session, { txid, accountId }),
    findByExternalId: (accountId: AccountId, externalId: string) =>
      transactions.find(session, { accountId, externalId }, newest),
    /** Newest first. Unfiltered and per-wallet pages cost the same however long the history is and however deep the page. */
    list: (accountId: AccountId, filter: TransactionFilter, page: PageRequest) =>
      listTransactions(session, accountId, filter, page),
    inputs: async (accountId: AccountId, txid: Txid) =>
      (await inputsOf(accountId, txid)).map(
        (row): TransactionInput => ({
          vin: Number(row.vin),
          prev: { txid: row.prev_txid as Txid, vout: Number(row.prev_vout) },
        }),
      ),
    effects: async (accountId: AccountId, txid: Txid) =>
      (await linksOf(accountId, txid)).map((row) => ({
        walletId: row.wallet_id as WalletId,
        receivedSats: row.received_sats,
        sentSats: row.sent_sats,
      })),
    /** A node has it. Answers it as it is then; null where it was not `signed` any more, or was refused since: nothing is changed. */
    markTaken: async (accountId: AccountId, txid: Txid, at: number) => {
      const row = await markTaken.first(session, { accountId, txid, at: BigInt(at) });
      return row ? transactions.record(row) : null;
    },
    update: async (
      accountId: AccountId,
      txid: Txid,
      patch: Partial<
        Pick<
          TransactionRecord,
          | 'status'
          | 'direction'
          | 'kind'
          | 'walletId'
          | 'raw'
          | 'psbt'
          | 'counts'
          | 'asked'
          | 'recipients'
          | 'amountSats'
          | 'feeSats'
          | 'vsize'
          | 'blockHeight'
          | 'blockHash'
          | 'replaces'
          | 'replacedBy'
          | 'label'
          | 'externalId'
          | 'reason'
          | 'updatedAt'
        >
      >,
    ) => {
      if (Object.values(patch).every((value) => value === undefined)) return;
      const { recipients } = patch;
      const before = recipients && (await shown.find(session, { txid, accountId }));
      const kinds = patch.kind === undefined ? {} : kindColumns(patch.kind);
      const changed = await transactions.update(session, { txid, accountId }, { ...patch, ...kinds });
      if (changed === 0n) throw new DomainError('not_found', 'there is no such transaction', { field: 'txid' });
      if (before) await replaceOutputs(session, before, { ...before, recipients });
    },
    /**
     * Adds wallet links that were not known at insert (a second wallet of the account turns out to be involved). A wallet linked
     * already keeps its position and gets the given amounts.
     */
    addEffects: async (accountId: AccountId, txid: Txid, effects: readonly WalletEffect[]) => {
      const linked = new Set((await linksOf(accountId, txid)).map((row) => row.wallet_id));
      for (const { walletId, receivedSats, sentSats } of effects) {
        if (!linked.has(walletId)) continue;
        const amounts = { received_sats: receivedSats, sent_sats: sentSats };
        await links.update(session, amounts, { wallet_id: walletId, account_id: accountId, txid });
      }
      await link(
        accountId,
        txid,
        effects.filter(({ walletId }) => !linked.has(walletId)),
      );
    },
    /**
     * Gives a record that waits for signatures the txid that they give it, with its inputs, links and claims; it has no coins of its own
     * yet. Its unsigned txid stays.
     */
    rename: async (accountId: AccountId, txid: Txid, to: Txid) => {
      const key = { txid, account_id: accountId };
      const spent = await inputsOf(accountId, txid);
      const linked = await linksOf(accountId, txid);
      const record = await shown.find(session, { txid, accountId });
      // What refers to the record goes and comes again: neither database changes a key that is referred to.
      await inputs.delete(session, key);
      await links.delete(session, key);
      const renamed = await names.update(session, { txid: to }, key);
      if (renamed === 0n) throw new DomainError('not_found', 'there is no such transaction', { field: 'txid' });
      const moved = <T extends { txid: string }>(row: T): T => ({ ...row, txid: to });
      await insertInputs(session, spent.map(moved));
      await insertLinks(session, linked.map(moved));
      await coins.update(session, { spentBy: txid, accountId }, { spentBy: to });
      if (record) await replaceOutputs(session, record, { ...record, txid: to });
    },
    /** Transactions of the account that spend outputs of `txid` and are alive (signed, broadcast, confirmed, awaiting_*). */
    children: async (accountId: AccountId, txid: Txid) =>
      (await childrenOf.all(session, { accountId, txid })).map(transactions.record),
  };
}
