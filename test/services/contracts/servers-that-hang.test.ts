/** Oracles are asked once more before a refund: servers that hang hold up the contract that they are asked for, and no other. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { serializeAnnouncement } from '../../../src/core/dlc/messages/announcement.ts';
import type { ContractId, OracleId } from '../../../src/core/ids.ts';
import { createFetching } from '../../../src/engines/fetching/create-fetching.ts';
import type { HeldOperation } from '../../../src/services/approvals/held-operation.ts';
import { requireStillOpen } from '../../../src/services/contracts/remote/answers/still-open.ts';
import { createExecuteContract } from '../../../src/services/contracts/settlement/execute-contract.ts';
import { createLastOracleQuery } from '../../../src/services/contracts/settlement/last-oracle-query.ts';
import type { AskedAttestation } from '../../../src/services/oracles/oracle-service.ts';
import type { RequestContext } from '../../../src/services/requests/request-context.ts';
import type { Repositories, Store } from '../../../src/store/store.ts';
import { contractRecord } from '../../builders/contract-records.ts';
import { coinTossInfo, testContract } from '../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../builders/dlc-oracle.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

/** However busy the machine is. */
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 5 });

/** Takes every question and answers none. */
async function hangingServer() {
  const asked: string[] = [];
  const server = createServer((request) => asked.push(request.url as string));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, give: () => server.closeAllConnections() };
}

/** Nothing times out by itself within a test. */
const patient = createFetching({ allowedHosts: ['127.0.0.1'], connectMs: 3_600_000, totalMs: 3_600_000 });

async function oraclesAt(url: string, count: number) {
  const c = await openContracts({ fetching: patient });
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC, BTC, BTC]);
  const oracleIds: OracleId[] = [];
  for (let n = 0; n < count; n++) {
    const keys = testOracle(`hanging ${n}`);
    const publicKey = Buffer.from(keys.publicKey).toString('hex');
    const { oracleId } = await c.oracles.register({ name: `hanging ${n}`, publicKey, url: `${url}/${n}` }, c.context());
    oracleIds.push(oracleId);
    await c.oracles.addAnnouncement(
      serializeAnnouncement(keys.announce(enumEvent('yes', 'no'), `match ${n}`)),
      c.context(),
    );
  }
  return { c, wallet, oracleIds };
}

describe('before a refund', () => {
  it("a contract's oracles are asked at the same time, and the rounds go on", async () => {
    const server = await hangingServer();
    const { c, wallet, oracleIds } = await oraclesAt(server.url, 3);
    const { height } = await c.chain.info();
    const held = await c.confirmed(wallet, { oracles: oracleIds, threshold: 2, refundLocktime: height + 5 });
    const other = await c.confirmed(wallet, { refundLocktime: height + 5 });
    const later = await c.confirmed(wallet, { refundLocktime: height + 8 });
    await c.mine(3);
    c.driver.start();
    const statusOf = async ({ contractId }: { contractId: ContractId }) => (await c.get(contractId)).status;
    await eventually(() => expect(server.asked).toHaveLength(3));
    expect(new Set(server.asked.map((path) => path.split('/')[1]))).toEqual(new Set(['0', '1', '2']));
    await eventually(async () => expect(await statusOf(other)).toBe('refunded'));
    await c.mine(3);
    await eventually(async () => expect(await statusOf(later)).toBe('refunded'));
    expect(await statusOf(held)).toBe('confirmed');
    server.give();
    await eventually(async () => expect(await statusOf(held)).toBe('refunded'));
  });

  it('what cannot be asked now, since too many are, is not taken for an answer', async () => {
    const contract = contractRecord('ctr_one', { oracleIds: ['ora_a', 'ora_b', 'ora_c'], eventIds: ['e', 'e', 'e'] });
    const question = (answers: Partial<Record<string, AskedAttestation['failure']>>) =>
      createLastOracleQuery({
        oracles: {
          attestationsOf: async (_, oracleId) => (oracleId === 'ora_c' ? ([{}] as never) : []),
          askForAttestation: async (_, oracleId) => ({ attestation: null, failure: answers[oracleId] ?? null }),
        },
      })(contract, new AbortController().signal);
    expect(await question({ ora_a: 'timed_out', ora_b: 'status', ora_c: 'too_many' })).toBe(true);
    expect(await question({ ora_b: 'too_many' })).toBe(false);
    expect(await question({ ora_a: 'aborted' })).toBe(false);
  });

  it('an account has a few asked at a time, all of them in the end, and others are asked meanwhile', async () => {
    const open = new Map<string, () => void>();
    const began: string[] = [];
    const ask = createLastOracleQuery({
      oracles: {
        attestationsOf: async () => [],
        askForAttestation: (accountId, oracleId) =>
          new Promise((resolve) => {
            began.push(`${accountId} ${oracleId}`);
            open.set(oracleId, () => resolve({ attestation: null, failure: null }));
          }),
      },
    });
    const { signal } = new AbortController();
    const many = Array.from({ length: 9 }, (_, n) => `ora_${n}` as const);
    const first = ask(contractRecord('ctr_one', { oracleIds: many, eventIds: many }), signal);
    await eventually(() => expect(began).toHaveLength(4));
    const second = ask(
      contractRecord('ctr_two', { accountId: 'acc_two', oracleIds: ['ora_x'], eventIds: ['e'] }),
      signal,
    );
    await eventually(() => expect(began).toContain('acc_two ora_x'));
    open.get('ora_x')?.();
    expect(await second).toBe(true);
    for (const oracleId of many) {
      await eventually(() => expect(open.has(oracleId)).toBe(true));
      open.get(oracleId)?.();
    }
    expect(await first).toBe(true);
    expect(began).toHaveLength(10);
  });
});

