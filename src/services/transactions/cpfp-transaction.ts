import type { MempoolEntry } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import type { FeeRate } from '../../core/fee-rate.ts';
import type { AccountId } from '../../core/ids.ts';
import { outpointKey, type Txid } from '../../core/outpoint.ts';
import { planCpfp } from '../../core/payments/plan-cpfp.ts';
import { DEFAULT_MAX_ANCESTORS } from '../../core/relay-policy/limits.ts';
import type { CoinRecord, TransactionRecord, WalletRecord } from '../../store/records.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { canSign } from '../wallets/wallet-keys.ts';
import { createAncestryLookup } from './coins/ancestry.ts';
import { candidateModel, toCandidate } from './coins/candidates.ts';
import { payingWallet } from './drafting/paying-wallet.ts';
import { planSettings } from './drafting/plan-settings.ts';
import { requireTransaction } from './get-transaction.ts';
import type { Spend } from './make-transaction.ts';
import type { ReplacementDependencies } from './replacement-dependencies.ts';
import type { CommitOptions, TransactionService, TransactionView } from './transaction-service.ts';
import { assertAllows } from './transaction-states.ts';

/** Context null: the service itself asks. */
export type ChildPaysForParent = (
  accountId: AccountId,
  txid: Txid,
  request: { feeRate: FeeRate; operation?: 'cpfp' | 'contract_cpfp' },
  context: RequestContext | null,
  options?: CommitOptions,
) => Promise<TransactionView>;

export function createCpfpTransaction(childPaysForParent: ChildPaysForParent): TransactionService['cpfp'] {
  return (txid, { dryRun, ...request }, context) =>
    childPaysForParent(context.accountId, txid, request, context, { dryRun });
}

export function createChildPaysForParent(deps: ReplacementDependencies): ChildPaysForParent {
  const { store, chain, scripts, randomBytes } = deps;

  /** The wallet whose outputs help: the record's own, or another of the account's that the transaction pays. */
  async function helpingWallet(record: TransactionRecord, coins: readonly CoinRecord[]): Promise<WalletRecord> {
    const receivers = [...new Set(coins.map((coin) => coin.walletId))];
    const first = receivers.includes(record.walletId) ? record.walletId : receivers[0];
    if (first === undefined) {
      throw new DomainError(
        'nothing_to_spend',
        `no output of ${record.txid} is ours, unspent and free, so that no child can pay for it`,
        { field: 'txid' },
      );
    }
    const wallets = await store.read.wallets.findByIds(record.accountId, receivers);
    const signing = wallets.filter((wallet) => canSign(wallet) && wallet.archivedAt === null);
    const chosen = signing.find((wallet) => wallet.walletId === first) ?? signing[0];
    return chosen ?? payingWallet(store.read, record.accountId, first);
  }

  /** The parent with its unconfirmed ancestors: as the node counts, or as the database does where no node has it. */
  async function packageOf(record: TransactionRecord, entry: MempoolEntry | null) {
    const lookup = createAncestryLookup({ transactions: store.read.transactions, chain }, record.accountId);
    const ancestry = await lookup.of(record.txid);
    if (entry) {
      return {
        packageFeesSats: entry.ancestorFeesSats,
        packageVsize: entry.ancestorVsize,
        ancestry: {
          ancestorCount: entry.ancestorCount,
          ancestorVsize: entry.ancestorVsize,
          ancestorFeesSats: entry.ancestorFeesSats,
          descendantCount: entry.descendantCount,
          descendantVsize: entry.descendantVsize,
          ...(ancestry && { transactions: ancestry.transactions ?? [], relatives: ancestry.relatives ?? [] }),
        },
      };
    }
    if (record.kind === 'deposit' || !record.raw) {
      throw new DomainError(
        'state_conflict',
        `transaction ${record.txid} is in no mempool that we see: only its sender can bring it back`,
        { field: 'txid' },
      );
    }
    return {
      packageFeesSats: ancestry?.ancestorFeesSats ?? record.feeSats ?? 0n,
      packageVsize: ancestry?.ancestorVsize ?? record.vsize ?? 0,
      // A child that waits here as its parent does lifts nothing yet.
      ancestry: ancestry && { ...ancestry, relatives: [] },
    };
  }

  return async (accountId, txid, { feeRate, operation = 'cpfp' }, context, options) => {
    const found = await requireTransaction(store.read, accountId, txid);
    const conditions = await deps.conditions.current();
    const tipHeight = conditions.tip.height;

    const prepare = async (): Promise<Spend> => {
      const record = await requireTransaction(store.read, accountId, found.txid);
      assertAllows('cpfp', record);
      if (record.kind === 'funding' && !record.raw) {
        throw new DomainError(
          'state_conflict',
          `${record.txid} funds a contract, and its counterparty has not completed and sent it yet`,
          { field: 'txid' },
        );
      }
      const coins = (await store.read.ledger.coinsOf(record.txid)).filter(
        (coin) => coin.accountId === accountId && coin.live && coin.spentBy === null && !coin.locked && !coin.frozen,
      );
      const wallet = await helpingWallet(record, coins);
      const { ancestry, ...sums } = await packageOf(record, await chain.mempoolEntry(record.txid));
      if (ancestry && Math.max(ancestry.ancestorCount, ancestry.descendantCount) >= DEFAULT_MAX_ANCESTORS) {
        throw new DomainError(
          'too_many_ancestors',
          `${record.txid} is in a chain of ${DEFAULT_MAX_ANCESTORS} unconfirmed transactions, the longest that nodes relay: wait for a block`,
          { field: 'txid' },
        );
      }
      const model = scripts.model(wallet);
      const parent = { txid: record.txid, version: record.version, ...sums };
      return {
        ...{ wallet, tipHeight },
        plan: (free, change) =>
          free.take(
            planCpfp({
              ...{ parent, feeRate, rbf: true, randomBytes, candidates: free.candidates() },
              coins: coins
                .filter((coin) => coin.walletId === wallet.walletId && !free.isTaken(outpointKey(coin)))
                .map((coin) => ({ ...toCandidate(coin, candidateModel(model, wallet), tipHeight), ancestry })),
              ...planSettings(model, conditions, change),
            }),
          ),
        details: ({ outputs }, { address }) => ({
          ...{ kind: 'cpfp', rbf: true, label: null, externalId: null, replaces: null, evicts: [], namesCoins: false },
          recipients: [{ address, amountSats: outputs[0]!.amountSats }],
        }),
        asks: (plan) => ({ operation, pays: [], feeSats: plan.feeSats }),
      };
    };
    return deps.maker.make(context, prepare, options);
  };
}
