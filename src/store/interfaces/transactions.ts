import type { Txid } from '../../core/outpoint.ts';
import type {
  Page,
  PageRequest,
  TransactionDirection,
  TransactionInput,
  TransactionRecord,
  TransactionStatus,
  WalletEffect,
} from '../records.ts';

export interface TransactionFilter {
  walletId?: string;
  status?: TransactionStatus;
  direction?: TransactionDirection;
  externalId?: string;
  label?: string;
}

export interface TransactionRepository {
  /** Inserts record, inputs and wallet links, giving the dense positions. `ordinal` of the given record is ignored. */
  insert(
    record: Omit<TransactionRecord, 'ordinal'>,
    inputs: readonly TransactionInput[],
    effects: readonly WalletEffect[],
  ): Promise<void>;
  /** By txid or unsigned txid, within the account. */
  find(accountId: string, txid: Txid): Promise<TransactionRecord | null>;
  /** By txid, for a job that goes by what it reads: until that ends no other job changes the record. */
  hold(accountId: string, txid: Txid): Promise<TransactionRecord | null>;
  findByExternalId(accountId: string, externalId: string): Promise<TransactionRecord | null>;
  /** Newest first. Unfiltered and per-wallet pages cost the same however long the history is and however deep the page. */
  list(accountId: string, filter: TransactionFilter, page: PageRequest): Promise<Page<TransactionRecord>>;
  inputs(accountId: string, txid: Txid): Promise<TransactionInput[]>;
  effects(accountId: string, txid: Txid): Promise<WalletEffect[]>;
  update(
    accountId: string,
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
  ): Promise<void>;
  /**
   * Adds wallet links that were not known at insert (a second wallet of the account turns out to be involved). A wallet linked
   * already keeps its position and gets the given amounts.
   */
  addEffects(accountId: string, txid: Txid, effects: readonly WalletEffect[]): Promise<void>;
  /**
   * Gives a record that waits for signatures the txid that they give it, with its inputs, links and claims; it has no coins of its own
   * yet. Its unsigned txid stays.
   */
  rename(accountId: string, txid: Txid, to: Txid): Promise<void>;
  /** Transactions of the account that spend outputs of `txid` and are alive (signed, broadcast, confirmed, awaiting_*). */
  children(accountId: string, txid: Txid): Promise<TransactionRecord[]>;
}
