/** A wallet's coins as selection sees them. */
import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import { type Outpoint, outpointKey, type Txid } from '../../../core/outpoint.ts';
import type { ScriptType } from '../../../core/script-type.ts';
import type { WalletModel } from '../../../core/wallets/wallet-model.ts';
import type { CoinRecord, WalletId, WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { canSign } from '../../wallets/wallet-keys.ts';
import type { AncestryLookup } from './ancestry.ts';

/** Unconfirmed parents whose ancestry is looked up; coins of further ones wait for their confirmation. */
const MAX_PARENTS = 200;

export interface CandidateModel {
  readonly scriptType: ScriptType;
  /** Where others sign: their signatures may be longer than ours. */
  readonly inputWeight?: number;
  readonly olderBlocks?: number;
}

export const candidateModel = (
  { scriptType, inputWeight, timelocks }: Pick<WalletModel, 'scriptType' | 'inputWeight' | 'timelocks'>,
  wallet: Pick<WalletRecord, 'type' | 'secret'>,
): CandidateModel =>
  canSign(wallet) ? { scriptType } : { scriptType, inputWeight, olderBlocks: timelocks().olderBlocks };

export function toCandidate(coin: CoinRecord, model: CandidateModel, tipHeight: number): CandidateCoin {
  const { txid, vout, amountSats, scriptPubKey, change, index, own, coinbase, txVersion, height } = coin;
  return {
    txid,
    vout,
    amountSats,
    scriptPubKey,
    scriptType: model.scriptType,
    change,
    index,
    own,
    coinbase,
    txVersion,
    confirmations: height === null ? 0 : Math.max(1, tipHeight - height + 1),
    ...(model.inputWeight === undefined ? {} : { inputWeight: model.inputWeight }),
    ...(model.olderBlocks ? { olderBlocks: model.olderBlocks } : {}),
  };
}

/** Adds the ancestry of unconfirmed coins' transactions, of the most valuable ones first. */
export async function withAncestry(
  candidates: readonly CandidateCoin[],
  lookup: AncestryLookup,
): Promise<CandidateCoin[]> {
  const parents = new Map<Txid, bigint>();
  for (const coin of candidates) {
    if (coin.confirmations === 0) parents.set(coin.txid, (parents.get(coin.txid) ?? 0n) + coin.amountSats);
  }
  const byWorth = [...parents].sort((a, b) => (a[1] > b[1] ? -1 : 1)).slice(0, MAX_PARENTS);
  const known = new Map(await Promise.all(byWorth.map(async ([txid]) => [txid, await lookup.of(txid)] as const)));
  return candidates.flatMap((coin) => {
    if (coin.confirmations > 0) return [coin];
    if (!known.has(coin.txid)) return [];
    return [{ ...coin, ancestry: known.get(coin.txid) ?? null }];
  });
}

/**
 * Coins that the caller names and that are not among the free ones: frozen ones may be spent this way. Throws `coin_unavailable` naming what
 * stands in the way.
 */
export async function namedCoins(
  read: Pick<Repositories, 'coins'>,
  wallet: { accountId: AccountId; walletId: WalletId },
  include: readonly Outpoint[],
  coins: { isTaken(outpoint: string): boolean; candidates(): readonly CandidateCoin[] },
): Promise<CoinRecord[]> {
  if (include.length === 0) return [];
  const free = new Set(coins.candidates().map(outpointKey));
  const missing = include.filter((outpoint) => !free.has(outpointKey(outpoint)));
  if (missing.length === 0) return [];
  const found = await read.coins.findMany(wallet.accountId, missing);
  const byKey = new Map(
    found.filter((coin) => coin.walletId === wallet.walletId).map((coin) => [outpointKey(coin), coin]),
  );
  return missing.map((outpoint) => {
    const key = outpointKey(outpoint);
    const coin = byKey.get(key);
    const problem = problemOf(coin, coins.isTaken(key));
    if (!problem) return coin!;
    const index = include.findIndex((one) => outpointKey(one) === key);
    throw new DomainError('coin_unavailable', `coin ${key} cannot be spent: ${problem}`, {
      field: `coin_control.include[${index}]`,
    });
  });
}

/** Those of the outpoints that are free coins of the wallet. */
export async function spendableAmong(
  read: Pick<Repositories, 'coins'>,
  { accountId, walletId }: { accountId: AccountId; walletId: WalletId },
  outpoints: readonly Outpoint[],
): Promise<CoinRecord[]> {
  if (outpoints.length === 0) return [];
  const found = await read.coins.findMany(accountId, outpoints);
  return found.filter((coin) => coin.walletId === walletId && !coin.frozen && problemOf(coin, false) === null);
}

function problemOf(coin: CoinRecord | undefined, taken: boolean): string | null {
  if (!coin) return 'the wallet has no such coin';
  if (!coin.live) return 'the transaction that made it is no longer valid';
  if (coin.spentBy !== null) return `transaction ${coin.spentBy} spends it`;
  if (taken) return 'another payment is taking it';
  return coin.locked ? 'it is locked: unlock it first' : null;
}
