import type { AddressTransaction } from '../../chain/chain-source.ts';
import type { WalletId } from '../../core/ids.ts';
import type { BlockHash, Outpoint } from '../../core/outpoint.ts';
import type { AddressEntry } from '../../store/repositories/address-scan-rows.ts';
import type { AddressScanRecord, AddressTotals } from '../../store/repositories/address-scans.ts';

export { ADDRESS_SCAN_STATES } from '../../store/repositories/address-scans.ts';

/** Where an answer about an address comes from, and as of which block. */
export interface AddressSource {
  /** wallet: a wallet of the account watches it. esplora: the chain source has an index. scan: a finished scan of the account. */
  readonly source: 'wallet' | 'esplora' | 'scan';
  readonly walletId: WalletId | null;
  readonly scanId: string | null;
  /** null: of the source's own tip. */
  readonly asOf: { readonly height: number; readonly hash: BlockHash } | null;
}

export interface AddressUtxo extends Outpoint {
  readonly amountSats: bigint;
  readonly height: number | null;
  readonly blockHash: BlockHash | null;
  /** null where the source does not say. */
  readonly coinbase: boolean | null;
}

export type AddressHistoryEntry = AddressEntry | AddressTransaction;

export interface AddressScanView extends AddressScanRecord {
  /** A block of its results has left the chain: it will be done anew. */
  readonly stale: boolean;
  /** null until it is done. */
  readonly totals: AddressTotals | null;
}
