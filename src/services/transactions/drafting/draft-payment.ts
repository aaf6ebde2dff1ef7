/** From a payment request to signed bytes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChainSource } from '../../../chain/chain-source.ts';
import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { DomainError, MAX_ERRORS, refuseAll } from '../../../core/errors.ts';
import { outpointKey } from '../../../core/outpoint.ts';
import { recipientProblems } from '../../../core/payments/check-recipients.ts';
import { type PaymentPlan, type PaymentRecipient, planPayment } from '../../../core/payments/plan-payment.ts';
import { decodeAddress } from '../../../core/policy/address.ts';
import { dataScript } from '../../../core/scripts/data-script.ts';
import type { Recipient, WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';

import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import { createAncestryLookup } from '../coins/ancestry.ts';
import { candidateModel, insistedCoins, toCandidate, withAncestry } from '../coins/candidates.ts';
import type { PaymentRequest } from '../transaction-service.ts';
import { isUnconfirmed } from '../transaction-states.ts';
import type { Batch } from './batch.ts';
import type { BuiltTransaction } from './built-transaction.ts';
import { changeTarget } from './change-target.ts';
import type { Draft, Drafts, DraftTools, Particulars } from './draft.ts';
import { lockedTip } from './locked-tip.ts';
import type { Conditions } from './spending-conditions.ts';

export type DraftPayment = (
  wallet: WalletRecord,
  request: PaymentRequest,
  conditions: Conditions,
  options: { hold: boolean; batch?: Batch },
) => Promise<Draft>;

export function createDraftPayment(deps: {
  read: Repositories;
  chain: Pick<ChainSource, 'utxo' | 'mempoolEntry'>;
  drafts: Drafts;
  scripts: Pick<ScriptPool, 'model'>;
  randomBytes: (size: number) => Uint8Array;
}): DraftPayment {
  const { read, drafts, scripts } = deps;

  function planOf(
    candidates: readonly CandidateCoin[],
    payment: Payment,
    change: { scriptPubKey: string },
  ): PaymentPlan {
    const { wallet, request, recipients, conditions } = payment;
    const { coinControl, minConf, maxFeeSats, subtractFeeFrom, groupByScript } = request;
    return planPayment({
      candidates,
      recipients,
      change: changeTarget(scripts.model(wallet), change),
      feeRate: request.feeRate,
      rbf: request.rbf,
      tip: lockedTip(scripts.model(wallet), conditions.tip),
      randomBytes: deps.randomBytes,
      ...(coinControl?.include ? { include: coinControl.include } : {}),
      ...(coinControl?.exclude ? { exclude: coinControl.exclude } : {}),
      ...(minConf === undefined ? {} : { minConf }),
      ...(maxFeeSats === undefined ? {} : { maxFeeSats }),
      ...(groupByScript === undefined ? {} : { groupByScript }),
      ...(subtractFeeFrom === undefined ? {} : { subtractFeeFrom }),
    });
  }

  async function compose(tools: DraftTools, payment: Payment, batch: Batch | undefined): Promise<Draft> {
    const { wallet, request, conditions } = payment;
    const include = request.coinControl?.include ?? [];
    const model = candidateModel(scripts.model(wallet), wallet);
    const insisted = (await insistedCoins(read, wallet, include, tools.reading, tools.candidates)).map((coin) =>
      toCandidate(coin, model, conditions.tip.height),
    );
    // Taken by another payment since it was looked at: as with any other coin that is not free, the plan says so.
    const stillFree = insisted.filter((coin) => !tools.reading.isTaken(outpointKey(coin)));
    const candidates = [...tools.candidates(), ...stillFree];
    // Ancestry costs reads: it is looked up only where unconfirmed coins are what the payment takes, or may be what it lacks.
    const unconfirmed = new Set(candidates.filter((coin) => coin.confirmations === 0).map(outpointKey));
    const first = attempt(() => planOf(candidates, payment, tools.change));
    if ('plan' in first && !first.plan.inputs.some((input) => unconfirmed.has(outpointKey(input)))) {
      return tools.seal(first.plan, particularsOf(request, first.plan));
    }
    if ('error' in first && unconfirmed.size === 0) throw first.error;
    const lookup = createAncestryLookup({ transactions: read.transactions, chain: deps.chain }, wallet.accountId, {
      pending: batch?.nodes ?? [],
    });
    const informed = await withAncestry(candidates, lookup);
    const free = informed.filter((coin) => !tools.reading.isTaken(outpointKey(coin)));
    const plan = planOf(free, payment, tools.change);
    return tools.seal(plan, particularsOf(request, plan));
  }

  /**
   * While a restored wallet is being scanned, a coin may be known whose spend is not: the node is asked. What is unconfirmed and ours it
   * may not have yet.
   */
  async function assertUnspent({ inputs, wallet }: BuiltTransaction, batch: Batch | undefined): Promise<void> {
    for (const input of inputs) {
      const key = outpointKey(input);
      if (batch?.made(key) || (await deps.chain.utxo(input))) continue;
      const parent = await read.transactions.find(wallet.accountId, input.txid);
      if (parent && isUnconfirmed(parent.status)) continue;
      throw new DomainError(
        'coin_unavailable',
        `coin ${key} is spent on the chain already, and the wallet's scan has not come so far: try again when it is done`,
        { field: 'wallet_id' },
      );
    }
  }

  return async (wallet, request, conditions, { hold, batch }) => {
    const payment = { wallet, request, conditions, recipients: decodeRecipients(request, wallet) };
    // Decoding a thousand addresses takes as long as all that follows.
    await nextTurn();
    const fresh = request.recipients.some((recipient) => recipient.amount === 'max');
    const options = { hold, fresh, tipHeight: conditions.tip.height, ...(batch ? { batch } : {}) };
    const draft = await drafts.open(wallet, options, (tools) => compose(tools, payment, batch));
    if (wallet.scan.state === 'idle') return draft;
    try {
      await assertUnspent(draft.built, batch);
      return draft;
    } catch (error) {
      draft.discard();
      throw error;
    }
  };
}

