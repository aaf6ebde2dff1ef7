/** A transaction on its way into the database: signed, or with the PSBT that others sign. */
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
  /** The signed bytes; null where signatures are missing. */
  readonly raw: Uint8Array | null;
  /** Version 2, base64, where signatures are missing; null in a dry run, too, which nobody is to sign. */
  readonly psbt: string | null;
  /** Of the signed bytes; the most that they can have, where signatures are missing. */
  readonly vsize: number;
  readonly feeSats: bigint;
  /** The part of it that lifts unconfirmed ancestors. */
  readonly ancestorFeeSats: bigint;
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
