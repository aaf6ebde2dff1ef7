/** A transaction that is not stored yet, with what was taken in memory for it (nothing, in a dry run): coins and a change script. */
import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { DomainError } from '../../../core/errors.ts';
import { ecc } from '../../../core/keys/ecc.ts';
import { outpointKey } from '../../../core/outpoint.ts';
import type { PaymentPlan } from '../../../core/payments/payment-plan.ts';
import { buildTransaction, txidOf } from '../../../core/transactions/build-transaction.ts';
import { signTransaction } from '../../../core/transactions/sign-transaction.ts';
import type { KeyRing } from '../../../core/transactions/signing-input.ts';
import type { WalletRecord } from '../../../store/records.ts';
import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import type { ChangeLease } from '../../wallets/script-pool.ts';
import { canSign, type OpenKeyRing } from '../../wallets/wallet-keys.ts';
import { candidateModel } from '../coins/candidates.ts';
import type { CoinLeases } from '../coins/coin-leases.ts';
import type { CoinReading, CoinSupply } from '../coins/coin-supply.ts';
import type { ComposePsbt } from '../signing/compose-psbt.ts';
import type { Batch } from './batch.ts';
import type { BuiltTransaction } from './built-transaction.ts';

/** A payment waits this many times for another one of its wallet to end, where its change may be what is missing. */
const MAX_WAITS = 200;

export interface Draft {
  readonly built: BuiltTransaction;
  /** It is in the database: the coins are claimed there. */
  committed(): void;
  /** It will not be: coins and change script are free again. */
  discard(): void;
}

/** What a transaction is beyond its plan. */
export type Particulars = Pick<
  BuiltTransaction,
  'kind' | 'rbf' | 'recipients' | 'label' | 'externalId' | 'replaces' | 'insists'
>;

export interface DraftTools {
  readonly reading: CoinReading;
  readonly change: ChangeLease;
  /** The wallet's free coins at this moment; ask again after every wait. */
  candidates(): CandidateCoin[];
  /** Leases the plan's coins and signs, where the keys are here. Synchronous: between `candidates` and this, without a wait, no other payment comes. */
  seal(plan: PaymentPlan, particulars: Particulars): Draft;
}

interface DraftOptions {
  /** False for a dry run: nothing is kept from other payments. */
  readonly hold: boolean;
  readonly tipHeight: number;
  readonly batch?: Batch;
  /** The coins as of now, and not of a moment ago: for payments of all there is. */
  readonly fresh?: boolean;
  /** Outpoints ("txid:vout") that are spent again and need no lease: a replacement's. */
  readonly respends?: ReadonlySet<string>;
}

export interface Drafts {
  /**
   * Opens the wallet's keys, takes a change script (a dry run only looks at one) and hands both to `compose`, again where it finds too
   * little while other payments of the wallet are under way. Without all keys here the draft has a PSBT, or neither that nor bytes in a dry run. Throws
   * `signing_unavailable` and whatever `compose` throws; then nothing is taken.
   */
  open(
    wallet: WalletRecord,
    options: DraftOptions,
    compose: (tools: DraftTools) => Draft | Promise<Draft>,
  ): Promise<Draft>;
}