interface Payment {
  readonly wallet: WalletRecord;
  readonly request: PaymentRequest;
  readonly recipients: readonly PaymentRecipient[];
  readonly conditions: Conditions;
}

function particularsOf(request: PaymentRequest, { outputs }: PaymentPlan): Particulars {
  return {
    kind: 'payment',
    rbf: request.rbf,
    recipients: request.recipients.map(
      ({ address }, index): Recipient => ({
        address,
        amountSats: outputs.find((output) => output.recipient === index)!.amountSats,
      }),
    ),
    label: request.label ?? null,
    externalId: request.externalId ?? null,
    replaces: null,
    insists: (request.coinControl?.include ?? []).length > 0,
  };
}

function decodeRecipients(request: PaymentRequest, wallet: WalletRecord): PaymentRecipient[] {
  const refused: DomainError[] = [];
  const recipients = request.recipients.map(({ address, amount }, index): PaymentRecipient | null => {
    if (refused.length >= MAX_ERRORS) return null;
    try {
      return { scriptPubKey: decodeAddress(address, wallet.network).scriptPubKey, amountSats: amount };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      refused.push(error.at(`recipients[${index}].address`));
      return null;
    }
  });
  if (refused.length > 0) refuseAll([...refused, ...recipientProblems(recipients)]);
  const known = recipients as PaymentRecipient[];
  // Last, so that the others keep the positions that callers know them by.
  return request.data === undefined ? known : [...known, { scriptPubKey: dataScript(request.data), amountSats: 0n }];
}

function attempt(plan: () => PaymentPlan): { plan: PaymentPlan } | { error: unknown } {
  try {
    return { plan: plan() };
  } catch (error) {
    return { error };
  }
}
