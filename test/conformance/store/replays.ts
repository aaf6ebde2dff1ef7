/** Replays, what they found, and the history that they go through. */
import { describe, expect, it } from 'vitest';
import type { CountedSum } from '../../../src/core/policies/policy.ts';
import type { RecordedSpending } from '../../../src/core/policies/recorded-spending.ts';
import { HOUR_MS, WAITING_HOUR } from '../../../src/core/policies/windows.ts';
import type { TransactionRecord } from '../../../src/store/records.ts';
import type { ContractRecord } from '../../../src/store/repositories/contract-rows.ts';
import { countsColumn } from '../../../src/store/repositories/counted-sums.ts';
import type { ReplayDifference, ReplayRecord } from '../../../src/store/repositories/replays.ts';
import { contractRecord } from '../../builders/contract-records.ts';
import { transactionRecord, txidOf } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const AT = 1_700_000_000_000;
const NONE = { allow: 0, approve: 0, deny: 0 };
const ASKED: RecordedSpending = { operation: 'payment', user: null, credential: 'key_a', role: 'admin', fee: '100' };
const counted = (amountSats: bigint): CountedSum[] => [
  { scope: 'account', subject: '', hour: 5, amountSats, count: 1 },
];

const replay = (replayId: string, patch: Partial<ReplayRecord> = {}): ReplayRecord => ({
  ...{ replayId, accountId: 'acc_one', defaultAction: 'allow', fromAt: 0, toAt: AT, status: 'running', reason: null },
  policies: [
    {
      ...{ policyId: 'proposed-1', name: 'Ceiling', enabled: true, position: 1 },
      when: { amountOverSats: 9_007_199_254_740_993n },
      then: { action: 'deny', message: 'no' },
    },
  ],
  ...{ firstPlace: 1, lastPlace: 9, place: 0, completeFrom: null, createdAt: AT, progressedAt: AT, closedAt: null },
  figures: { payments: 0, differing: 0, unjudged: 0, before: NONE, after: NONE },
  ...patch,
});

const difference = (replayId: string, place: number): ReplayDifference => ({
  ...{ replayId, accountId: 'acc_one', place, txid: txidOf(`${place}`), walletId: 'wal_one', amountSats: 7n },
  ...{ before: null, after: { action: 'deny', rules: [] }, createdAt: AT + place },
});

