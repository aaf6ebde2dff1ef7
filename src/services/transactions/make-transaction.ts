/** The one way a transaction of a wallet's coins is made: lease, plan, sign, commit. Then it is broadcast, and its answer brought up to date. */
import type { OwnSends } from '../../chain/follower/index.ts';
import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { PaymentPlan } from '../../core/payments/payment-plan.ts';
import { buildTransaction, txidOf } from '../../core/transactions/build-transaction.ts';
import type { TransactionRecord, WalletRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { atOnce, type Doing } from '../approvals/held-operation.ts';
import {
  askerOf,
  type Gate,
  isDenied,
  OF_SERVICE,
  type OfService,
  type Passed,
  refuseUnapproved,
  VerdictChanged,
} from '../policies/gate.ts';
import type { Asked, Asker } from '../policies/spending-of.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { TravelRules } from '../travel-rule/travel-rules.ts';
import type { ScriptPool } from '../wallets/database-script-pool.ts';
import type { ChangeLease } from '../wallets/script-pool.ts';
import { canSign } from '../wallets/wallet-keys.ts';
import { ClaimConflict } from './coins/claim-conflict.ts';
import type { FreeCoins, LeaseOptions, LeaseWallet } from './coins/wallet-lease.ts';
import type { BuiltTransaction, TransactionDetails } from './drafting/built-transaction.ts';
import { type Committed, commitTransaction } from './sending/commit-transaction.ts';
import { previewTransaction } from './sending/new-record.ts';
import type { Alongside, Sender } from './sending/sender.ts';
import type { ComposePsbt } from './signing/compose-psbt.ts';
import type { SignPlan } from './signing/sign-plan.ts';
import type { CommitOptions, TransactionView } from './transaction-service.ts';
import { type TipHeight, viewNow, viewOf } from './transaction-view.ts';

/** How often a transaction is built anew when another process was faster at the commit. */
const MAX_ATTEMPTS = 24;

/** What is to be made of which wallet's coins. */
export interface Spend extends Omit<LeaseOptions, 'hold'> {
  readonly wallet: WalletRecord;
  /** Plans, and takes the coins of the plan. */
  plan(coins: FreeCoins, change: ChangeLease): PaymentPlan | Promise<PaymentPlan>;
  details(plan: PaymentPlan, change: ChangeLease): TransactionDetails;
  /** What the account's rules are asked of it. */
  asks(plan: PaymentPlan): Omit<Asked, 'wallet'>;
  /** What may still be wrong with what was built. */
  check?(built: BuiltTransaction): Promise<void>;
}

/** A transaction that is not stored yet, with what is taken in memory for it (nothing, in a dry run). */
export interface Draft {
  readonly built: BuiltTransaction;
  readonly passed: Passed | OfService;
  /** It is in the database: the coins are claimed there. */
  committed(): void;
  /** It will not be: coins and change script are free again. */
  release(): void;
}

export interface DraftOptions {
  readonly hold: boolean;
  readonly by: Asker | OfService;
  /** What is to be committed in one job before it. */
  readonly earlier?: readonly (Passed | OfService)[];
  /** It may wait for approvals; else it is refused where rules want some. */
  readonly approvable?: boolean;
  /** What was decided before, or approved: the rules are asked again in the job alone. */
  readonly passed?: Passed | undefined;
}

export interface TransactionMaker {
  /**
   * Lease, plan, ask the rules, sign. Without all keys here the draft has a PSBT, or neither that nor bytes in a dry run. Throws what `plan`
   * and `check` throw, `policy_denied` and `signing_unavailable`; then nothing is taken. A dry run is told the verdict instead.
   */
  draft(spend: Spend, options: DraftOptions): Promise<Draft>;
  /** What would be signed; nothing is taken. */
  plan(spend: Spend): Promise<BuiltTransaction>;
  /** What the draft would be. */
  preview(draft: Pick<Draft, 'built' | 'passed'>): Promise<TransactionView>;
  /**
   * Drafts, commits and sends; anew, from `prepare` on, where the commit finds a coin or change script taken by another process. Without a
   * context it is the service itself that asks, and nobody is answered. A dry run ends with a draft that holds no coins. What is a step of a
   * held request is judged in the job.
   */
  make(
    asking: RequestContext | Doing | null,
    prepare: () => Promise<Spend>,
    options?: CommitOptions,
  ): Promise<TransactionView>;
}

export function createTransactionMaker(deps: {
  store: Store;
  scripts: Pick<ScriptPool, 'commitPayment'>;
  gate: Gate;
  travelRules: Pick<TravelRules, 'keep'>;
  leaseWallet: LeaseWallet;
  signPlan: SignPlan;
  composePsbt: ComposePsbt;
  sender: Pick<Sender, 'send'>;
  tipHeight: TipHeight;
  /** Absent: the follower looks at every payment again. */
  ownSends?: OwnSends;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
}): TransactionMaker {
  const { store, gate, tipHeight, clock, randomBytes } = deps;

  /** Before anything is signed. */
  async function judge(
    spend: Spend,
    plan: PaymentPlan,
    { hold, by, earlier = [], approvable = false, passed: before }: DraftOptions,
  ) {
    if (by === OF_SERVICE) return OF_SERVICE;
    if (before !== undefined) return before;
    const counted = earlier.flatMap((one) => (one === OF_SERVICE ? [] : one.counts));
    const asked: Asked = {
      ...{ ...spend.asks(plan), wallet: spend.wallet },
      // Others sign its PSBT.
      ...(canSign(spend.wallet) ? {} : { also: 'psbt' }),
    };
    if (!hold) return gate.foresee(by, asked, { earlier: counted });
    const passed = await gate.decide(by, asked, { earlier: counted });
    if (!approvable) refuseUnapproved(passed);
    return passed;
  }

  async function draft(spend: Spend, options: DraftOptions): Promise<Draft> {
    const { hold } = options;
    const lease = await deps.leaseWallet(spend.wallet, { ...spend, hold });
    try {
      const plan = await lease.coins((coins) => spend.plan(coins, lease.change));
      const passed = await judge(spend, plan, options);
      const waits = passed !== OF_SERVICE && passed.requirements.length > 0;
      const built = waits
        ? { ...unsigned(spend, plan, lease.change), approvalId: hold ? newId('apr', randomBytes) : null }
        : await sign(spend, plan, lease.change, passed, hold);
      await spend.check?.(built);
      const hasChange = built.changeLease !== null;
      return { built, passed, committed: () => lease.committed(hasChange), release: lease.release };
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  function planned({ wallet, details }: Spend, plan: PaymentPlan, change: ChangeLease) {
    const hasChange = plan.outputs.some((output) => output.scriptPubKey === change.scriptPubKey);
    return {
      ...{ ...plan, ...details(plan, change), wallet, psbt: null, approvalId: null },
      changeLease: hasChange ? change : null,
    };
  }

  function unsigned(spend: Spend, plan: PaymentPlan, change: ChangeLease): BuiltTransaction {
    const txid = txidOf(buildTransaction(plan));
    return { ...planned(spend, plan, change), txid, unsignedTxid: txid, raw: null };
  }

  async function sign(
    spend: Spend,
    plan: PaymentPlan,
    change: ChangeLease,
    passed: Passed | OfService,
    hold: boolean,
  ): Promise<BuiltTransaction> {
    const { wallet } = spend;
    if (!canSign(wallet) || isDenied(passed)) {
      const built = unsigned(spend, plan, change);
      // A dry run's transaction is for nobody to sign.
      return hold ? deps.composePsbt(built, passed) : built;
    }
    const { txid, unsignedTxid, raw, vsize } = await deps.signPlan(wallet, plan, passed);
    return { ...planned(spend, plan, change), txid, unsignedTxid, raw, vsize };
  }

  async function send({ record, taken }: Committed, alongside: Alongside): Promise<TransactionRecord> {
    const ended = taken === null ? null : deps.ownSends?.begin(record.txid);
    let whole = false;
    let written = false;
    const settling: Alongside = async (tx, settled) => {
      whole = settled.status === 'broadcast' && taken !== null && (await taken(tx, clock()));
      await alongside(tx, settled);
    };
    try {
      const sent = await deps.sender.send(record, settling, { justCommitted: true });
      written = whole;
      return sent;
    } finally {
      ended?.(written);
    }
  }

  const preview = async ({ built, passed }: Pick<Draft, 'built' | 'passed'>): Promise<TransactionView> => ({
    ...viewOf(await previewTransaction(store.read, built, passed, clock()), 0),
    preview: { bounded: built.bounded === true },
  });

  return {
    draft,
    preview,
    async plan(spend) {
      const lease = await deps.leaseWallet(spend.wallet, { ...spend, hold: false });
      try {
        return unsigned(spend, await lease.coins((coins) => spend.plan(coins, lease.change)), lease.change);
      } finally {
        lease.release();
      }
    },
    async make(asking, prepare, options = {}) {
      const { first, besides, alongside, answer = (view: TransactionView) => view, dryRun = false } = options;
      const held = asking !== null && 'passed' in asking ? asking : null;
      const doing = asking !== null && 'credential' in asking ? atOnce(asking) : held;
      const by = asking === null ? OF_SERVICE : 'passed' in asking ? asking.passed.asker : askerOf(asking);
      if (dryRun) return preview(await draft(await prepare(), { hold: false, by }));
      const committed = await retried(async () => {
        // What is written beside it would not be written when it is approved.
        const approvable = alongside === undefined;
        const drafted = await draft(await prepare(), { hold: true, by, approvable, passed: held?.passed });
        return committing([drafted], () =>
          store.write(async (tx) => {
            await held?.judge(tx);
            await first?.(tx);
            const committed = await commitTransaction(tx, deps, drafted.built, drafted.passed, clock());
            await alongside?.(tx, committed.record);
            await besides?.(tx, committed.record);
            if (doing) {
              const result = await answer(viewOf(committed.record, 0), tx);
              await doing.record(tx, { result, target: committed.record.txid });
            }
            return committed;
          }),
        );
      });
      return viewNow(
        tipHeight,
        await send(committed, async (tx, settled) => {
          if (doing) await doing.amend(tx, await answer(await viewNow(tipHeight, settled), tx));
        }),
      );
    },
  };
}

/** Ends what the drafts hold with the commit, whichever way it goes. */
export async function committing<T>(
  drafts: readonly Pick<Draft, 'committed' | 'release'>[],
  commit: () => Promise<T>,
): Promise<T> {
  try {
    const result = await commit();
    for (const draft of drafts) draft.committed();
    return result;
  } catch (error) {
    for (const draft of drafts) draft.release();
    throw error;
  }
}

export async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLostRace(error)) throw error;
      if (attempts < MAX_ATTEMPTS) continue;
      throw new DomainError('state_conflict', 'other payments kept taking the coins that this one chose: try again', {
        field: 'recipients',
        retryAfterSeconds: 1,
      });
    }
  }
}

/** Lost at the commit: a coin (ClaimConflict), what a limit had left, or the change script (ScriptPool.commitPayment's state_conflict). */
const isLostRace = (error: unknown): boolean =>
  error instanceof ClaimConflict ||
  error instanceof VerdictChanged ||
  (error instanceof DomainError && error.code === 'state_conflict' && !error.details.field);
