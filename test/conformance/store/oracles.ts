/** Oracles, their events, and attestations. */

import { describe, expect, it } from 'vitest';
import type { AccountId, ContractId, OracleId } from '../../../src/core/ids.ts';
import type { OracleEventRecord } from '../../../src/store/repositories/oracle-events.ts';
import {
  attestationRecord,
  contractRecord,
  localOracle,
  oracleEventRecord,
  oracleRecord,
  sealed,
} from '../../builders/contract-records.ts';
import type { StoreContext } from '../store.ts';

const page = { limit: 2, offset: 0 };

export function oracleTests(context: StoreContext): void {
  const announce = (event: OracleEventRecord) => context.store.write((tx) => tx.oracleEvents.insert(event));
  const commit = (eventId: string, outcome: string, at = 5, store = context.store) =>
    store.write((tx) =>
      tx.oracleEvents.commitOutcome({ accountId: 'acc_one', oracleId: 'ora_own', eventId }, outcome, at),
    );

  describe('oracles', () => {
    it('come back as they were, to their account alone', async () => {
      const { store } = context;
      const own = localOracle('ora_own', { externalId: 'mine', equivocatedAt: 7 });
      const other = oracleRecord('ora_other');
      await store.write(async (tx) => {
        await tx.oracles.insert(own);
        await tx.oracles.insert(other);
      });
      const { oracles } = store.read;
      expect(await oracles.find('acc_one', 'ora_own')).toEqual(own);
      expect(await oracles.find('acc_two', 'ora_own')).toBeNull();
      expect(await oracles.findDefault('acc_one')).toEqual(own);
      expect(await oracles.findDefault('acc_two')).toBeNull();
      expect(await oracles.findByPublicKey('acc_one', other.publicKey)).toEqual(other);
      expect(await oracles.findByPublicKey('acc_two', other.publicKey)).toBeNull();
      const patch = { name: 'named', url: null, externalId: 'x', equivocatedAt: 9, updatedAt: 10 };
      expect(await store.write((tx) => tx.oracles.update('acc_two', 'ora_other', patch))).toBeNull();
      expect(await store.write((tx) => tx.oracles.update('acc_one', 'ora_other', patch))).toEqual({
        ...other,
        ...patch,
      });
    });

    it('have keys of their own in an account, which has one default, and a refusal leaves the job going', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        await tx.oracles.insert(localOracle('ora_own'));
        const same = oracleRecord('ora_same', { publicKey: localOracle('ora_own').publicKey });
        await expect(tx.oracles.insert(same)).rejects.toMatchObject({
          code: 'already_exists',
          details: { field: 'public_key' },
        });
        await expect(tx.oracles.insert(localOracle('ora_second'))).rejects.toMatchObject({ code: 'already_exists' });
        await tx.oracles.insert(localOracle('ora_third', { isDefault: false }));
        await tx.oracles.insert({ ...same, accountId: 'acc_two' });
      });
      expect((await store.read.oracles.list('acc_one', {}, page)).total).toBe(2);
      for (const half of [{ secret: null }, { kind: 'external' as const }]) {
        const wrong = localOracle('ora_wrong', { isDefault: false, ...half });
        await expect(store.write((tx) => tx.oracles.insert(wrong))).rejects.toThrow();
      }
    });

    it('are deleted unless something refers to them', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        for (const id of ['ora_free', 'ora_event', 'ora_contract'] as const) await tx.oracles.insert(oracleRecord(id));
        await tx.oracleEvents.insert(oracleEventRecord('ora_event', 'e'));
        await tx.contracts.insert(contractRecord('ctr_one', { oracleIds: ['ora_contract'] }));
      });
      const remove = (account: AccountId, id: OracleId) => store.write((tx) => tx.oracles.delete(account, id));
      expect(await remove('acc_two', 'ora_free')).toBe(false);
      expect(await remove('acc_one', 'ora_free')).toBe(true);
      expect(await remove('acc_one', 'ora_event')).toBe(false);
      expect(await remove('acc_one', 'ora_contract')).toBe(false);
    });

    it('are listed in pages, newest first, by kind and external id', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        for (const n of [1, 2, 3]) {
          await tx.oracles.insert(oracleRecord(`ora_${n}`, { createdAt: Math.min(n, 2), externalId: `x${n}` }));
        }
        await tx.oracles.insert(localOracle('ora_4', { createdAt: 0 }));
        await tx.oracles.insert(oracleRecord('ora_5', { accountId: 'acc_two' }));
      });
      const first = await store.read.oracles.list('acc_one', {}, page);
      expect(first).toMatchObject({ total: 4, hasMore: true });
      const rest = await store.read.oracles.list('acc_one', {}, { ...page, cursor: first.nextCursor ?? '' });
      expect([...first.data, ...rest.data].map(({ oracleId }) => oracleId)).toEqual([
        'ora_3',
        'ora_2',
        'ora_1',
        'ora_4',
      ]);
      expect((await store.read.oracles.list('acc_one', { kind: 'local' }, page)).total).toBe(1);
      expect((await store.read.oracles.list('acc_one', { externalId: 'x2' }, page)).data[0]?.oracleId).toBe('ora_2');
    });
  });

  describe('events', () => {
    it('come back as they were, to their account alone, under an id of their oracle’s', async () => {
      const { store } = context;
      const event = oracleEventRecord('ora_own', 'naïve 😀 "e"', {
        nonces: sealed,
        maturityEpoch: 4_294_967_295,
      });
      await store.write(async (tx) => {
        await tx.oracles.insert(localOracle('ora_own'));
        await tx.oracleEvents.insert(event);
        await expect(tx.oracleEvents.insert(event)).rejects.toMatchObject({
          code: 'already_exists',
          details: { field: 'event_id' },
        });
        for (const eventId of ['', 'x'.repeat(501), 'zero\0']) {
          await expect(tx.oracleEvents.insert({ ...event, eventId })).rejects.toMatchObject({ code: 'invalid_value' });
        }
      });
      const { oracleEvents } = store.read;
      expect(await oracleEvents.find('acc_one', 'ora_own', event.eventId)).toEqual(event);
      expect(await oracleEvents.find('acc_two', 'ora_own', event.eventId)).toBeNull();
      expect(await store.write((tx) => tx.oracleEvents.findForUpdate('acc_two', 'ora_own', event.eventId))).toBeNull();
      expect(await store.write((tx) => tx.oracleEvents.findForUpdate('acc_one', 'ora_own', event.eventId))).toEqual(
        event,
      );
    });

    it('are listed in pages, newest first, by oracle, id, and whether they are attested', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        await tx.oracles.insert(localOracle('ora_own'));
        await tx.oracles.insert(oracleRecord('ora_two'));
        for (const id of ['a b', 'a c', 'z']) await tx.oracleEvents.insert(oracleEventRecord('ora_own', id));
        await tx.oracleEvents.insert(oracleEventRecord('ora_two', 'z'));
        await tx.attestations.insert(attestationRecord('ora_own', 'a c', ['yes']));
      });
      const list = (filter: object, cursor?: string) =>
        store.read.oracleEvents.list('acc_one', filter, cursor === undefined ? page : { ...page, cursor });
      const first = await list({});
      const rest = await list({}, first.nextCursor ?? '');
      expect(first.total).toBe(4);
      expect([...first.data, ...rest.data].map(({ oracleId, eventId }) => `${oracleId}/${eventId}`)).toEqual([
        'ora_two/z',
        'ora_own/z',
        'ora_own/a c',
        'ora_own/a b',
      ]);
      expect((await list({ eventId: 'z' })).total).toBe(2);
      expect((await list({ oracleId: 'ora_own', eventId: 'z' })).total).toBe(1);
      expect((await list({ attested: true })).data.map(({ eventId }) => eventId)).toEqual(['a c']);
      expect((await list({ attested: false })).total).toBe(3);
      expect((await store.read.oracleEvents.list('acc_two', {}, page)).total).toBe(0);
    });

    it('have one outcome for ever, whoever commits at the same time', async () => {
      const { store } = context;
      await store.write((tx) => tx.oracles.insert(localOracle('ora_own')));
      const other = await context.beside();
      for (let round = 0; round < 10; round++) {
        await announce(oracleEventRecord('ora_own', `e${round}`));
        const answers = await Promise.all(
          ['["a"]', '["b"]', '["c"]', '["d"]'].map((outcome, n) =>
            commit(`e${round}`, outcome, n, n % 2 ? other : store),
          ),
        );
        expect(new Set(answers).size).toBe(1);
        const stored = await store.read.oracleEvents.find('acc_one', 'ora_own', `e${round}`);
        expect(stored?.committedOutcome).toBe(answers[0]);
        expect(['["a"]', '["b"]', '["c"]', '["d"]'][stored?.committedAt ?? 9]).toBe(answers[0]);
        expect(await commit(`e${round}`, '["z"]', 99)).toBe(answers[0]);
      }
      await expect(commit('no such', '["a"]')).rejects.toMatchObject({ code: 'not_found' });
      await expect(
        store.write((tx) =>
          tx.oracleEvents.commitOutcome({ accountId: 'acc_two', oracleId: 'ora_own', eventId: 'e0' }, '["a"]', 1),
        ),
      ).rejects.toMatchObject({ code: 'not_found' });
    });

    it('that are attested already, as a posted attestation shows, are committed to nothing else', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        await tx.oracles.insert(localOracle('ora_own'));
        await tx.oracleEvents.insert(oracleEventRecord('ora_own', 'e'));
        await tx.attestations.insert(attestationRecord('ora_own', 'e', ['yes']));
      });
      expect(await commit('e', '["no"]')).toBe('["yes"]');
      expect((await store.read.oracleEvents.find('acc_one', 'ora_own', 'e'))?.committedOutcome).toBeNull();
      expect(await commit('e', '["yes"]')).toBe('["yes"]');
      expect((await store.read.oracleEvents.find('acc_one', 'ora_own', 'e'))?.committedOutcome).toBe('["yes"]');
    });

    it('freeze where no attestation is known, of local oracles only, and are then committed to nothing', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        await tx.oracles.insert(localOracle('ora_own'));
        await tx.oracles.insert(oracleRecord('ora_two'));
        for (const id of ['open', 'committed', 'attested']) {
          await tx.oracleEvents.insert(oracleEventRecord('ora_own', id));
        }
        await tx.oracleEvents.insert(oracleEventRecord('ora_two', 'foreign'));
        await tx.oracleEvents.commitOutcome(
          { accountId: 'acc_one', oracleId: 'ora_own', eventId: 'committed' },
          '["yes"]',
          1,
        );
        await tx.attestations.insert(attestationRecord('ora_own', 'attested', ['yes']));
      });
      expect(await store.write((tx) => tx.oracleEvents.freezeUnattested(77))).toBe(2);
      expect(await store.write((tx) => tx.oracleEvents.freezeUnattested(78))).toBe(0);
      for (const id of ['open', 'committed']) {
        await expect(commit(id, '["yes"]')).rejects.toMatchObject({ code: 'oracle_frozen' });
      }
      expect(await commit('attested', '["yes"]')).toBe('["yes"]');
      const { data } = await store.read.oracleEvents.list('acc_one', {}, { limit: 10, offset: 0 });
      expect(new Map(data.map(({ eventId, frozenAt }) => [eventId, frozenAt]))).toEqual(
        new Map([
          ['open', 77],
          ['committed', 77],
          ['attested', null],
          ['foreign', null],
        ]),
      );
      await announce(oracleEventRecord('ora_own', 'new'));
      expect(await commit('new', '["no"]')).toBe('["no"]');
    });

    it('are asked for where a contract waits for them, those asked longest ago first', async () => {
      const { store } = context;
      const now = 1_700_000_500_000;
      await store.write(async (tx) => {
        await tx.oracles.insert(oracleRecord('ora_url'));
        await tx.oracles.insert(oracleRecord('ora_mute', { url: null }));
        for (const id of ['a', 'b', 'done', 'idle']) await tx.oracleEvents.insert(oracleEventRecord('ora_url', id));
        await tx.oracleEvents.insert(oracleEventRecord('ora_url', 'later', { maturityEpoch: 1_700_000_501 }));
        await tx.oracleEvents.insert(oracleEventRecord('ora_mute', 'a'));
        await tx.attestations.insert(attestationRecord('ora_url', 'done', ['yes']));
        const waiting = [
          ['ora_url', 'a', 'confirmed'],
          ['ora_url', 'b', 'funded'],
          ['ora_url', 'done', 'confirmed'],
          ['ora_url', 'later', 'confirmed'],
          ['ora_url', 'idle', 'closed'],
          ['ora_mute', 'a', 'confirmed'],
        ] as const;
        for (const [n, [oracle, event, status]] of waiting.entries()) {
          await tx.contracts.insert(contractRecord(`ctr_${n}`, { status, oracleIds: [oracle], eventIds: [event] }));
        }
      });
      const polls = async (all = 10, at = now) =>
        (await store.read.oracles.toPoll(at, { ofEach: 10, all })).map(
          ({ oracle, event, awaited }) => `${oracle.oracleId}/${event.eventId}${awaited ? '' : ' not awaited'}`,
        );
      // Of an oracle without URL nobody can be asked now: whoever asks puts that off.
      expect(await polls()).toEqual(['ora_mute/a', 'ora_url/a', 'ora_url/b']);
      expect(await polls(1)).toEqual(['ora_mute/a']);
      await store.write(async (tx) => {
        await tx.oracleEvents.pollLater('acc_one', 'ora_mute', 'a', now + 10);
        await tx.oracleEvents.polled('acc_one', 'ora_url', 'a', { at: now, next: now + 5 });
        await tx.oracleEvents.polled('acc_one', 'ora_url', 'idle', { at: now, next: now + 5 });
        // Sooner is not later.
        await tx.oracleEvents.pollLater('acc_one', 'ora_url', 'a', now);
        await tx.oracleEvents.pollLater('acc_two', 'ora_url', 'b', now + 10);
        await tx.oracleEvents.polled('acc_two', 'ora_url', 'b', { at: now, next: now + 5 });
      });
      expect(await polls()).toEqual(['ora_url/b']);
      expect(await polls(10, now + 5)).toEqual(['ora_url/b', 'ora_url/a']);
      expect(await polls(10, now + 10)).toEqual(['ora_url/b', 'ora_url/a', 'ora_mute/a']);
    });

    it('are not asked for once they are attested, or no contract waits; and are again when one does', async () => {
      const { store } = context;
      const at = 1_700_000_500_000;
      const polls = async () =>
        (await store.read.oracles.toPoll(at, { ofEach: 10, all: 10 })).map(
          ({ event, awaited }) => `${event.eventId}${awaited ? '' : ' not awaited'}`,
        );
      await store.write(async (tx) => {
        await tx.oracles.insert(oracleRecord('ora_one'));
        for (const id of ['a', 'b']) {
          await tx.oracleEvents.insert(oracleEventRecord('ora_one', id));
          await tx.contracts.insert(
            contractRecord(`ctr_${id}`, { status: 'accepted', oracleIds: ['ora_one'], eventIds: [id] }),
          );
        }
      });
      expect(await polls()).toEqual([]);
      const move = (id: ContractId, status: 'signed' | 'cancelled' | 'confirmed') =>
        store.write((tx) => tx.contracts.update('acc_one', id, { status }));
      await move('ctr_a', 'signed');
      await move('ctr_b', 'confirmed');
      expect(await polls()).toEqual(['a', 'b']);
      await move('ctr_a', 'cancelled');
      expect(await polls()).toEqual(['a not awaited', 'b']);
      const no = (id: string) => store.write((tx) => tx.oracleEvents.pollLater('acc_one', 'ora_one', id, null));
      await no('a');
      await no('b');
      expect(await polls()).toEqual(['b']);
      await move('ctr_a', 'signed');
      expect(await polls()).toEqual(['a', 'b']);
      await store.write((tx) => tx.attestations.insert(attestationRecord('ora_one', 'b', ['yes'])));
      expect(await polls()).toEqual(['a']);
      await move('ctr_b', 'signed');
      await store.write((tx) => tx.oracleEvents.pollAwaited());
      expect(await polls()).toEqual(['a']);
    });

    it('are asked for though that was missed', async () => {
      const { store } = context;
      const events = ['a', 'b', 'done', 'idle'];
      await store.write(async (tx) => {
        await tx.oracles.insert(oracleRecord('ora_one'));
        for (const id of events) {
          await tx.oracleEvents.insert(oracleEventRecord('ora_one', id));
          const status = id === 'idle' ? 'closed' : 'funded';
          await tx.contracts.insert(contractRecord(`ctr_${id}`, { status, oracleIds: ['ora_one'], eventIds: [] }));
        }
        await tx.attestations.insert(attestationRecord('ora_one', 'done', ['yes']));
        // No contract begins to wait by these.
        for (const id of events) await tx.contracts.update('acc_one', `ctr_${id}`, { eventIds: [id] });
      });
      const due = async () =>
        (await store.read.oracles.toPoll(1_700_000_500_000, { ofEach: 10, all: 10 })).map(({ event }) => event.eventId);
      expect(await due()).toEqual([]);
      await store.write((tx) => tx.oracleEvents.pollAwaited());
      expect(await due()).toEqual(['a', 'b']);
      await store.write((tx) => tx.oracleEvents.polled('acc_one', 'ora_one', 'a', { at: 1, next: 1_800_000_000_000 }));
      await store.write((tx) => tx.oracleEvents.pollAwaited());
      expect(await due()).toEqual(['b']);
    });

    it('of all accounts come in turn, a few of each', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        for (const [account, count] of [
          ['acc_one', 7],
          ['acc_two', 2],
        ] as const) {
          await tx.oracles.insert(oracleRecord(`ora_${account}`, { accountId: account }));
          for (let n = 0; n < count; n++) {
            const of = { accountId: account, eventIds: [`e${n}`], oracleIds: [`ora_${account}` as const] };
            await tx.oracleEvents.insert(oracleEventRecord(`ora_${account}`, `e${n}`, { accountId: account }));
            await tx.contracts.insert(contractRecord(`ctr_${account}${n}`, { ...of, status: 'confirmed' }));
          }
        }
        await tx.oracleEvents.polled('acc_two', 'ora_acc_two', 'e0', { at: 1, next: 1_700_000_400_000 });
      });
      const polls = async (ofEach: number, all: number) =>
        (await store.read.oracles.toPoll(1_700_000_500_000, { ofEach, all })).map(
          ({ event }) => `${event.accountId} ${event.eventId}`,
        );
      expect(await polls(3, 9)).toEqual([...['acc_one e0', 'acc_two e1', 'acc_one e1', 'acc_two e0', 'acc_one e2']]);
      expect(await polls(3, 2)).toEqual(['acc_one e0', 'acc_two e1']);
    });
  });

  describe('attestations', () => {
    it('are kept once for each outcome of an event, and two of them are an equivocation', async () => {
      const { store } = context;
      const yes = attestationRecord('ora_two', 'e', ['yes'], { createdAt: 1 });
      const no = attestationRecord('ora_two', 'e', ['no'], { createdAt: 2, source: 'chain' });
      const long = attestationRecord('ora_two', 'f', ['x'.repeat(10_000)]);
      await store.write(async (tx) => {
        await tx.oracles.insert(oracleRecord('ora_two'));
        for (const id of ['e', 'f']) await tx.oracleEvents.insert(oracleEventRecord('ora_two', id));
        expect(await tx.attestations.insert(yes)).toBe(true);
        expect(await tx.attestations.insert({ ...yes, attestationId: 'att_again', attestation: 'other' })).toBe(false);
        expect(await tx.attestations.insert(no)).toBe(true);
        expect(await tx.attestations.insert(long)).toBe(true);
      });
      const { attestations } = store.read;
      expect(await attestations.ofEvent('acc_one', 'ora_two', 'e')).toEqual([yes, no]);
      expect(await attestations.ofEvent('acc_two', 'ora_two', 'e')).toEqual([]);
      expect(await attestations.find('acc_one', yes.attestationId)).toEqual(yes);
      expect(await attestations.find('acc_two', yes.attestationId)).toBeNull();
      const list = (filter: object) => attestations.list('acc_one', filter, { limit: 10, offset: 0 });
      expect((await list({ equivocated: true })).data).toEqual([no, yes]);
      expect((await list({ equivocated: false })).data).toEqual([long]);
      expect((await list({ oracleId: 'ora_two', eventId: 'f' })).data).toEqual([long]);
      const first = await attestations.list('acc_one', {}, page);
      const rest = await attestations.list('acc_one', {}, { ...page, cursor: first.nextCursor ?? '' });
      expect([...first.data, ...rest.data]).toEqual([long, no, yes]);
      expect((await attestations.list('acc_two', {}, page)).total).toBe(0);
    });

    it('need the event', async () => {
      const orphan = attestationRecord('ora_none', 'e', ['yes']);
      await expect(context.store.write((tx) => tx.attestations.insert(orphan))).rejects.toThrow();
    });
  });
}