export function replayTests(context: StoreContext): void {
  const insert = (...replays: ReplayRecord[]) =>
    context.store.write(async (tx) => {
      for (const one of replays) await tx.replays.insert(one);
    });
  const page = { limit: 10, offset: 0 };

  describe('replays', () => {
    it('come back as they were, to their account alone; of each account the oldest that runs is due', async () => {
      const other = replay('rpl_c', { accountId: 'acc_two', createdAt: AT + 5 });
      const done = replay('rpl_d', { status: 'done', closedAt: AT + 1, createdAt: AT - 1 });
      await insert(replay('rpl_b'), replay('rpl_a'), other, done);
      const { replays } = context.store.read;
      expect(await replays.find('acc_one', 'rpl_b')).toEqual(replay('rpl_b'));
      expect(await replays.find('acc_two', 'rpl_b')).toBeNull();
      expect((await replays.page('acc_one', page)).data.map(({ replayId }) => replayId)).toEqual([
        'rpl_b',
        'rpl_a',
        'rpl_d',
      ]);
      expect((await replays.due(10)).map(({ replayId }) => replayId)).toEqual(['rpl_a', 'rpl_c']);
      expect(await context.store.read.metrics.runningReplays()).toBe(3);
    });

    it('go on from the place where they are, once, and not when they are deleted', async () => {
      const one = replay('rpl_a');
      await insert(one);
      await context.store.write(async (tx) => {
        expect(await tx.replays.progress(one, { place: 4, progressedAt: AT + 1 })).toBe(true);
        expect(await tx.replays.progress(one, { place: 4 })).toBe(false);
        await tx.replays.addDifferences([difference('rpl_a', 2), difference('rpl_a', 3)]);
        const end = { place: 9, status: 'done', closedAt: AT + 3 } as const;
        expect(await tx.replays.progress({ ...one, place: 4 }, end)).toBe(true);
        expect(await tx.replays.progress({ ...one, place: 9 }, { place: 10 })).toBe(false);
      });
      const { replays } = context.store.read;
      const found = await replays.differences('acc_one', 'rpl_a', page);
      expect(found.data).toEqual([difference('rpl_a', 3), difference('rpl_a', 2)]);
      expect((await replays.differences('acc_two', 'rpl_a', page)).data).toEqual([]);
      await context.store.write(async (tx) => {
        expect(await tx.replays.delete('acc_two', 'rpl_a')).toBe(false);
        expect(await tx.replays.deleteClosed(AT + 3, 5)).toBe(0);
        expect(await tx.replays.deleteClosed(AT + 4, 5)).toBe(1);
        expect(await tx.replays.progress(one, { place: 1 })).toBe(false);
      });
      expect((await replays.differences('acc_one', 'rpl_a', page)).data).toEqual([]);
    });
  });

  describe('the history of spending', () => {
    const pay = (name: string, patch: Partial<TransactionRecord> = {}) =>
      context.store.write((tx) =>
        tx.transactions.insert(transactionRecord(name, { asked: ASKED, counts: counted(1n), ...patch }), [], []),
      );
    const update = (
      name: string,
      patch: Partial<Pick<TransactionRecord, 'status' | 'counts' | 'asked' | 'updatedAt'>>,
    ) => context.store.write((tx) => tx.transactions.update('acc_one', txidOf(name), patch));
    const changes = async (behind = 0, changeId = -1n, limit = 100) =>
      (await context.store.read.spendHistory.changes('acc_one', { behind, changeId }, 100, limit)).map((change) => [
        change.behind,
        change.sign,
        change.counts,
      ]);

    it('notes what was given back and came again, after which payment, and nothing else', async () => {
      await pay('one', { counts: counted(70n) });
      await pay('two', { counts: null });
      await update('one', { status: 'confirmed' });
      await update('two', { status: 'failed' });
      expect(await changes()).toEqual([]);
      await update('one', { status: 'replaced' });
      await update('one', { status: 'conflicted' });
      await pay('three');
      await update('one', { status: 'broadcast' });
      const noted = [
        [2, -1, counted(70n)],
        [3, 1, counted(70n)],
      ];
      expect(await changes()).toEqual(noted);
      expect(await changes(3)).toEqual(noted.slice(1));
      const [first] = await context.store.read.spendHistory.changes('acc_one', { behind: 0, changeId: -1n }, 100, 1);
      expect(await changes(first!.behind, first!.changeId)).toEqual(noted.slice(1));
    });

    it('notes what contracts count for from then on, and when they give it back', async () => {
      const { store } = context;
      await pay('one');
      const contract = contractRecord('ctr_one', { status: 'offered', counts: counted(8n) });
      await store.write((tx) => tx.contracts.insert(contract));
      await store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', { counts: counted(9n) }));
      await store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', { status: 'failed' }));
      expect(await changes()).toEqual([
        [1, 1, counted(8n)],
        [1, -1, counted(8n)],
        [1, 1, counted(9n)],
        [1, -1, counted(9n)],
      ]);
    });

    it('lets go of changes that are old, so many at a time', async () => {
      const { store } = context;
      await pay('one');
      for (const [status, at] of [
        ['failed', 10],
        ['broadcast', 20],
        ['replaced', 30],
      ] as const)
        await store.write((tx) => tx.transactions.update('acc_one', txidOf('one'), { status, updatedAt: at }));
      const deleted = (before: number, limit: number) =>
        store.write((tx) => tx.spendHistory.deleteChanges(before, limit));
      expect(await changes()).toHaveLength(3);
      expect([await deleted(10, 5), await deleted(31, 2), await deleted(30, 5)]).toEqual([0, 2, 0]);
      expect(await changes()).toEqual([[1, -1, counted(1n)]]);
    });

    it('notes an acceptance that waits for approval, and that it gives back when nobody approves', async () => {
      const { store } = context;
      await store.write((tx) => tx.contracts.insert(contractRecord('ctr_one', { status: 'offered', counts: null })));
      const move = (patch: Partial<ContractRecord>) =>
        store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', patch));
      await move({ status: 'awaiting_approval', counts: counted(8n) });
      await pay('one');
      await move({ status: 'offered', counts: null });
      await move({ status: 'awaiting_approval', counts: counted(9n) });
      await move({ status: 'accepted' });
      expect(await changes()).toEqual([
        [0, 1, counted(8n)],
        [1, -1, counted(8n)],
        [1, 1, counted(9n)],
      ]);
    });

    it('has what waited as it counted then, and what it counted for since: committed, given back, or abandoned and kept', async () => {
      const { store } = context;
      const waiting = counted(7n).map((sum) => ({ ...sum, hour: WAITING_HOUR }));
      const at = (hour: number) => counted(7n).map((sum) => ({ ...sum, hour }));
      const since = async (place: number) =>
        (await store.read.spendHistory.waiting('acc_one', place, { until: BigInt(place - 1), waitId: -1n }, 9)).length;
      for (const name of ['one', 'two', 'three']) await pay(name, { status: 'awaiting_signature', counts: waiting });
      await update('one', { status: 'signed', updatedAt: 20 * HOUR_MS });
      await pay('four');
      await update('two', { status: 'failed', updatedAt: 21 * HOUR_MS });
      const kept = { ...ASKED, kept: countsColumn.store(at(22)) };
      await update('three', { status: 'abandoned', asked: kept, updatedAt: 22 * HOUR_MS });
      const payments = await store.read.spendHistory.payments('acc_one', 0, 9, 9);
      expect(payments.map(({ counts }) => counts)).toEqual([waiting, waiting, waiting, counted(1n)]);
      expect(await changes()).toEqual([
        ...[
          [3, -1, waiting],
          [3, 1, at(20)],
        ],
        [4, -1, waiting],
        ...[
          [4, -1, waiting],
          [4, 1, at(22)],
        ],
      ]);
      expect([await since(1), await since(2), await since(4), await since(5), await since(6)]).toEqual([0, 1, 3, 2, 0]);
      const ended = (before: number) => store.write((tx) => tx.spendHistory.deleteWaits(before, 9));
      expect([await ended(20 * HOUR_MS), await ended(22 * HOUR_MS + 1)]).toEqual([0, 3]);
    });

    it('has what was abandoned, kept and then seen in the hour of that, and no longer in the one of its abandonment', async () => {
      const at = (hour: number) => counted(7n).map((sum) => ({ ...sum, hour }));
      const sums = async () =>
        (await context.store.read.spendSums.all('acc_one'))
          .filter(({ amountSats, count }) => amountSats !== 0n || count !== 0)
          .map(({ hour, amountSats, count }) => [hour, amountSats, count]);
      await pay('kept', { status: 'awaiting_signature', counts: at(WAITING_HOUR) });
      const asked = { ...ASKED, kept: countsColumn.store(at(22)) };
      await update('kept', { status: 'abandoned', asked, updatedAt: 22 * HOUR_MS });
      await context.store.write((tx) => tx.spendSums.add('acc_one', at(22)));
      expect(await sums()).toEqual([[22, 7n, 1]]);
      await update('kept', { status: 'broadcast', updatedAt: 50 * HOUR_MS });
      expect(await sums()).toEqual([[50, 7n, 1]]);
      await update('kept', { status: 'conflicted', updatedAt: 51 * HOUR_MS });
      await update('kept', { status: 'confirmed', updatedAt: 52 * HOUR_MS });
      expect(await sums()).toEqual([[50, 7n, 1]]);
      const total = (
        await context.store.read.spendHistory.changes('acc_one', { behind: 0, changeId: -1n }, 100, 100)
      ).reduce(
        (all, { sign, counts }) => {
          for (const { hour, amountSats } of counts) all.set(hour, (all.get(hour) ?? 0n) + BigInt(sign) * amountSats);
          return all;
        },
        new Map<number, bigint>([[WAITING_HOUR, 7n]]),
      );
      expect([...total].filter(([, amountSats]) => amountSats !== 0n)).toEqual([[50, 7n]]);
    });

    it('has payments that were asked for by place, with what they count for though it is in the sums for good', async () => {
      await pay('one', { createdAt: AT });
      await pay('deposit', { asked: null, createdAt: AT + 1 });
      await pay('two', { createdAt: AT + 10 });
      await update('one', { counts: null, asked: { ...ASKED, kept: countsColumn.store(counted(5n)) } });
      await update('one', { status: 'abandoned' });
      expect(await changes()).toEqual([]);
      const { spendHistory } = context.store.read;
      expect(await spendHistory.payments('acc_one', 0, 9, 10)).toMatchObject([
        { place: 1, txid: txidOf('one'), asked: ASKED, counts: counted(5n) },
        { place: 3, txid: txidOf('two'), asked: ASKED, counts: counted(1n) },
      ]);
      expect(await spendHistory.payments('acc_one', 1, 2, 10)).toEqual([]);
      expect(await spendHistory.payments('acc_two', 0, 9, 10)).toEqual([]);
      const places = [AT, AT + 1, AT + 10, AT + 11].map((at) => spendHistory.placeAt('acc_one', at));
      expect(await Promise.all(places)).toEqual([1, 2, 2, 4].map((place) => expect.toBeOneOf([place, place + 1])));
      expect(await spendHistory.count('acc_one', 1, 9, 10)).toBe(2n);
      expect(await spendHistory.count('acc_one', 1, 9, 1)).toBe(1n);
    });
  });
}
