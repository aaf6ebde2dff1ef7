import type { Logger } from 'pino';
import type { ChainSource } from '../../chain/chain-source.ts';
import type { OwnSends } from '../../chain/follower/index.ts';
import type { PaymentJobs } from '../../core/payments/add-signatures.ts';
import type { PlanningJobs } from '../../core/payments/planning-job.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { Store } from '../../store/store.ts';
import type { RecordSubject } from '../approvals/approval-subject.ts';
import type { HeldRequests } from '../approvals/held-requests.ts';
import type { Gate } from '../policies/gate.ts';
import type { TravelRules } from '../travel-rule/travel-rules.ts';
import type { ScriptPool } from '../wallets/database-script-pool.ts';
import type { OpenKeyRing, OpenOwnAccount, OpenOwnSigner } from '../wallets/wallet-keys.ts';
import { createAbandonTransaction } from './abandon-transaction.ts';
import { createBumpTransaction } from './bump-transaction.ts';
import { createCancelTransaction } from './cancel-transaction.ts';
import { createCoinLeases } from './coins/coin-leases.ts';
import { createUtxoSnapshots, type UtxoSnapshots } from './coins/utxo-snapshots.ts';
import { createLeaseWallet, type LeaseWallet } from './coins/wallet-lease.ts';
import { type ChildPaysForParent, createChildPaysForParent, createCpfpTransaction } from './cpfp-transaction.ts';
import { createSpendOfPayment, createTransactionCreator, type SpendOfPayment } from './create-transaction.ts';
import { createBulkCreator } from './create-transactions-bulk.ts';
import { createSpendingConditions } from './drafting/spending-conditions.ts';
import { createGetTransaction } from './get-transaction.ts';
import { createListTransactions } from './list-transactions.ts';
import { createTransactionMaker } from './make-transaction.ts';
import type { ReplacementDependencies } from './replacement-dependencies.ts';
import { type Broadcaster, createBroadcaster } from './sending/broadcaster.ts';
import { createSender, type Sender } from './sending/sender.ts';
import { createAddSignatures } from './signing/add-signatures.ts';
import { createApprovedPayments } from './signing/approved-payments.ts';
import { createComposePsbt } from './signing/compose-psbt.ts';
import { createGetPsbt } from './signing/get-psbt.ts';
import { createPreviousTransactions, type PreviousTransactions } from './signing/previous-transactions.ts';
import { createSignPlan } from './signing/sign-plan.ts';
import type { TransactionService } from './transaction-service.ts';
import { createTipHeight } from './transaction-view.ts';

export interface TransactionDependencies {
  readonly store: Store;
  readonly chain: ChainSource;
  readonly scripts: ScriptPool;
  readonly gate: Gate;
  readonly travelRules: Pick<TravelRules, 'keep'>;
  readonly held: Pick<HeldRequests, 'operation'>;
  readonly openKeyRing: OpenKeyRing;
  readonly openOwnSigner: OpenOwnSigner;
  readonly openOwnAccount: OpenOwnAccount;
  readonly computing: Computing<PaymentJobs & PlanningJobs>;
  /** Why nothing may be spent at the moment, or null (the follower's halt). */
  readonly spendingHalt: () => string | null;
  /** Calls back after the follower has applied a new tip; returns the unsubscribe. */
  readonly onTip: (listener: () => void) => () => void;
  /** Calls back when the follower misses own transactions in the mempool. */
  readonly onOwnMissing?: (listener: () => void) => () => void;
  /** Height of the followed chain as far as this process knows; absent or null: the database is asked. */
  readonly tipHeight?: () => number | null;
  /** Absent: the follower looks at every payment again. */
  readonly ownSends?: OwnSends;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Logger;
}

/** What contracts share with payments, so that both choose from the same coins and send in the same way. */
export interface TransactionParts extends ReplacementDependencies {
  readonly spendOfPayment: SpendOfPayment;
  readonly clock: () => number;
  readonly leaseWallet: LeaseWallet;
  readonly snapshots: UtxoSnapshots;
  readonly previousTransactions: PreviousTransactions;
  readonly sender: Sender;
  readonly childPaysForParent: ChildPaysForParent;
  /** What is done with payments when their approvals end. */
  readonly approvedPayments: RecordSubject;
}

/** The service, and the broadcaster that the process starts once it follows the chain and stops before the store closes. */
export function createTransactions(deps: TransactionDependencies): {
  transactions: TransactionService;
  broadcaster: Broadcaster;
  parts: TransactionParts;
} {
  const {
    store,
    chain,
    scripts,
    gate,
    openKeyRing,
    openOwnSigner,
    openOwnAccount,
    computing,
    clock,
    randomBytes,
    log,
  } = deps;
  const leases = createCoinLeases();
  const snapshots = createUtxoSnapshots({ coins: store.read.coins, leases, randomBytes });
  const leaseWallet = createLeaseWallet({ scripts, snapshots, coins: store.read.coins, leases });
  const previousTransactions = createPreviousTransactions({ read: store.read, chain });
  const composePsbt = createComposePsbt({ read: store.read, previousTransactions, openOwnSigner, randomBytes });
  const conditions = createSpendingConditions({ chain, spendingHalt: deps.spendingHalt, clock });
  const tipHeight = createTipHeight(store.read, deps.tipHeight ?? (() => null));
  const sender = createSender({ store, chain, clock, log });
  const signPlan = createSignPlan({ openKeyRing, randomBytes });
  const maker = createTransactionMaker({
    ...{
      store,
      scripts,
      gate,
      travelRules: deps.travelRules,
      leaseWallet,
      signPlan,
      composePsbt,
      sender,
      tipHeight,
      clock,
      randomBytes,
    },
    ...(deps.ownSends ? { ownSends: deps.ownSends } : {}),
  });
  const spendOfPayment = createSpendOfPayment({ read: store.read, chain, scripts, computing, randomBytes });
  const shared = {
    store,
    chain,
    scripts,
    gate,
    travelRules: deps.travelRules,
    sender,
    clock,
    maker,
    spendOfPayment,
    conditions,
    tipHeight,
    randomBytes,
  };

  const abandon = createAbandonTransaction(shared);
  const childPaysForParent = createChildPaysForParent(shared);

  return {
    transactions: {
      create: createTransactionCreator(shared),
      createBulk: createBulkCreator(shared),
      get: createGetTransaction(store.read, tipHeight),
      ...createListTransactions(store.read, tipHeight),
      bump: createBumpTransaction(shared),
      cpfp: createCpfpTransaction(childPaysForParent),
      cancel: createCancelTransaction({ ...shared, abandon }),
      abandon,
      addSignatures: createAddSignatures({ ...shared, held: deps.held, openOwnAccount, computing }),
      psbt: createGetPsbt(store.read),
    },
    broadcaster: createBroadcaster({
      ...{ store, chain, sender, log, clock },
      onTip: deps.onTip,
      ...(deps.onOwnMissing ? { onOwnMissing: deps.onOwnMissing } : {}),
    }),
    parts: {
      ...{ ...shared, childPaysForParent, leaseWallet, snapshots, previousTransactions },
      approvedPayments: createApprovedPayments({ ...shared, log, signPlan, composePsbt }),
    },
  };
}