export function createDrafts(deps: {
  scripts: ScriptPool;
  openKeyRing: OpenKeyRing;
  composePsbt: ComposePsbt;
  supply: CoinSupply;
  leases: CoinLeases;
  randomBytes: (size: number) => Uint8Array;
}): Drafts {
  const { scripts, supply, leases, randomBytes } = deps;

  function toolsOf(
    wallet: WalletRecord,
    options: DraftOptions,
    given: { reading: CoinReading; change: ChangeLease; ring: KeyRing | null },
  ): DraftTools {
    const { change, ring } = given;
    const { batch } = options;
    const reading = batch && !options.hold ? without(given.reading, batch) : given.reading;
    const model = candidateModel(scripts.model(wallet), wallet);
    return {
      reading,
      change,
      candidates: () => [...reading.candidates(model, options.tipHeight), ...(batch?.coins(wallet.walletId) ?? [])],
      seal(plan, particulars) {
        const fresh = plan.inputs
          .map((input) => outpointKey(input))
          .filter((key) => !options.respends?.has(key) && !batch?.made(key));
        const lease = options.hold ? leases.lease(wallet.walletId, fresh) : null;
        try {
          const { txid, unsignedTxid, raw, vsize } = ring
            ? signTransaction(plan, ring, { ecc, randomBytes })
            : unsignedTransaction(plan);
          const { inputs, outputs, version, locktime, feeSats, ancestorFeeSats } = plan;
          const usesLease = outputs.some((output) => output.scriptPubKey === change.scriptPubKey);
          const changeLease = usesLease ? change : null;
          return {
            built: {
              ...particulars,
              ...{ txid, unsignedTxid, raw, psbt: null, vsize, wallet, feeSats, version, locktime, inputs, outputs },
              ancestorFeeSats,
              changeLease,
            },
            committed() {
              lease?.release();
              if (!changeLease) scripts.returnChange(wallet, change);
            },
            discard() {
              lease?.release();
              supply.forget(wallet.walletId);
              scripts.returnChange(wallet, change);
            },
          };
        } catch (error) {
          lease?.release();
          throw error;
        }
      },
    };
  }

  /** A dry run's transaction is for nobody to sign: its coins are not kept for it. */
  async function withPsbt(draft: Draft, { hold }: DraftOptions): Promise<Draft> {
    if (draft.built.raw !== null || !hold) return draft;
    try {
      return { ...draft, built: await deps.composePsbt(draft.built) };
    } catch (error) {
      draft.discard();
      throw error;
    }
  }

  const open: Drafts['open'] = async (wallet, options, compose) => {
    const ring = canSign(wallet) ? await deps.openKeyRing(wallet) : null;
    try {
      // A batch's drafts have a script each, in a dry run, too: coins of one script may be spent together.
      const change = await (options.hold
        ? scripts.leaseChange(wallet)
        : scripts.peekChange(wallet, options.batch?.nodes.length ?? 0));
      try {
        let fresh = options.fresh ?? false;
        for (let waits = 0; ; waits++) {
          const reading = await supply.open(wallet.accountId, wallet.walletId, { fresh });
          fresh = true;
          try {
            return await compose(toolsOf(wallet, options, { reading, change, ring }));
          } catch (error) {
            if (waits >= MAX_WAITS || !isShortage(error)) throw error;
            if (!reading.fresh || reading.isOutdated()) continue;
            // A batch keeps its coins until all of it is built: if it waited, two could wait for each other for ever.
            if (!leases.isBusy(wallet.walletId) || options.batch?.holdsCoins()) throw error;
            await leases.nextRelease(wallet.walletId);
          } finally {
            reading.close();
          }
        }
      } catch (error) {
        scripts.returnChange(wallet, change);
        throw error;
      }
    } finally {
      ring?.dispose();
    }
  };

  return {
    open: async (wallet, options, compose) => withPsbt(await open(wallet, options, compose), options),
  };
}

/** No lease keeps the coins of a dry run's batch from its later payments. */
const without = (reading: CoinReading, batch: Batch): CoinReading => ({
  ...reading,
  candidates: (...asked) => reading.candidates(...asked).filter((coin) => !batch.spends(outpointKey(coin))),
  isTaken: (outpoint) => reading.isTaken(outpoint) || batch.spends(outpoint),
});

function unsignedTransaction(
  plan: PaymentPlan,
): Pick<BuiltTransaction, 'txid' | 'unsignedTxid' | 'vsize'> & { raw: null } {
  const txid = txidOf(buildTransaction(plan));
  return { txid, unsignedTxid: txid, raw: null, vsize: plan.vsize };
}

const isShortage = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'insufficient_funds' || error.code === 'nothing_to_spend');
