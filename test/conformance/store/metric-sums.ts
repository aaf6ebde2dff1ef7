/** Whatever happens to records, what is kept for metrics is what a computation from the records finds. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { APPROVAL_STATUSES, CONTRACT_STATUSES } from '../../../src/core/events/statuses.ts';
import type { AccountId, WalletId } from '../../../src/core/ids.ts';
import { formatValue } from '../../../src/core/metrics/metric-table.ts';
import { MOST_CREDENTIALS } from '../../../src/core/metrics/named-credentials.ts';
import { createMetrics } from '../../../src/services/metrics/metrics.ts';
import { createUsage } from '../../../src/services/usage/usage.ts';
import { TRANSACTION_STATUSES, type TransactionRecord } from '../../../src/store/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { contractRecord } from '../../builders/contract-records.ts';
import { balanceFacts, expectMetrics, type Fact } from '../../builders/metric-facts.ts';
import { requestContext } from '../../builders/request-context.ts';
import {
  accountRecord,
  approvalRecord,
  blockHashOf,
  blockRecord,
  coinRecord,
  outpointOf,
  transactionRecord,
  txidOf,
  walletRecord,
} from '../../builders/store-records.ts';
import { silent } from '../../builders/stores.ts';
import type { StoreContext } from '../store.ts';

const BEGAN = Date.parse('2026-03-28T23:50:00Z');
const MINUTE = 60_000;
const wallets = ['wal_one', 'wal_two'] as const;
/** Blocks are half an hour apart, more or less: some have a time before their parent's. */
const blockTime = (height: number): number => BEGAN + (height * 30 + ((height * 7) % 5) * 13) * MINUTE;

const step = fc.record({
  what: fc.constantFrom(
    'payment',
    'payment',
    'deposit',
    'spend',
    'spend',
    'move',
    'move',
    'confirm',
    'confirm',
    'reorg',
    'learn',
    'contract',
    'approval',
    'restart',
  ),
  which: fc.nat(30),
  minutes: fc.nat(3_000),
  status: fc.nat(30),
  wallet: fc.nat(1),
  amount: fc.integer({ min: 1, max: 1_000 }),
});

/** Each interval's is all that came and went before its end. */
async function expectBalances(store: Store, accountId: AccountId, facts: readonly Fact[]): Promise<void> {
  const metrics = createMetrics({ store, clock: () => BEGAN + 90 * 1_440 * MINUTE, lag: () => null });
  for (const [interval, timezone, days] of [
    ...([
      ['hour', 'Asia/Kathmandu', 1],
      ['day', 'Europe/Zurich', 0],
      ['week', 'UTC', -200],
    ] as const),
  ]) {
    const asked = { metric: 'balance', interval, timezone, from: BEGAN + days * 1_440 * MINUTE } as const;
    const to = asked.from + 20 * 1_440 * MINUTE;
    const { data } = await metrics.detailed({ ...asked, to, groupBy: 'wallet' }, requestContext({ accountId }));
    for (const { end, value, groups = {} } of data) {
      const sumOf = (wallet?: string): bigint =>
        facts
          .filter(({ time, walletId }) => time < end && (wallet ?? walletId) === walletId)
          .reduce((sum, { amountSats }) => sum + amountSats, 0n);
      expect(value).toBe(formatValue(sumOf(), 'btc'));
      for (const wallet of new Set(facts.map(({ walletId }) => walletId)))
        expect(groups[wallet] ?? '0.00000000').toBe(formatValue(sumOf(wallet), 'btc'));
    }
  }
}

/** More of them on demand: HISTORIES=200. */
const runs = Number(process.env.HISTORIES ?? 4);

