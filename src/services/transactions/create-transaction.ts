import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { outpointKey } from '../../core/outpoint.ts';
import { coinsWanted } from '../../core/payments/coins-wanted.ts';
import { payeesOf } from '../../core/payments/payees.ts';
import type { PaymentRequest } from '../../core/payments/payment-plan.ts';
import type { PlanningJobs } from '../../core/payments/planning-job.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { Repositories } from '../../store/store.ts';
import type { ScriptPool } from '../wallets/database-script-pool.ts';
import { candidateModel } from './coins/candidates.ts';
import type { Batch } from './drafting/batch.ts';
import type { BuiltTransaction } from './drafting/built-transaction.ts';
import { payingWallet } from './drafting/paying-wallet.ts';
import { planSettings } from './drafting/plan-settings.ts';
import { planWalletPayment } from './drafting/plan-wallet-payment.ts';
import { assertTaken, type SpendingConditions } from './drafting/spending-conditions.ts';
import type { Spend, TransactionMaker } from './make-transaction.ts';
import { assertFreeExternalId } from './sending/refuse-repeated.ts';
import type { TransactionService } from './transaction-service.ts';
import { isUnconfirmed } from './transaction-states.ts';

/** What a payment spends, with all checked that can be without its coins. */
export type SpendOfPayment = (
  accountId: AccountId,
  request: PaymentRequest,
  options: { conditions: SpendingConditions['current']; batch?: Batch; signal?: AbortSignal },
) => Promise<Spend>;

export function createSpendOfPayment(deps: {
  read: Repositories;
  chain: Pick<ChainSource, 'utxo' | 'mempoolEntry'>;
  scripts: Pick<ScriptPool, 'model'>;
  computing: Computing<PlanningJobs>;
  randomBytes: (size: number) => Uint8Array;
}): SpendOfPayment {
  const { read, chain, scripts, computing, randomBytes } = deps;

  /**
   * While a restored wallet is being scanned, a coin may be known whose spend is not: the node is asked. What is unconfirmed and ours it
   * may not have yet.
   */
  async function assertUnspent({ inputs, wallet }: BuiltTransaction, batch: Batch | undefined): Promise<void> {
    for (const input of inputs) {
      const key = outpointKey(input);
      if (batch?.made(key) || (await chain.utxo(input))) continue;
      const parent = await read.transactions.find(wallet.accountId, input.txid);
      if (parent && isUnconfirmed(parent.status)) continue;
      throw new DomainError(
        'coin_unavailable',
        `coin ${key} is spent on the chain already, and the wallet's scan has not come so far: try again when it is done`,
        { field: 'wallet_id' },
      );
    }
  }

  return async (accountId, request, { conditions: current, batch, signal }) => {
    const { rbf, label = null, externalId = null } = request;
    const wallet = await payingWallet(read, accountId, request.walletId);
    if (externalId !== null) {
      await assertFreeExternalId(read, accountId, externalId);
      batch?.assertNew(externalId);
    }
    const conditions = await current();
    assertTaken(request.feeRate, conditions);
    const payees = payeesOf(request, wallet.network);
    // Decoding a thousand addresses takes as long as all that follows.
    await nextTurn();
    const walletModel = scripts.model(wallet);
    const model = candidateModel(walletModel, wallet);
    const source = { read, chain, wallet, computing, model, batch, signal };
    const takesAll = payees.rest !== null;
    return {
      ...{
        wallet,
        batch,
        signal,
        tipHeight: conditions.tip.height,
        minConf: request.minConf,
        fresh: takesAll,
        most: takesAll,
      },
      near: coinsWanted(payees, request.feeRate, model),
      excluded: request.coinControl?.exclude?.length,
      plan: (coins, change) =>
        planWalletPayment(
          coins,
          { ...request, payees, ...planSettings(walletModel, conditions, change), randomBytes },
          source,
        ),
      details: ({ outputs }) => ({
        ...{ kind: 'payment', rbf, label, externalId, replaces: null, evicts: [] },
        recipients: request.recipients.map(({ address }, index) => ({
          address,
          amountSats: outputs.find((output) => output.recipient === index)!.amountSats,
        })),
        travelRules: request.recipients.map(({ travelRule }) => travelRule),
        namesCoins: (request.coinControl?.include ?? []).length > 0,
      }),
      asks: ({ outputs, feeSats }) => ({
        operation: 'payment',
        pays: outputs.flatMap(({ scriptPubKey, amountSats, recipient }) => {
          const address = recipient === null ? undefined : request.recipients[recipient]?.address;
          return address === undefined ? [] : { scriptPubKey, amountSats, address };
        }),
        feeSats,
      }),
      ...(wallet.scan.state === 'idle' ? {} : { check: (built) => assertUnspent(built, batch) }),
    };
  };
}

export function createTransactionCreator(deps: {
  spendOfPayment: SpendOfPayment;
  maker: TransactionMaker;
  conditions: SpendingConditions;
}): TransactionService['create'] {
  return async (request, options, context) => {
    const spend = await deps.spendOfPayment(context.accountId, request, {
      conditions: deps.conditions.current,
      signal: context.signal,
    });
    return deps.maker.make(context, async () => spend, options);
  };
}
