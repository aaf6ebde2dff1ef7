/** Counts over every account, for metrics. */
import { describe, expect, it } from 'vitest';
import { sealBatch } from '../../../src/services/audit/seal-batch.ts';
import type { TransactionRecord } from '../../../src/store/records.ts';
import { append } from '../../builders/audit.ts';
import {
  contractRecord,
  localOracle,
  oracleEventRecord,
  oracleRecord,
  sealed,
} from '../../builders/contract-records.ts';
import { transactionRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

export function metricsTests(context: StoreContext): void {
  describe('metrics', () => {
    it('count contracts of every account by status, those that are over not', async () => {
      const { store } = context;
      expect(await store.read.metrics.openContracts()).toEqual(new Map());
      await store.write(async (tx) => {
        for (const [at, status] of (['offered', 'confirmed', 'confirmed', 'closed', 'failed'] as const).entries()) {
          await tx.contracts.insert(contractRecord(`ctr_one_${at}`, { status }));
        }
        await tx.contracts.insert(contractRecord('ctr_two', { accountId: 'acc_two', status: 'confirmed' }));
      });
      expect(await store.read.metrics.openContracts()).toEqual(
        new Map([
          ['offered', 1],
          ['confirmed', 3],
        ]),
      );
    });

    it('count confirmed contracts whose refund is final, by height and by median time', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        for (const refundLocktime of [900, 901, 1_700_000_000]) {
          await tx.contracts.insert(contractRecord(`ctr_${refundLocktime}`, { status: 'confirmed', refundLocktime }));
        }
        await tx.contracts.insert(contractRecord('ctr_refunded', { status: 'refunded', refundLocktime: 1 }));
        await tx.contracts.insert(contractRecord('ctr_funded', { status: 'funded', refundLocktime: 1 }));
      });
      const overdue = (height: number, medianTime: number) =>
        store.read.metrics.overdueContracts({ height, medianTime });
      expect(await overdue(899, 1_700_000_000)).toBe(0);
      expect(await overdue(900, 1_700_000_000)).toBe(1);
      expect(await overdue(901, 1_700_000_001)).toBe(3);
    });

    it("count contracts' transactions that no node has, by kind", async () => {
      const { store } = context;
      const insert = (name: string, patch: Partial<TransactionRecord>) =>
        store.write((tx) =>
          tx.transactions.insert(
            transactionRecord(name, { status: 'signed', raw: Uint8Array.of(2), createdAt: 1_000, ...patch }),
            [],
            [],
          ),
        );
      await insert('never sent', { kind: 'cet' });
      await insert('let go of', {
        kind: 'refund',
        status: 'broadcast',
        reason: 'not taken yet: min relay fee not met',
      });
      await insert('in a mempool', { kind: 'cet', status: 'broadcast' });
      await insert('in a block', { kind: 'cet', status: 'confirmed' });
      await insert('given up', { kind: 'funding', status: 'failed', reason: 'the node refused it' });
      await insert('for the other side to complete', { kind: 'funding', raw: null });
      await insert('just now', { kind: 'cet', createdAt: 2_000 });
      await insert('of a payment', { kind: 'payment' });
      expect(await store.read.metrics.unsentOfContracts(2_000)).toEqual(
        new Map([
          ['cet', 1],
          ['refund', 1],
        ]),
      );
    });

    it('count what waits for its seal or its number, and since when', async () => {
      const { store } = context;
      const none = { count: 0, oldestAt: null };
      expect(await store.read.metrics.backlog()).toEqual({ unsealed: none, unnumbered: none });
      for (const name of ['a', 'b', 'c']) {
        await store.write(async (tx) => {
          await append(tx, name);
          await tx.events.append({ accountId: 'acc_one', channel: 'transactions', ref: name, data: {} });
        });
      }
      const { records } = await store.read.audit.unsealed(null, 1);
      await store.write(async (tx) => {
        await sealBatch(tx, records);
        await tx.events.number(2);
      });
      const waits = (count: number) => ({ count, oldestAt: expect.any(Number) });
      // On SQLite the commit numbers them.
      const unnumbered = store.kind === 'sqlite' ? none : waits(1);
      expect(await store.read.metrics.backlog()).toEqual({ unsealed: waits(2), unnumbered });
    });

    it('count oracles that contradicted themselves, and frozen events', async () => {
      const { store } = context;
      expect(await store.read.metrics.oracles()).toEqual({ equivocated: 0, frozenEvents: 0 });
      await store.write(async (tx) => {
        await tx.oracles.insert(localOracle('ora_own'));
        await tx.oracles.insert(oracleRecord('ora_liar', { equivocatedAt: 7 }));
        for (const name of ['a', 'b'])
          await tx.oracleEvents.insert(oracleEventRecord('ora_own', name, { nonces: sealed }));
      });
      expect(await store.read.metrics.oracles()).toEqual({ equivocated: 1, frozenEvents: 0 });
      await store.write((tx) => tx.oracleEvents.freezeUnattested(8));
      expect(await store.read.metrics.oracles()).toEqual({ equivocated: 1, frozenEvents: 2 });
    });
  });
}
