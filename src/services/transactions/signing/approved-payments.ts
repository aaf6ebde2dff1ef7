/** Payments that wait for approval: given up, or signed to the last byte as they were approved, and sent as any other. */
import { parseTransaction } from '../../../core/blocks/transaction.ts';
import { DomainError } from '../../../core/errors.ts';
import { outpointKey, type Txid } from '../../../core/outpoint.ts';
import type { PlannedInput, PlannedOutput } from '../../../core/payments/payment-plan.ts';
import { approvedSigns, type TransactionText } from '../../../core/policies/approval-text.ts';
import type { OutageLog } from '../../../outages/outage.ts';
import type { TransactionRecord, WalletRecord } from '../../../store/records.ts';
import type { ApprovalRecord, ListedApproval } from '../../../store/repositories/approvals.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { isFinal, type Judge, type RecordSubject } from '../../approvals/approval-subject.ts';
import { askedOf } from '../../approvals/asked-again.ts';
import { doneApproval, failApproval } from '../../approvals/open-approval.ts';
import { executed, logPaid } from '../../governance/executed.ts';
import { transactionEvent } from '../../ledger/transaction-event.ts';
import { approved, type Gate, type Passed } from '../../policies/gate.ts';
import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import { requireWallet } from '../../wallets/wallet-dependencies.ts';
import { canSign } from '../../wallets/wallet-keys.ts';
import { candidateModel, toCandidate } from '../coins/candidates.ts';
import type { SpendingConditions } from '../drafting/spending-conditions.ts';
import { retireTransaction } from '../sending/retire-transaction.ts';
import type { Sender } from '../sending/sender.ts';
import { commitSigned } from './commit-signed.ts';
import type { ComposePsbt } from './compose-psbt.ts';
import type { SignPlan } from './sign-plan.ts';

export interface ApprovedPaymentsDependencies {
  readonly store: Store;
  readonly scripts: Pick<ScriptPool, 'model'>;
  readonly gate: Pick<Gate, 'askAgain'>;
  readonly conditions: SpendingConditions;
  readonly signPlan: SignPlan;
  readonly composePsbt: ComposePsbt;
  readonly sender: Pick<Sender, 'send'>;
  readonly clock: () => number;
  readonly log: OutageLog;
}

