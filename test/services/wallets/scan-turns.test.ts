/** Whoever has asked for many rescans keeps no other account waiting for them. */
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import type { CreateWalletRequest } from '../../../src/services/wallets/wallet-service.ts';
import { openWalletHouse, type WalletHouse } from './wallet-house.ts';

const ELSEWHERE = '0014751e76e8199196d454941c45d1b3a323f1433bd6';
const HOT: CreateWalletRequest = { name: 'Hot', type: 'segwit', backupType: 'none' };
let house: WalletHouse;
afterEach(() => house[Symbol.asyncDispose]());

it('scans of accounts take turns, in slices, whichever wallets are older', async () => {
  const done: string[] = [];
  const log = pino({}, { write: (line: string) => void note(JSON.parse(line)) });
  const note = ({ outcome, walletId }: { outcome?: string; walletId: string }) => {
    if (outcome === 'done') done.push(walletId);
  };
  house = await openWalletHouse({ log });
  const { chain, wallets, store } = house;
  chain.matchingBlocks = async () => null;
  await chain.mine(40, ELSEWHERE);
  const make = async (accountId: string) => (await wallets.create(HOT, house.context(accountId))).wallet.walletId;
  const old: string[] = [];
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
