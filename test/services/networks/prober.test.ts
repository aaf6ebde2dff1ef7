/** Who is probed when: accounts in turn, one node once however many name it, and ever more seldom while it is away. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { NodeRefused } from '../../../src/core/nodes/node-refused.ts';
import type { Worker } from '../../../src/scheduling/worker.ts';
import { createProber } from '../../../src/services/networks/prober.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent, type TemporarySqlite } from '../../builders/stores.ts';

const MINUTE = 60_000;
let sqlite: TemporarySqlite;
let worker: Worker;
let now = 1_000_000;
let asked: string[];
let probe: (target: string, accountId: AccountId) => Promise<{ claimedHeight: number | null } | null>;
const ACCOUNTS = Array.from({ length: 30 }, (_, at): AccountId => `acc_${String(at).padStart(2, '0')}`);

beforeAll(async () => {
  sqlite = await openTemporarySqlite();
  const { store } = sqlite;
  await store.write(async (tx) => {
    for (const accountId of ACCOUNTS) await tx.accounts.insert(accountRecord(accountId));
  });
  worker = createProber({
    ...{ store, network: 'regtest', clock: () => now, randomBytes, log: silent, random: () => 0.5, roundMs: 3_600_000 },
    probing: {
      probe: async ({ target }, { accountId }) => {
        asked.push(target);
        const found = await probe(target, accountId);
        return found === null ? null : { protocolVersion: 70016, userAgent: '/x/', ...found };
      },
    },
  });
  worker.start();
});
afterAll(async () => {
  await worker.stop();
  await sqlite.close();
});
beforeEach(() => {
  asked = [];
  probe = async () => ({ claimedHeight: 5 });
  now += 24 * 3_600_000;
});

let made = 0;
async function name(accountId: AccountId, ...targets: string[]): Promise<string> {
  const networkId = `net_${++made}`;
  await sqlite.store.write(async (tx) => {
    await tx.networks.insert({ accountId, networkId, name: 'n', createdAt: now, updatedAt: now });
    const node = (target: string, position: number) => ({ node: target, target, position, addedAt: now });
    await tx.networks.putNodes(
      accountId,
      networkId,
      targets.map((target, at) => ({ accountId, networkId, ...node(target, at) })),
    );
    await tx.nodeProbes.ask(targets, now);
  });
  return networkId;
}
const remove = (accountId: AccountId, networkId: string) =>
  sqlite.store.write((tx) => tx.networks.delete(accountId, networkId));
const find = (target: string) => sqlite.store.read.nodeProbes.find(target);
/** A round after this, and all that it found done. */
async function settled(): Promise<void> {
  worker.wake();
  await expect.poll(async () => (await sqlite.store.read.nodeProbes.due(now, { ofEach: 1, all: 1 })).length).toBe(0);
}

it('asks a node once, however many accounts name it how often, and not again within a minute', async () => {
  const all = await Promise.all(ACCOUNTS.map((account) => name(account, 'one:1')));
  await settled();
  expect(asked).toEqual(['one:1']);
  expect(await find('one:1')).toMatchObject({ problem: null, claimedHeight: 5, lag: null, nextAt: now + 10 * MINUTE });
  now += MINUTE - 1;
  all.push(await name('acc_00', 'one:1'));
  await settled();
  expect(asked).toHaveLength(1);
  now += 1;
  await settled();
  expect(asked).toHaveLength(2);
  // Made and deleted again and again, it is asked no more often.
  for (let turn = 0; turn < 5; turn++) await remove('acc_00', await name('acc_00', 'one:1'));
  await settled();
  expect(asked).toHaveLength(2);
  await Promise.all(all.map((id, at) => remove(ACCOUNTS[at] ?? 'acc_00', id)));
  now += 60 * MINUTE;
  await settled();
  expect([asked.length, await find('one:1')]).toEqual([2, null]);
});

it('asks a node that is away ever more seldom, and one that is back at the interval', async () => {
  probe = () => Promise.reject(new NodeRefused('no_connection'));
  const id = await name('acc_00', 'away:1');
  const pauses: number[] = [];
  for (let turn = 0; turn < 11; turn++) {
    await settled();
    const { nextAt, problem } = (await find('away:1'))!;
    expect(problem).toBe('no_connection');
    pauses.push((nextAt - now) / MINUTE);
    now = nextAt;
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
  probe = async () => ({ claimedHeight: null });
  await settled();
  expect(await find('away:1')).toMatchObject({ problem: null, failures: 0, nextAt: now + 10 * MINUTE });
  await remove('acc_00', id);
});

it('asks for one account while another waits for slow nodes', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  probe = async (target) => {
    if (target.startsWith('slow')) await held;
    return { claimedHeight: 1 };
  };
  const slow = await name('acc_00', ...Array.from({ length: 100 }, (_, at) => `slow-${at}:1`));
  const quick = await name('acc_01', 'quick:1');
  worker.wake();
  await expect.poll(async () => (await find('quick:1'))?.probedAt).toBe(now);
  expect(asked.filter((one) => one.startsWith('slow'))).toHaveLength(4);
  release();
  await settled();
  expect(new Set(asked).size).toBe(101);
  await remove('acc_00', slow);
  await remove('acc_01', quick);
});

it('asks again later where the address was asked just now, and puts off no other account by that', async () => {
  const ATTACKER = 'acc_00';
  const names = Array.from({ length: 99 }, (_, at) => `name-${at}:1`);
  let isFree = false;
  probe = async (_, accountId) => (accountId === ATTACKER && !isFree ? null : { claimedHeight: 1 });
  const attack = await name(ATTACKER, 'again:1', ...names);
  worker.wake();
  await expect.poll(() => asked.length).toBe(100);
  expect(await find('again:1')).toMatchObject({ probedAt: null });
  // Another's node of the same name, and one of the same address.
  const honest = await name('acc_01', 'again:1', 'mine:1');
  worker.wake();
  await expect.poll(async () => (await find('mine:1'))?.probedAt).toBe(now);
  await expect.poll(async () => (await find('again:1'))?.probedAt).toBe(now);
  expect(asked).toHaveLength(102);
  isFree = true;
  now += MINUTE;
  await settled();
  expect(new Set(asked.slice(102))).toEqual(new Set(names));
  await remove(ATTACKER, attack);
  await remove('acc_01', honest);
});
