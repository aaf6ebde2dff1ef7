/** A transaction on its way into the database: signed, or with the PSBT that others sign. */
import type { ApprovalId } from '../../../core/ids.ts';
import type { Txid } from '../../../core/outpoint.ts';
import type { PaymentPlan } from '../../../core/payments/payment-plan.ts';
import type { TravelRuleData } from '../../../core/travel-rule/ivms101.ts';
import type { Recipient, TransactionKind, WalletRecord } from '../../../store/records.ts';
import type { ChangeLease } from '../../wallets/script-pool.ts';

/** What a transaction is beyond its plan. */
export interface TransactionDetails {
  readonly kind: TransactionKind;
  readonly rbf: boolean;
  readonly recipients: readonly Recipient[];
  readonly label: string | null;
  readonly externalId: string | null;
  readonly replaces: Txid | null;
  /** Own unconfirmed transactions that it replaces, the original first. */
  readonly evicts: readonly Txid[];
  /** Who is behind each recipient, as far as the request says. */
  readonly travelRules?: readonly (TravelRuleData | undefined)[];
  /** The caller named coins to spend; frozen ones may be among them. */
  readonly namesCoins: boolean;
}

export interface BuiltTransaction
  extends TransactionDetails,
    Pick<PaymentPlan, 'version' | 'locktime' | 'inputs' | 'outputs' | 'feeSats' | 'ancestorFeeSats' | 'bounded'> {
  readonly wallet: WalletRecord;
  readonly txid: Txid;
  /** The txid before signatures were put in (they change it for legacy and nested inputs). */
  readonly unsignedTxid: Txid;
  /** The signed bytes; null where signatures are missing. */
  readonly raw: Uint8Array | null;
  /** Version 2, base64, where signatures are missing; null in a dry run, too, which nobody is to sign. */
  readonly psbt: string | null;
  /** What it waits for, unsigned; null where nothing. */
  readonly approvalId: ApprovalId | null;
  /** Of the signed bytes; the most that they can have, where signatures are missing. */
  readonly vsize: number;
  /** The change script taken for it, where it has one of its own. */
  readonly changeLease: ChangeLease | null;
}
