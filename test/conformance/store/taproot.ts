/** Taproot outputs and MuSig2 sessions. */
import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import type { MusigSessionRecord } from '../../../src/store/repositories/musig-sessions.ts';
import type { TaprootOutputRecord } from '../../../src/store/repositories/taproot-outputs.ts';
import { scriptRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const key = (digit: number): string => digit.toString(16).repeat(64);

const output = (outputId: string, patch: Partial<TaprootOutputRecord> = {}): TaprootOutputRecord => ({
  outputId,
  accountId: 'acc_one',
  name: 'vault',
  externalId: 'customer-7',
  network: 'regtest',
  internalKey: key(1),
  tree: [
    { script: '51', leafVersion: 0xc0 },
    [
      { script: '52', leafVersion: 0xc0 },
      { script: '', leafVersion: 0xc2 },
    ],
  ],
  leafCount: 3,
  merkleRoot: key(2),
  outputKey: key(3),
  parity: 1,
  scriptPubKey: `5120${key(3)}`,
  address: 'bcrt1pone',
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  ...patch,
});

const session = (sessionId: string, patch: Partial<MusigSessionRecord> = {}): MusigSessionRecord => ({
  sessionId,
  accountId: 'acc_one',
  name: 'joint',
  externalId: 'contract-9',
  state: 'awaiting_nonces',
  message: key(7),
  sorted: true,
  tweaks: [{ tweak: key(8), xOnly: false }],
  taproot: { merkleRoot: null },
  participants: [
    { publicKey: `02${key(4)}`, publicNonce: null, partialSignature: null },
    { publicKey: `03${key(5)}`, publicNonce: null, partialSignature: null },
  ],
  aggregateKey: key(6),
  internalKey: key(9),
  aggregateNonce: null,
  signature: null,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  ...patch,
});

export function taprootTests(context: StoreContext): void {
  describe('outputs', () => {
    it('come back as they were, to their account alone', async () => {
      const { store } = context;
      const bare = output('tro_bare', { name: null, externalId: null, tree: null, leafCount: 0, merkleRoot: null });
      await store.write(async (tx) => {
        await tx.taprootOutputs.insert(output('tro_one'));
        await tx.taprootOutputs.insert({ ...bare, parity: 0 });
      });
      expect(await store.read.taprootOutputs.find('acc_one', 'tro_one')).toEqual(output('tro_one'));
      expect(await store.read.taprootOutputs.find('acc_one', 'tro_bare')).toEqual({ ...bare, parity: 0 });
      expect(await store.read.taprootOutputs.find('acc_two', 'tro_one')).toBeNull();
    });

    it('have a tree and its root, or neither', async () => {
      const { store } = context;
      for (const half of [{ tree: null }, { merkleRoot: null }]) {
        await expect(store.write((tx) => tx.taprootOutputs.insert(output('tro_half', half)))).rejects.toThrow();
      }
    });

    it('are renamed by their account alone', async () => {
      const { store } = context;
      await store.write((tx) => tx.taprootOutputs.insert(output('tro_one')));
      const names = { name: 'cold', externalId: null, updatedAt: 1_700_000_000_009 };
      const rename = (account: AccountId) => store.write((tx) => tx.taprootOutputs.rename(account, 'tro_one', names));
      expect(await rename('acc_two')).toBe(false);
      expect(await rename('acc_one')).toBe(true);
      expect(await store.read.taprootOutputs.find('acc_one', 'tro_one')).toEqual(output('tro_one', names));
    });

    it('are deleted by their account alone, unless a wallet of it watches the script', async () => {
      const { store } = context;
      const { scriptPubKey } = output('tro_one');
      const foreign = scriptRecord(0, { walletId: 'wal_other', accountId: 'acc_two', scriptPubKey });
      await store.write(async (tx) => {
        await tx.taprootOutputs.insert(output('tro_one'));
        await tx.scripts.insertMissing([scriptRecord(0, { scriptPubKey }), foreign]);
        await tx.taprootOutputs.insert(output('tro_two', { scriptPubKey: `5120${key(4)}`, outputKey: key(4) }));
        await tx.taprootOutputs.insert(output('tro_other', { accountId: 'acc_two', scriptPubKey: `5120${key(5)}` }));
      });
      const remove = (account: AccountId, id: string) =>
        store.write((tx) => tx.taprootOutputs.deleteUnwatched(account, id));
      expect(await remove('acc_one', 'tro_one')).toBe(false);
      expect(await store.read.taprootOutputs.watchedBy('acc_one', scriptPubKey)).toBe('wal_one');
      expect(await store.read.taprootOutputs.watchedBy('acc_two', scriptPubKey)).toBe('wal_other');
      expect(await store.read.taprootOutputs.watchedBy('acc_one', `5120${key(4)}`)).toBeNull();
      expect(await remove('acc_two', 'tro_two')).toBe(false);
      expect(await remove('acc_one', 'tro_two')).toBe(true);
      expect(await remove('acc_one', 'tro_two')).toBe(false);
      expect(await store.read.taprootOutputs.find('acc_one', 'tro_two')).toBeNull();
      expect(await store.read.taprootOutputs.find('acc_two', 'tro_other')).not.toBeNull();
    });

    it('are listed in pages, newest first, by what they are called', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        for (const n of [1, 2, 3]) {
          const createdAt = 1_700_000_000_000 + Math.min(n, 2);
          await tx.taprootOutputs.insert(output(`tro_${n}`, { createdAt, name: n === 1 ? 'one' : 'more' }));
        }
        await tx.taprootOutputs.insert(output('tro_other', { accountId: 'acc_two' }));
      });
      const list = async (filter: object, page = {}) =>
        await store.read.taprootOutputs.list('acc_one', filter, { limit: 2, offset: 0, ...page });
      const first = await list({});
      expect(first).toMatchObject({ total: 3, hasMore: true });
      const rest = await list({}, { cursor: first.nextCursor ?? '' });
      expect([...first.data, ...rest.data].map(({ outputId }) => outputId)).toEqual(['tro_3', 'tro_2', 'tro_1']);
      expect((await list({ name: 'one' })).data.map(({ outputId }) => outputId)).toEqual(['tro_1']);
      expect((await list({ externalId: 'nobody' })).total).toBe(0);
      expect((await list({ externalId: 'customer-7', address: 'bcrt1pone' })).total).toBe(3);
      expect((await list({ address: 'bcrt1ptwo' })).total).toBe(0);
      expect((await list({}, { offset: 2 })).data.map(({ outputId }) => outputId)).toEqual(['tro_1']);
    });
  });

  describe('MuSig2 sessions', () => {
    it('come back as they were, to their account alone', async () => {
      const { store } = context;
      const bare = session('mus_bare', { name: null, externalId: null, taproot: null, internalKey: null, tweaks: [] });
      await store.write(async (tx) => {
        await tx.musigSessions.insert(session('mus_one'));
        await tx.musigSessions.insert({ ...bare, sorted: false });
      });
      expect(await store.read.musigSessions.find('acc_one', 'mus_one')).toEqual(session('mus_one'));
      expect(await store.read.musigSessions.find('acc_one', 'mus_bare')).toEqual({ ...bare, sorted: false });
      expect(await store.read.musigSessions.find('acc_two', 'mus_one')).toBeNull();
      expect(await store.write((tx) => tx.musigSessions.findForUpdate('acc_two', 'mus_one'))).toBeNull();
    });

    const complete = {
      ...{ name: 'renamed', externalId: 'mine-2' },
      state: 'complete',
      participants: session('mus_one').participants.map((one) => ({
        ...one,
        publicNonce: '02'.repeat(66),
        partialSignature: key(1),
      })),
      aggregateNonce: '03'.repeat(66),
      signature: key(2) + key(3),
      updatedAt: 1_700_000_000_500,
    } as const;

    it('advance by their account alone, to a state that their signature fits', async () => {
      const { store } = context;
      await store.write((tx) => tx.musigSessions.insert(session('mus_one')));
      const advance = (account: AccountId, to: Partial<MusigSessionRecord> = {}) =>
        store.write((tx) => tx.musigSessions.advance(account, 'mus_one', { ...complete, ...to }));
      await advance('acc_two');
      expect(await store.read.musigSessions.find('acc_one', 'mus_one')).toEqual(session('mus_one'));
      await expect(advance('acc_one', { signature: null })).rejects.toThrow();
      await expect(advance('acc_one', { state: 'cancelled' })).rejects.toThrow();
      await advance('acc_one');
      expect(await store.read.musigSessions.find('acc_one', 'mus_one')).toEqual(session('mus_one', complete));
    });

    it('are changed by one job at a time', async () => {
      const { store } = context;
      await store.write((tx) => tx.musigSessions.insert(session('mus_one')));
      // Each job writes what it read and one more: none is lost.
      const jobs = Array.from({ length: 8 }, (_, n) =>
        store.write(async (tx) => {
          const held = (await tx.musigSessions.findForUpdate('acc_one', 'mus_one')) as MusigSessionRecord;
          const more = { publicKey: `02${n}`, publicNonce: null, partialSignature: null };
          const participants = [...held.participants, more];
          await tx.musigSessions.advance('acc_one', 'mus_one', { ...held, participants });
        }),
      );
      await Promise.all(jobs);
      expect((await store.read.musigSessions.find('acc_one', 'mus_one'))?.participants).toHaveLength(10);
    });

    it('take a public nonce once per account, also at the same time', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        for (const id of ['mus_one', 'mus_two']) await tx.musigSessions.insert(session(id));
        await tx.musigSessions.insert(session('mus_other', { accountId: 'acc_two' }));
      });
      const nonce = '02'.repeat(66);
      const take = (account: AccountId, id: string) =>
        store.write((tx) => tx.musigSessions.takeNonce(account, { publicNonce: nonce, usedBy: id }));
      const taken = await Promise.all([take('acc_one', 'mus_one'), take('acc_one', 'mus_two')]);
      expect(taken.filter((one) => one)).toHaveLength(1);
      expect(await take('acc_one', 'mus_one')).toBe(false);
      expect(await take('acc_two', 'mus_other')).toBe(true);
    });

    it('are listed in pages, newest first, by state', async () => {
      const { store } = context;
      await store.write(async (tx) => {
        for (const n of [1, 2, 3]) {
          const createdAt = 1_700_000_000_000 + Math.min(n, 2);
          await tx.musigSessions.insert(session(`mus_${n}`, { createdAt, ...(n === 2 ? complete : {}) }));
        }
        await tx.musigSessions.insert(session('mus_other', { accountId: 'acc_two' }));
      });
      const list = async (filter: object, page = {}) =>
        await store.read.musigSessions.list('acc_one', filter, { limit: 2, offset: 0, ...page });
      const first = await list({});
      const rest = await list({}, { cursor: first.nextCursor ?? '' });
      expect([...first.data, ...rest.data].map(({ sessionId }) => sessionId)).toEqual(['mus_3', 'mus_2', 'mus_1']);
      expect((await list({ state: 'complete' })).data.map(({ sessionId }) => sessionId)).toEqual(['mus_2']);
      expect((await list({ name: 'joint', externalId: 'contract-9' })).total).toBe(2);
      expect((await list({ name: 'renamed', externalId: 'mine-2' })).total).toBe(1);
      expect((await list({ name: 'another' })).total).toBe(0);
    });
  });
}
