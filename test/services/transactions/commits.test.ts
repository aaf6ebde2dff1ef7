/** What stands in memory and what in the database when a payment is committed, fails to be, or is read again later. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { createSender } from '../../../src/services/transactions/sending/sender.ts';
import { silent } from '../../builders/stores.ts';
import { BTC, openPayments, type Payments } from './payments-setup.ts';

type Wallet = Parameters<Payments['pay']>[0];
const create = (p: Pick<Payments, 'transactions'>, of: Payments, wallet: Wallet, sats: bigint | 'max') =>
  p.transactions.create(of.pay(wallet, sats), { dryRun: false }, of.context());

async function funded(coins: readonly bigint[]) {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(wallet, coins);
  return { p, wallet };
}

describe('a commit that fails', () => {
  it('leaves the coins to the next payment', async () => {
    const { p, wallet } = await funded([BTC]);
    await p.settle();
    const { write } = p.store;
    p.store.write = async () => {
      p.store.write = write;
      throw new Error('the disk is full');
    };
    await expect(create(p, p, wallet, BTC / 4n)).rejects.toThrow('the disk is full');
    expect(await p.mempool()).toEqual([]);
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
    expect((await create(p, p, wallet, 'max')).status).toBe('broadcast');
  });
});

describe('change', () => {
  it('goes to a script of its own, also after a restart', async () => {
    const { p, wallet } = await funded([BTC, BTC]);
    const scripts: string[] = [];
    for (const process of [p, p.restart(), p.restart()]) {
      const { raw } = await create(process, p, wallet, BTC / 4n);
      scripts.push(...parseTransaction(raw!).outputs.map((output) => output.scriptPubKey));
    }
    // One payee for all.
    expect(new Set(scripts).size).toBe(1 + 3);
  });
});

describe('a payment that was read to be sent again', () => {
  it('and was given up since is not sent', async () => {
    const { p, wallet } = await funded([BTC]);
    p.onBroadcast(() => 'unreachable');
    const paid = await create(p, p, wallet, BTC / 4n);
    const read = (await p.store.read.transactions.find(p.accountId, paid.txid))!;
    await p.transactions.abandon(paid.txid, p.context());
    p.onBroadcast(() => 'pass');
    const sender = createSender({ store: p.store, chain: p.chain, clock: Date.now, log: silent });
    expect(await sender.resend(read)).toBe(null);
    expect(await p.mempool()).toEqual([]);
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
  });

  it('waits while it is being given up, and is then not sent', async () => {
    const { p, wallet } = await funded([BTC]);
    p.onBroadcast(() => 'unreachable');
    const paid = await create(p, p, wallet, BTC / 4n);
    const read = (await p.store.read.transactions.find(p.accountId, paid.txid))!;
    const sender = createSender({ store: p.store, chain: p.chain, clock: Date.now, log: silent });
    const givingUp = sender.locked(paid.txid, async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await p.transactions.abandon(paid.txid, p.context());
    });
    expect(await sender.resend(read)).toBe(null);
    await givingUp;
    expect(await p.mempool()).toEqual([]);
  });
});