it('before a signature the oracles are asked at the same time, a few at once, and one that has attested counts', async () => {
  const many = Array.from({ length: 6 }, (_, n) => `ora_${n}` as const);
  const contract = contractRecord('ctr_one', { oracleIds: many, eventIds: many });
  const open = new Map<string, (attested: boolean) => void>();
  const { offer } = testContract({ info: coinTossInfo(2_000_000n) });
  const asking = requireStillOpen(
    {
      clock: () => 0,
      store: { read: { oracles: { compromised: async () => [] } as never } },
      oracles: {
        attestationsOf: async () => [],
        askForAttestation: (_, oracleId) =>
          new Promise((resolve) =>
            open.set(oracleId, (attested) => resolve({ attestation: attested ? ({} as never) : null, failure: null })),
          ),
      },
    },
    contract,
    offer,
    null,
    new AbortController().signal,
  );
  const refused = expect(asking).rejects.toMatchObject({
    code: 'contract_refused',
    message: expect.stringContaining('oracle ora_4 has attested'),
  });
  await eventually(() => expect([...open.keys()]).toEqual(many.slice(0, 4)));
  for (const oracleId of many) {
    await eventually(() => expect(open.has(oracleId)).toBe(true));
    open.get(oracleId)?.(oracleId === 'ora_4');
  }
  await refused;
});

it('who asks for an outcome has many oracles asked a few at a time, and every one of them; once it is approved nobody is asked', async () => {
  const many = Array.from({ length: 30 }, (_, n) => `ora_${n}` as const);
  let underWay = 0;
  let most = 0;
  const asked: string[] = [];
  const unused = {} as never;
  let kept: HeldOperation<unknown, unknown> = unused;
  const execute = createExecuteContract({
    // Oracles are asked before rules are.
    held: {
      operation(held: HeldOperation<unknown, unknown>) {
        kept = held;
        return (request: unknown, { accountId, signal }: RequestContext) => held.describe(request, accountId, signal);
      },
    } as never,
    network: 'regtest',
    store: {
      read: {
        oracles: { find: async () => ({ kind: 'external' }) },
        ledger: { tip: async () => ({ height: 9, medianTime: 9 }) },
      },
    } as never,
    oracles: {
      attestFor: unused,
      attestationsOf: async () => [],
      async fetchAttestation(_account, oracleId, _event, asking) {
        expect(asking).toBe(signal);
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        asked.push(oracleId);
        return null;
      },
    },
    settling: {
      load: async () => ({ offer: testContract({ info: coinTossInfo(2_000_000n) }).offer }) as never,
      cetDeciding: unused,
      build: unused,
      commit: unused,
    },
    sendClosing: unused,
    require: async () => contractRecord('ctr_one', { status: 'confirmed', oracleIds: many, eventIds: many }),
    viewIn: unused,
    clock: Date.now,
  });
  const stop = new AbortController();
  const { signal } = stop;
  const context = { accountId: 'acc_one', credential: { countsAs: null }, signal } as never;
  const missing = { code: 'attestation_missing' };
  await expect(execute('ctr_one', { outcome: 'heads' }, context)).rejects.toMatchObject(missing);
  expect(asked.toSorted()).toEqual(many.toSorted());
  expect(most).toBe(4);
  const approved = { accountId: 'acc_one', approved: {}, signal } as never;
  await expect(kept.run({ contractId: 'ctr_one', outcome: 'heads' }, approved)).rejects.toMatchObject(missing);
  expect(asked).toHaveLength(30);
  stop.abort(new Error('the answer is late'));
  await expect(execute('ctr_one', { outcome: 'heads' }, context)).rejects.toThrow('the answer is late');
  expect(asked).toHaveLength(30);
});

it('nothing is signed where an oracle was not asked at all, since others keep too many questions busy', async () => {
  const contract = contractRecord('ctr_one', { oracleIds: ['ora_asked', 'ora_unasked'], eventIds: ['e', 'e'] });
  const { offer } = testContract({ info: coinTossInfo(2_000_000n) });
  const asking = (failure: 'too_many' | 'timed_out') =>
    requireStillOpen(
      {
        clock: () => 0,
        store: { read: { oracles: { compromised: async () => [] } as never } },
        oracles: {
          attestationsOf: async () => [],
          askForAttestation: async (_, oracleId) => ({
            attestation: null,
            failure: oracleId === 'ora_unasked' ? failure : null,
          }),
        },
      },
      contract,
      offer,
      null,
      new AbortController().signal,
    );
  await expect(asking('too_many')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('oracle ora_unasked could not be asked now'),
  });
  // Who gives no answer has none.
  await expect(asking('timed_out')).resolves.toBeUndefined();
});

it('what no index told of is found when a process begins its rounds', async () => {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC]);
  const made = await c.confirmed(wallet);
  const [eventId, oracleId] = [made.eventIds[0]!, made.oracleIds[0]!];
  await c.oracles.attest({ oracle: oracleId, eventId, outcome: 'yes' }, c.context());
  const seen = new Proxy(c.store, {
    get(store: Store, name) {
      const value = Reflect.get(store, name) as unknown;
      if (name === 'read') {
        const contracts: Repositories['contracts'] = { ...store.read.contracts, due: async () => [] };
        return { ...store.read, contracts };
      }
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
  const { driver } = c.reopen({ store: seen });
  await driver.round();
  expect((await c.get(made.contractId)).status).toBe('confirmed');
  driver.start();
  await eventually(async () =>
    expect(await c.get(made.contractId)).toMatchObject({ status: 'executed', outcome: 'yes' }),
  );
});