export function metricSumTests(context: StoreContext): void {
  test('random histories with reorganizations and restarts', { timeout: 300_000 }, async () => {
    let run = 0;
    let height = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 120 }), async (steps) => {
        const name = `${++run}`;
        const accountId = `acc_${name}` as const;
        const { store } = context;
        const [one, two] = wallets.map((wallet) => `${wallet}_${name}` as WalletId) as [WalletId, WalletId];
        await store.write(async (tx) => {
          await tx.accounts.insert(accountRecord(accountId));
          for (const walletId of [one, two]) await tx.wallets.insert(walletRecord(walletId, { accountId }));
        });
        const made: string[] = [];
        const contracts: string[] = [];
        const approvals: string[] = [];
        const update = (txid: string, patch: Partial<TransactionRecord>) =>
          context.store.write((tx) => tx.transactions.update(accountId, txidOf(txid), patch));
        for (const { what, which, minutes, status, wallet, amount } of steps) {
          const chosen = made[which % Math.max(1, made.length)];
          const createdAt = BEGAN + minutes * MINUTE;
          if (what === 'payment' || what === 'deposit') {
            const txid = `${name} ${made.length}`;
            const direction = what === 'payment' ? 'outgoing' : 'incoming';
            const record = {
              accountId,
              walletId: wallet === 0 ? one : two,
              direction,
              amountSats: BigInt(amount),
              createdAt,
            } as const;
            const feeSats = what === 'payment' ? BigInt(minutes) : null;
            await context.store.write((tx) =>
              tx.transactions.insert(transactionRecord(txid, { ...record, feeSats }), [], []),
            );
            const { amountSats } = record;
            const coin = coinRecord(txid, { accountId, walletId: record.walletId, amountSats, height: null });
            await context.store.write((tx) => tx.ledger.insertCoins([coin]));
            made.push(txid);
          } else if (chosen !== undefined && what === 'spend') {
            const by = txidOf(made[minutes % made.length] as string);
            await context.store.write(async (tx) => {
              const { blockHeight = null } = (await tx.transactions.find(accountId, by)) ?? {};
              await tx.ledger.spendCoins([outpointOf(chosen)], by, blockHeight);
            });
          } else if (what === 'contract') {
            const id = `ctr_${name}_${contracts.length}` as const;
            if (which % 2 === 0 || contracts.length === 0) {
              await context.store.write((tx) => tx.contracts.insert(contractRecord(id, { accountId, createdAt })));
              contracts.push(id);
            } else {
              const moved = { status: CONTRACT_STATUSES[status % CONTRACT_STATUSES.length]! };
              await context.store.write((tx) =>
                tx.contracts.update(accountId, contracts[which % contracts.length] as 'ctr_1', moved),
              );
            }
          } else if (what === 'approval') {
            const id = `apr_${name}_${approvals.length}` as const;
            await context.store.write((tx) =>
              tx.approvals.insert(approvalRecord(id, { accountId, walletId: wallet === 0 ? one : null, createdAt })),
            );
            approvals.push(id);
            const end = APPROVAL_STATUSES[1 + (status % 3)] as 'approved' | 'rejected' | 'expired';
            if (which % 2 === 0)
              await context.store.write((tx) =>
                tx.approvals.close({ accountId, approvalId: id }, { status: end, reason: null, closedAt: createdAt }),
              );
          } else if (what === 'restart') await context.restart();
          else if (chosen !== undefined && what === 'move') {
            await update(chosen, {
              status: TRANSACTION_STATUSES[status % TRANSACTION_STATUSES.length]!,
              blockHeight: null,
              blockHash: null,
            });
            await context.store.write(async (tx) => {
              await tx.ledger.updateCoinsOf(txidOf(chosen), { live: status % 3 > 0, height: null });
              await tx.ledger.unspendCoins(txidOf(chosen));
            });
          } else if (chosen !== undefined && what === 'learn')
            await update(chosen, {
              walletId: wallet === 0 ? one : two,
              direction: 'internal',
              amountSats: BigInt(amount),
              feeSats: 7n,
            });
          else if (chosen !== undefined && what === 'confirm') {
            height++;
            const hash = blockHashOf(height);
            await context.store.write(async (tx) => {
              await tx.ledger.insertBlocks([{ ...blockRecord(height), hash, time: blockTime(height) / 1_000 }]);
              await tx.transactions.update(accountId, txidOf(chosen), {
                status: 'confirmed',
                blockHeight: height,
                blockHash: hash,
              });
              await tx.ledger.unspendCoins(txidOf(chosen));
              await tx.ledger.updateCoinsOf(txidOf(chosen), { live: true, height });
              if (status % 2 === 0 && made[which] !== undefined)
                await tx.ledger.spendCoins([outpointOf(made[which])], txidOf(chosen), height);
            });
          } else if (what === 'reorg' && height > 0) {
            await context.store.write(async (tx) => {
              for (const record of await tx.ledger.transactionsInBlock(height, blockHashOf(height))) {
                await tx.transactions.update(record.accountId, record.txid, {
                  status: 'broadcast',
                  blockHeight: null,
                  blockHash: null,
                });
                await tx.ledger.updateCoinsOf(record.txid, { height: null });
                await tx.ledger.unspendCoins(record.txid);
              }
              await tx.ledger.deleteBlock(height);
            });
            height--;
          }
        }
        const { read } = context.store;
        const page = { limit: 1_000, offset: 0 };
        const facts = (await read.transactions.list(accountId, {}, page)).data.map(
          (record): Fact => ({
            ...{ source: 'transaction', walletId: record.walletId, type: record.direction, status: record.status },
            ...{ amountSats: record.amountSats, feeSats: record.feeSats ?? 0n },
            time: record.blockHeight === null ? record.createdAt : blockTime(record.blockHeight),
          }),
        );
        for (const record of (await read.contracts.list(accountId, {}, page)).data)
          facts.push({
            ...{ source: 'contract', walletId: '', type: '', status: record.status, time: record.createdAt },
            ...{ amountSats: record.collateralSats, feeSats: 0n },
          });
        for (const record of (await read.approvals.page(accountId, {}, page)).data)
          facts.push({
            ...{ source: 'approval', walletId: record.walletId ?? '', type: record.operation, status: record.status },
            ...{ time: record.createdAt, amountSats: 0n, feeSats: 0n },
          });
        for (const time of [facts[0]?.time ?? BEGAN, blockTime(1), blockTime(height)]) {
          const range = { from: time - (time % (60 * MINUTE)), to: time - (time % (60 * MINUTE)) + 60 * MINUTE };
          for (const kind of ['transactions', 'contracts', 'approvals'] as const) {
            const found = await read.recordsBehind.of({ accountId, ...range, limit: 1_000 }, kind);
            const sums = ({ status, amountSats, feeSats }: Pick<Fact, 'status' | 'amountSats' | 'feeSats'>) =>
              `${status} ${amountSats} ${feeSats}`;
            const there = facts.filter(
              (one) => `${one.source}s` === kind && one.time >= range.from && one.time < range.to,
            );
            expect([found.all, found.records.map(sums).sort()]).toEqual([true, there.map(sums).sort()]);
          }
        }
        const coins = await balanceFacts(context.store, { accountId, txids: made.map(txidOf) }, blockTime);
        await expectMetrics(context.store, accountId, [...facts, ...coins], [one, two]);
        await expectBalances(context.store, accountId, coins);
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test('requests add up, and are deleted by age a bounded number at a time', async () => {
    const [day, kept] = [BEGAN / MINUTE, BEGAN / MINUTE + 100 * 1_440];
    const requests = (accountId: AccountId, minute: number, bound: number) =>
      ({ accountId, credentialId: '', minute, bound, status: 'ok', requests: 2 }) as const;
    for (let n = 0; n < 40; n++)
      await context.store.write((tx) =>
        tx.metricSums.addRequests([
          ...(['acc_one', 'acc_two'] as const).map((accountId) => requests(accountId, day + n, 8)),
          requests('acc_one', kept + n, 12),
        ]),
      );
    const asked = { source: 'request', pieces: [{ at: 0, minutes: 60, first: 0, end: 2 ** 40, sign: 1 }] } as const;
    const found = async (accountId: AccountId) =>
      (await context.store.read.metricSums.of(accountId, asked)).map(({ type, items }) => [type, items]).sort();
    expect(await found('acc_one')).toEqual([
      ['12', 80n],
      ['8', 80n],
    ]);
    expect(await found('acc_two')).toEqual([['8', 80n]]);
    const sweep = () => context.store.write((tx) => tx.metricSums.deleteRequests(kept - 1_440, 15));
    expect(await sweep()).toBe(15);
    while ((await sweep()) > 0);
    expect((await found('acc_one'))[0]).toEqual(['12', 80n]);
  });

  test('requests by credential, counted by two processes at once, over a restart', async () => {
    let now = BEGAN;
    const clock = () => now;
    const beside = await context.beside();
    const processes = () => [context.store, beside].map((store) => createUsage({ store, clock, log: silent }));
    const counted: { id: string; status: number; at: number }[] = [];
    let usages = processes();
    const ask = async (first: number, many: number) => {
      for (let n = 0; n < many; n++) {
        const [id, status] = [`key_${first + (n % 60)}`, n % 5 === 0 ? 503 : 200];
        counted.push({ id, status, at: now });
        usages[n % 2]?.count(requestContext({ accountId: 'acc_one', credential: { id } }) as never, status, 5);
      }
      await Promise.all(usages.map((usage) => usage.flush()));
    };
    const found = async (interval: 'hour' | 'day') => {
      const metrics = createMetrics({ store: context.store, clock: () => now + 60 * MINUTE, lag: () => null });
      const asked = { metric: 'requests', interval, timezone: 'Europe/Zurich', from: BEGAN, to: now + 1 } as const;
      return (await metrics.detailed({ ...asked, groupBy: 'credential' }, requestContext({ accountId: 'acc_one' })))
        .data;
    };
    const groupsOf = (from: number, to: number) => {
      const its = counted.filter(({ at }) => at >= from && at < to).map(({ id }) => id);
      return Object.fromEntries([...new Set(its)].map((id) => [id, `${its.filter((one) => one === id).length}`]));
    };
    for (let n = 0; n < 12; n++) {
      await ask(0, 30 + n);
      now += 41 * MINUTE;
      if (n === 6) await context.restart();
      if (n === 6) usages = processes();
    }
    for (const interval of ['hour', 'day'] as const)
      for (const { start, end, value, groups } of await found(interval)) {
        expect(groups).toEqual(groupsOf(start, end));
        expect(value).toBe(`${Object.values(groups ?? {}).reduce((sum, one) => sum + Number(one), 0)}`);
      }
    await ask(20, 120);
    const { start, end, value, groups = {} } = (await found('hour')).at(-1)!;
    const { other, ...named } = groups;
    expect(groupsOf(start, end)).toMatchObject(named);
    expect([value, Object.keys(named).length <= MOST_CREDENTIALS]).toEqual(['120', true]);
    expect(Number(other) + Object.values(named).reduce((sum, one) => sum + Number(one), 0)).toBe(120);
    expect(await context.store.read.requestCredentials.all('acc_one')).toHaveLength(MOST_CREDENTIALS);
    const pieces = [1, 15].map((minutes, at) => ({ at, minutes, first: 0, end: now, sign: 1 as const }));
    await context.harness.execute('DELETE FROM metric_changes');
    const short = { source: 'request', pieces, wallets: ['key_1'] } as const;
    expect(await context.store.read.metricSums.of('acc_one', short)).toEqual([]);
    expect(await context.store.write((tx) => tx.requestCredentials.deleteBefore(now + 1_440 * MINUTE, 20))).toBe(20);
  });

  test("points of an account's own metrics, late ones and restarts among them", { timeout: 300_000 }, async () => {
    const point = fc.record({
      name: fc.constantFrom('orders', 'queue'),
      region: fc.constantFrom('eu', 'us', undefined),
      late: fc.oneof(fc.constant(0), fc.nat(7 * 1_440)),
      later: fc.nat(600),
      value: fc.tuple(fc.nat(99_999_999_999), fc.nat(99_999_999)),
      restart: fc.nat(20),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(point, { minLength: 20, maxLength: 120 }), async (points) => {
        const accountId = `acc_own_${++run}` as const;
        await context.store.write((tx) => tx.accounts.insert(accountRecord(accountId)));
        let now = BEGAN;
        const metrics = () => createMetrics({ store: context.store, clock: () => now, lag: () => null });
        const sent: { name: string; region: string; at: number; value: bigint }[] = [];
        for (const { name, region = '', late, later, value, restart } of points) {
          now += later * MINUTE;
          const at = now - late * MINUTE;
          const negative = name === 'queue' && late % 2 === 1;
          await metrics().custom.add(
            {
              ...{ name, kind: name === 'queue' ? 'gauge' : 'counter', labels: region === '' ? {} : { region }, at },
              value: `${negative ? '-' : ''}${value[0]}.${`${value[1]}`.padStart(8, '0')}`,
            },
            requestContext({ accountId, idempotency: null }),
          );
          const scaled = BigInt(value[0]) * 100_000_000n + BigInt(value[1]);
          sent.push({ name, region, at, value: negative ? -scaled : scaled });
          if (restart === 0) await context.restart();
        }
        const comesTo = (name: string, of: typeof sent): string | null => {
          const sum = of.reduce((all, { value }) => all + value, 0n);
          if (name === 'orders') return formatValue(sum, 'number');
          return of.length === 0 ? null : formatValue(sum / BigInt(of.length), 'number');
        };
        for (const name of new Set(sent.map((one) => one.name)))
          for (const [interval, timezone] of [
            ...([
              ['day', 'Asia/Kathmandu'],
              ['hour', 'UTC'],
              ['week', 'Europe/Zurich'],
            ] as const),
          ]) {
            const labelled = sent.some((one) => one.name === name && one.region !== '');
            const { data } = await metrics().detailed(
              {
                ...{ metric: `custom.${name}`, interval, timezone, from: BEGAN - 7 * 1_440 * MINUTE },
                ...(labelled && { groupBy: 'label', label: 'region' }),
              },
              requestContext({ accountId }),
            );
            for (const { start, end, value, groups = {} } of data) {
              const its = sent.filter((one) => one.name === name && one.at >= start && one.at < end);
              expect([value, groups]).toEqual([
                comesTo(name, its),
                Object.fromEntries(
                  ['eu', 'us']
                    .map((region) => [region, its.filter((one) => one.region === region)] as const)
                    .filter(([, of]) => of.length > 0)
                    .map(([region, of]) => [region, comesTo(name, of)]),
                ),
              ]);
            }
            const counted = sent.filter(
              (one) => one.name === name && data.some((of) => one.at >= of.start && one.at < of.end),
            );
            expect(counted).toHaveLength(sent.filter((one) => one.name === name).length);
          }
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });
}
