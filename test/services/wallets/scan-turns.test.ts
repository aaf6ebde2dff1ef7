/** Whoever has asked for many scans keeps no other account waiting for them. */

import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import type { AccountId, WalletId } from '../../../src/core/ids.ts';
import { createAddressScanner } from '../../../src/services/addresses/address-scanner.ts';
import type { CreateWalletRequest } from '../../../src/services/wallets/wallet-service.ts';
import { openWalletSetup, type WalletSetup } from './wallet-setup.ts';

const ELSEWHERE = '0014751e76e8199196d454941c45d1b3a323f1433bd6';
const HOT: CreateWalletRequest = { name: 'Hot', type: 'segwit', backupType: 'none' };
let house: WalletSetup;
afterEach(() => house[Symbol.asyncDispose]());

/** The scans that are done, in order. */
function noting() {
  const done: string[] = [];
  const note = ({ outcome, walletId, scanId }: { outcome?: string; walletId?: string; scanId: string }) => {
    if (outcome === 'done') done.push(walletId ?? scanId);
  };
  return { done, log: pino({}, { write: (line: string) => void note(JSON.parse(line)) }) };
}

it('scans of accounts take turns, in slices, whichever wallets are older', async () => {
  const { done, log } = noting();
  house = await openWalletSetup({ log });
  const { chain, wallets, store } = house;
  chain.matchingBlocks = async () => null;
  await chain.mine(40, ELSEWHERE);
  const make = async (accountId: AccountId) => (await wallets.create(HOT, house.context(accountId))).wallet.walletId;
  const old: WalletId[] = [];
  for (let at = 0; at < 2; at++) old.push(await make('acc_one'));
  const young = await make('acc_two');
  for (const [accountId, walletId] of [...old.map((id) => ['acc_one', id] as const), ['acc_two', young] as const]) {
    const scan = { state: 'queued', fromHeight: 0, atHeight: null, toHeight: null, error: null } as const;
    await store.write((tx) => tx.wallets.setScan(accountId, walletId, scan));
  }
  await house.follow();
  for (const walletId of [...old, young]) await house.scanned(walletId);
  expect(done).toHaveLength(3);
  // A turn of this test's is one batch of blocks: the two accounts' first scans end side by side.
  expect(done.indexOf(young)).toBeLessThanOrEqual(1);
  expect(done.filter((walletId) => walletId !== young)).toEqual(old);
});

it('so do scans of addresses', async () => {
  house = await openWalletSetup();
  const { chain, store } = house;
  chain.matchingBlocks = async () => null;
  await chain.mine(60, ELSEWHERE);
  await house.follow();
  await house.synced();
  const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  for (const [at, accountId] of (['acc_one', 'acc_one', 'acc_two'] as const).entries()) {
    const queued = {
      state: 'queued',
      fromHeight: 0,
      atHeight: null,
      atHash: null,
      toHeight: null,
      error: null,
    } as const;
    const scan = { scanId: `scn_${at}`, accountId, address, scriptPubKey: ELSEWHERE, ...queued, restarts: 0 };
    await store.write((tx) =>
      tx.addressScans.insert({ ...scan, fromHeight: at === 2 ? 50 : 0, createdAt: at, finishedAt: null }),
    );
  }
  const [{ done, log }, ending] = [noting(), new AbortController()];
  const scanner = createAddressScanner({ store, chain, log, clock: Date.now, randomBytes, sliceMs: 0 });
  const running = scanner.run(ending.signal);
  await expect.poll(() => done, { timeout: 90_000 }).toHaveLength(3);
  ending.abort();
  await running;
  // One batch of blocks in its own turn, while the oldest has four to go.
  expect(done[0]).toBe('scn_2');
  for (const [scanId, accountId, coins] of [
    ['scn_0', 'acc_one', 60],
    ['scn_2', 'acc_two', 11],
  ] as const)
    expect(await store.read.addressScans.countCoins({ scanId, accountId })).toBe(coins);
});