export function createApprovedPayments(deps: ApprovedPaymentsDependencies): RecordSubject {
  const { store, clock } = deps;

  /** Bytes and txid, or a PSBT where others have to sign, too. */
  async function sign(approval: ApprovalRecord, record: TransactionRecord, passed: Passed, wallet: WalletRecord) {
    const plan = await approvedPlan(store.read, approvedSigns<TransactionText>(approval), wallet, deps.scripts);
    if (canSign(wallet)) return { ...(await deps.signPlan(wallet, plan, passed)), psbt: null };
    const { ancestorFeeSats, txid, unsignedTxid, kind, rbf, recipients, label, externalId, replaces } = record;
    const built = {
      ...{ ...plan, wallet, ancestorFeeSats, txid, unsignedTxid, kind, rbf, recipients, label, externalId, replaces },
      ...{ feeSats: record.feeSats ?? 0n, vsize: record.vsize ?? 0, raw: null, psbt: null, changeLease: null },
      ...{ evicts: [], namesCoins: false, approvalId: null },
    };
    return deps.composePsbt(built, passed);
  }

  const commit = (
    approval: ApprovalRecord,
    signed: Pick<Awaited<ReturnType<ComposePsbt>>, 'raw' | 'txid' | 'vsize' | 'psbt'>,
    passed: Passed,
    judge: Judge,
  ): Promise<TransactionRecord | null> =>
    store.write(async (tx) => {
      await judge(tx);
      const now = clock();
      const held = await waiting(tx, approval);
      if (held === null || !(await doneApproval(tx, approval, now))) return null;
      const { raw, txid, vsize, psbt } = signed;
      if (raw !== null) {
        const done = await commitSigned(tx, held, { raw, txid, vsize }, passed, now);
        if (approval.operation === 'treasury_spend') await executed(tx, done, now);
        return done;
      }
      const after: TransactionRecord = { ...held, status: 'awaiting_signature', psbt, updatedAt: now };
      await tx.transactions.update(held.accountId, held.txid, { status: 'awaiting_signature', psbt, updatedAt: now });
      await tx.events.append(transactionEvent(after));
      return after;
    });

  const giveUp = (approval: ApprovalRecord, reason: string): Promise<void> =>
    store.write(async (tx) => {
      const held = await waiting(tx, approval);
      if (held) await retireTransaction(tx, held, { status: 'failed', reason }, clock());
      await failApproval(tx, approval, reason, clock());
    });

  return {
    operations: {
      payment: ['transaction.create', 'transaction.bulk-create'],
      treasury_spend: ['dao.execute'],
      bump: ['transaction.bump'],
      cpfp: ['transaction.cpfp'],
      cancel: ['transaction.cancel'],
      contract_cpfp: ['contract.cpfp'],
    },
    hold: waiting,
    accessOf: ({ operation }) => ({
      scope: SCOPES[operation] ?? 'transactions:write',
      role: operation === 'treasury_spend' ? 'admin' : 'operator',
    }),
    async askAgain(tx, approval, now) {
      const held = await waiting(tx, approval);
      if (held === null) return { denied: 'the payment has ended otherwise', requirements: [] };
      return deps.gate.askAgain(tx, ...askedOf(approval, await requireWallet(tx, held.accountId, held.walletId)), {
        ...{ at: now, except: held.counts ?? [] },
      });
    },
    async ended(tx, approval, reason, now) {
      const held = await waiting(tx, approval);
      if (held) await retireTransaction(tx, held, { status: 'failed', reason }, now);
    },
    async carryOut(approval, signal, judge) {
      // Nothing is signed while the node is away, or spending is halted.
      await deps.conditions.current();
      const record = waits(approval, await store.read.transactions.find(approval.accountId, approval.subject as Txid));
      if (record === null) return giveUp(approval, 'the payment has ended otherwise');
      try {
        const wallet = await requireWallet(store.read, approval.accountId, record.walletId);
        const passed = approved(...askedOf(approval, wallet));
        const signed = await sign(approval, record, passed, wallet);
        signal.throwIfAborted();
        const after = await commit(approval, signed, passed, judge);
        if (after?.status !== 'signed') return;
        if (approval.operation === 'treasury_spend')
          logPaid(deps.log, { ...after, proposalId: approvedSigns<TransactionText>(approval).proposal?.proposal_id });
        await deps.sender.send(after);
      } catch (error) {
        if (!isFinal(error)) throw error;
        await giveUp(approval, `it was approved, and could not be made: ${error.message}`);
      }
    },
  };
}

const SCOPES: Readonly<Record<string, string>> = {
  contract_cpfp: 'contracts:write',
  treasury_spend: 'governance:write',
};

/** Held by the job; null where it waits no more. Until it is signed its txid is the unsigned one. */
const waiting = async (tx: Repositories, approval: ListedApproval): Promise<TransactionRecord | null> =>
  waits(approval, await tx.transactions.findForUpdate(approval.accountId, approval.subject as Txid));

const waits = (
  { approvalId }: Pick<ApprovalRecord, 'approvalId'>,
  record: TransactionRecord | null,
): TransactionRecord | null =>
  record?.status === 'awaiting_approval' && record.approvalId === approvalId ? record : null;

/** What to sign, from the very text that was approved; throws where the coins are others by now. */
export async function approvedPlan(
  read: Repositories,
  { transaction, inputs: spent }: TransactionText,
  wallet: WalletRecord,
  scripts: Pick<ScriptPool, 'model'>,
) {
  const { version, locktime, inputs, outputs } = parseTransaction(Buffer.from(transaction, 'hex'));
  const found = await read.coins.findMany(
    wallet.accountId,
    inputs.map(({ prev }) => prev),
  );
  const byKey = new Map(
    found.filter((coin) => coin.walletId === wallet.walletId).map((coin) => [outpointKey(coin), coin]),
  );
  const model = candidateModel(scripts.model(wallet), wallet);
  return {
    version: version as 2 | 3,
    locktime,
    inputs: inputs.map(({ prev, sequence }, index): PlannedInput => {
      const coin = byKey.get(outpointKey(prev));
      if (coin?.live && coin.scriptPubKey === spent[index]?.script) return { ...toCandidate(coin, model, 0), sequence };
      throw new DomainError('coin_unavailable', `coin ${outpointKey(prev)} is no longer there`);
    }),
    outputs: outputs.map(
      ({ scriptPubKey, amountSats }): PlannedOutput => ({ scriptPubKey, amountSats, recipient: null }),
    ),
  };
}
