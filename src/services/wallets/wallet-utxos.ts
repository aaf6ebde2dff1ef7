import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { outpointKey } from '../../core/outpoint.ts';
import type { CoinRecord, WalletRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { scriptOfAddress } from '../ledger/script-address.ts';
import { refuseTreasury } from '../policies/treasuries.ts';
import { recordRequest } from '../requests/record-request.ts';
import { followedHeight, requireWallet, type WalletDependencies } from './wallet-dependencies.ts';
import type { CoinView, WalletService } from './wallet-service.ts';

interface Now {
  readonly tip: number;
  /** Txids of deposits that are frozen for a screening list. */
  readonly screened: ReadonlySet<string>;
}

/** Coins of such deposits are locked. */
const screenedAmong = (
  { screenedDeposits }: Pick<Repositories, 'screenedDeposits'>,
  accountId: AccountId,
  coins: readonly CoinRecord[],
): Promise<Set<string>> =>
  screenedDeposits.frozenAmong(accountId, [...new Set(coins.filter(({ locked }) => locked).map(({ txid }) => txid))]);

export function createWalletUtxos(
  deps: Pick<WalletDependencies, 'store' | 'pool'>,
): Pick<WalletService, 'listUtxos' | 'flagUtxos'> {
  const { store, pool } = deps;

  /** Derivation is dear: the address is that of the script's row. */
  function view(wallet: WalletRecord, coin: CoinRecord, address: string | null | undefined, now: Now): CoinView {
    const model = pool.model(wallet);
    return {
      ...coin,
      address: address ?? model.scriptAt(coin.change, coin.index).address,
      path: model.pathAt(coin.change, coin.index),
      confirmations: coin.height === null ? 0 : Math.max(now.tip - coin.height + 1, 0),
      screened: now.screened.has(coin.txid),
    };
  }

  return {
    async listUtxos(walletId, filter, page, context) {
      const { read } = store;
      const wallet = await requireWallet(read, context.accountId, walletId);
      const tip = await followedHeight(read);
      const { address, ...states } = filter;
      // What is no address is no script either: no coin has it.
      const script = address && { scriptPubKey: scriptOfAddress(address, wallet.network) ?? address };
      const found = await read.coins.list(context.accountId, walletId, { ...states, ...script }, page);
      const screened = await screenedAmong(read, context.accountId, found.data);
      return { ...found, data: found.data.map((coin) => view(wallet, coin, coin.address, { tip, screened })) };
    },

    flagUtxos: (walletId, outpoints, flags, context) =>
      store.write(async (tx) => {
        const { accountId } = context;
        const wallet = await requireWallet(tx, accountId, walletId);
        if (('locked' in flags && flags.locked) || ('frozen' in flags && flags.frozen))
          await refuseTreasury(tx, accountId, [walletId], 'none can be locked or frozen');
        const tip = await followedHeight(tx);
        const coins = await tx.coins.findMany(accountId, outpoints);
        const screened = await screenedAmong(tx, accountId, coins);
        const unspent = new Map(
          coins
            .filter((coin) => coin.walletId === walletId && coin.live && coin.spentBy === null)
            .map((coin) => [outpointKey(coin), coin]),
        );
        const result: CoinView[] = [];
        for (const [position, outpoint] of outpoints.entries()) {
          const coin = unspent.get(outpointKey(outpoint));
          if (!coin) {
            throw new DomainError('not_found', `${outpointKey(outpoint)} is not an unspent coin of this wallet`, {
              field: `outpoints[${position}]`,
            });
          }
          if ('locked' in flags && !flags.locked && screened.has(coin.txid)) {
            const how = 'release it first (/api/v1/compliance/screened-deposits)';
            throw new DomainError('state_conflict', `deposit ${coin.txid} is frozen for a screening list: ${how}`, {
              field: `outpoints[${position}]`,
            });
          }
          await tx.coins.setFlags(accountId, walletId, outpoint, flags);
          const script = await tx.scripts.find(accountId, walletId, coin.change, coin.index);
          result.push(view(wallet, { ...coin, ...flags }, script?.address, { tip, screened }));
        }
        await recordRequest(tx, context, { result, target: walletId });
        return result;
      }),
  };
}
