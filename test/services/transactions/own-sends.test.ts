/** A payment that is written whole when it is sent is not looked at a second time; a look at everything would find nothing more. */
import { randomBytes } from 'node:crypto';
import { address as addressCodec } from 'bitcoinjs-lib';
import { expect, it, onTestFinished } from 'vitest';
import { createSimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { networkParameters } from '../../../src/core/network.ts';
import { openBranch } from '../../../src/core/wallets/descriptor-branch.ts';
import { startTestApp } from '../../builders/app.ts';
import { cosigner } from '../../builders/cosigner.ts';
import { databaseState } from '../../builders/database-state.ts';
import { eventually } from '../../builders/service-process.ts';
import { silent } from '../../builders/stores.ts';
import { outsider } from './payments-setup.ts';

async function funded() {
  const chain = await createSimulatedChain({ clock: Date.now, randomBytes, log: silent });
  const fetched: string[] = [];
  let before = async () => {};
  const app = await startTestApp({
    chain: {
      ...chain,
      async broadcast(raw) {
        await before();
        return chain.broadcast(raw);
      },
      mempoolTransactions(txids) {
        fetched.push(...txids);
        return chain.mempoolTransactions(txids);
      },
    },
  });
  const state = databaseState(app.dataDir);
  onTestFinished(async () => {
    state.close();
    await app.close();
    await chain.close();
  });
  const newWallet = async (name: string, apiKey = app.adminKey) =>
    (await app.post('/api/v1/wallets', { name, type: 'segwit', backup_type: 'none' }, { apiKey })).body.wallet_id;
  const newAddress = async (wallet: string, apiKey = app.adminKey) =>
    (await app.post(`/api/v1/wallets/${wallet}/addresses`, undefined, { apiKey })).body.address as string;
  const wallet = await newWallet('payer');
  for (let i = 0; i < 8; i++) {
    const script = addressCodec.toOutputScript(await newAddress(wallet), networkParameters('regtest'));
    await chain.mine(1, Buffer.from(script).toString('hex'));
  }
  await chain.mine(100, '51');
  await app.synced();
  const { follower } = app.app.services;
  return {
    ...{ app, chain, state, wallet, fetched, follower, newWallet, newAddress },
    beforeSending(work: typeof before) {
      before = work;
    },
    async pay(address: string) {
      const recipients = [{ address, amount: '0.1' }];
      const paid = await app.post('/api/v1/transactions', { recipients, fee_rate: '2', rbf: true, wallet_id: wallet });
      expect(paid.body.status, paid.text).toBe('broadcast');
      return paid.body.txid as string;
    },
    /** Until the follower has looked at the mempool as it is. */
    async looked() {
      const before = follower.counts();
      follower.wake();
      await eventually(
        'a round of the follower',
        async () => JSON.stringify(follower.counts()) !== JSON.stringify(before),
      );
    },
  };
}

it('is not fetched from the mempool, and what it paid to others is', async () => {
  const world = await funded();
  const plain = [await world.pay(outsider('one')), await world.pay(outsider('two'))];
  const another = await world.app.anotherAccount();
  const theirs = await world.newWallet('theirs', another.apiKey);
  const toThem = await world.pay(await world.newAddress(theirs, another.apiKey));
  const deposit = `/api/v1/transactions/${toThem}`;
  await eventually('the deposit of the other account', async () => {
    world.follower.wake();
    return (await world.app.get(deposit, { apiKey: another.apiKey })).status === 200;
  });
  expect(world.fetched).toContain(toThem);
  for (const txid of plain) expect(world.fetched).not.toContain(txid);
});

it('leaves nothing to be found by a look at the whole mempool', async () => {
  const world = await funded();
  await world.pay(outsider('one'));
  await world.pay(await world.newAddress(world.wallet));
  const original = await world.pay(outsider('two'));
  const bumped = await world.app.post(`/api/v1/transactions/${original}/bump`, { fee_rate: '9' });
  expect(bumped.status, bumped.text).toBe(201);
  await world.pay(outsider('three'));
  // What is not written whole by its sender is by the follower.
  await world.follower.refreshMempool();
  await world.pay(outsider('four'));
  const before = world.state.contents();
  await world.follower.refreshMempool();
  expect(world.state.contents()).toEqual(before);
});

it('is looked at where a wallet that it pays came while it was sent', async () => {
  const world = await funded();
  const another = await world.app.anotherAccount();
  const descriptor = `wpkh(${cosigner('late').key(84, 1, 0)}/0/*)`;
  const late = { name: 'late', type: 'watch-only', backup_type: 'none', descriptor, birthday: 0 };
  world.beforeSending(async () => {
    world.beforeSending(async () => {});
    const made = await world.app.post('/api/v1/wallets', late, { apiKey: another.apiKey });
    expect(made.status, made.text).toBe(201);
    // Its own look at the mempool finds nothing.
    await eventually('the scan', async () => {
      const { body } = await world.app.get(`/api/v1/wallets/${made.body.wallet_id}`, { apiKey: another.apiKey });
      return body.scan.state === 'idle';
    });
  });
  const txid = await world.pay(openBranch(descriptor, 'regtest').scriptAt(0).address as string);
  await eventually('the deposit of the wallet', async () => {
    world.follower.wake();
    return (await world.app.get(`/api/v1/transactions/${txid}`, { apiKey: another.apiKey })).status === 200;
  });
});

it('is looked at in a look at the whole mempool', async () => {
  const world = await funded();
  const paid = await world.pay(outsider('one'));
  await world.follower.refreshMempool();
  expect(world.fetched).toContain(paid);
});
