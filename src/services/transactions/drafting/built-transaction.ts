/** A signed transaction on its way into the database. */
import type { Txid } from '../../../core/outpoint.ts';
import type { PlannedInput, PlannedOutput } from '../../../core/payments/payment-plan.ts';
import type { Recipient, TransactionKind, WalletRecord } from '../../../store/records.ts';
import type { ChangeLease } from '../../wallets/script-pool.ts';

export interface BuiltTransaction {
  readonly wallet: WalletRecord;
  readonly kind: TransactionKind;
  readonly txid: Txid;
  /** The txid before signatures were put in (they change it for legacy and nested inputs). */
  readonly unsignedTxid: Txid;
  readonly raw: Uint8Array;
  /** Of the signed bytes. */
  readonly vsize: number;
  readonly feeSats: bigint;
  readonly version: number;
  readonly locktime: number;
  readonly rbf: boolean;
  readonly inputs: readonly PlannedInput[];
  readonly outputs: readonly PlannedOutput[];
  /** The change script taken for it, where it has one of its own. */
  readonly changeLease: ChangeLease | null;
  readonly recipients: readonly Recipient[];
  readonly label: string | null;
  readonly externalId: string | null;
  readonly replaces: Txid | null;
  /** The caller named coins to spend; frozen ones may be among them. */
  readonly insists: boolean;
}
