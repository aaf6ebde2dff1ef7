/** Another process takes or freezes a coin while a contract is committed: nothing is written of that try, and the next one holds what it has. */

import { expect, it } from 'vitest';
import type { AccountId, WalletId } from '../../../src/core/ids.ts';
import type { Outpoint, Txid } from '../../../src/core/outpoint.ts';
import type { Repositories, Store } from '../../../src/store/store.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

const ELSEWHERE = 'ee'.repeat(32) as Txid;
type Meddle = (tx: Repositories, accountId: AccountId, walletId: WalletId, coin: Outpoint) => Promise<unknown>;

/** Before the first claim of coins, and within its job. */
function meddling(store: Store, walletId: WalletId, meddle: Meddle): Store {
  let once = true;
  const over = <T extends object>(target: T, own: Partial<T>): T =>
    new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(name in own ? own : target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const seen = (tx: Repositories): Repositories =>
    over(tx, {
      coins: over(tx.coins, {
        async claim(accountId, outpoints, ...rest) {
          const [coin] = outpoints;
          if (once && coin) {
            once = false;
            await meddle(tx, accountId, walletId, coin);
          }
          return tx.coins.claim(accountId, outpoints, ...rest);
        },
      }),
    });
  return over(store, { write: (job) => store.write((tx) => job(seen(tx))) });
}

it.each<[string, Meddle]>([
  ['claimed', (tx, accountId, _walletId, coin) => tx.coins.claim(accountId, [coin], ELSEWHERE)],
  ['frozen', (tx, accountId, walletId, coin) => tx.coins.setFlags(accountId, walletId, coin, { frozen: true })],
])('a coin that is %s meanwhile is none of the contract’s', async (_what, meddle) => {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC]);
  const { contracts } = c.reopen({ store: meddling(c.store, wallet.walletId, meddle) });
  const made = await contracts.create(c.terms(wallet), c.context());
  expect(made.status, made.reason ?? '').toBe('funded');
  const coins = await c.store.read.coins.findMany(c.accountId, made.offerSide!.inputs);
  expect(coins).toHaveLength(1);
  expect(coins[0]).toMatchObject({ frozen: false, spentBy: made.fundingTxid });
});
