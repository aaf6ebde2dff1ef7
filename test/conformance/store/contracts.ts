/** Discreet Log Contracts, their messages, and what of them is watched and locked. */

import { describe, expect, it } from 'vitest';
import { coinHoldOf } from '../../../src/core/dlc/coin-hold.ts';
import type { AccountId, ContractId, OracleId } from '../../../src/core/ids.ts';
import type { ContractRecord } from '../../../src/store/repositories/contract-rows.ts';
import {
  attestationRecord,
  contractRecord,
  fullContractRecord,
  oracleEventRecord,
  oracleRecord,
} from '../../builders/contract-records.ts';
import { blockHashOf, coinRecord, outpointOf, transactionRecord, txidOf } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const page = { limit: 2, offset: 0 };

export function contractTests(context: StoreContext): void {
  const withOracles = () =>
    context.store.write(async (tx) => {
      for (const id of ['ora_a', 'ora_b'] as const) {
        await tx.oracles.insert(oracleRecord(id));
        for (const event of ['e', 'f']) await tx.oracleEvents.insert(oracleEventRecord(id, event));
      }
    });

  it('come back as they were, to their account alone', async () => {
    const { store } = context;
    await withOracles();
    const full = fullContractRecord('ctr_full', { oracleIds: ['ora_b', 'ora_a'], eventIds: ['f', 'e'] });
    const bare = contractRecord('ctr_bare');
    await store.write(async (tx) => {
      await tx.contracts.insert(full);
      await tx.contracts.insert(bare);
    });
    expect(await store.read.contracts.find('acc_one', 'ctr_full')).toEqual(full);
    expect(await store.read.contracts.find('acc_one', 'ctr_bare')).toEqual(bare);
    expect(await store.read.contracts.find('acc_two', 'ctr_full')).toBeNull();
    await store.write(async (tx) => {
      expect(await tx.contracts.findForUpdate('acc_one', 'ctr_full')).toEqual(full);
      expect(await tx.contracts.findForUpdate('acc_two', 'ctr_full')).toBeNull();
    });
  });

  it('take every change, and nothing else', async () => {
    const { store } = context;
    await withOracles();
    const bare = contractRecord('ctr_one');
    await store.write((tx) => tx.contracts.insert(bare));
    const {
      contractId: _id,
      accountId: _account,
      createdAt: _at,
      offerId: _offer,
      oracleProof: _proof,
      temporaryContractId: _temporary,
      role: _role,
      dialect: _dialect,
      ...patch
    } = fullContractRecord('ctr_one', { oracleIds: ['ora_a'], eventIds: ['e'] });
    await expect(store.write((tx) => tx.contracts.update('acc_two', 'ctr_one', patch))).rejects.toMatchObject({
      code: 'not_found',
    });
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', patch));
    expect(await store.read.contracts.find('acc_one', 'ctr_one')).toEqual({ ...bare, ...patch });
    const cleared = {
      outcome: null,
      closingTxid: null,
      closingKind: null,
      closingHeight: null,
      closingBlockHash: null,
    };
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', { ...cleared, status: 'confirmed' }));
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_one', {}));
    expect(await store.read.contracts.find('acc_one', 'ctr_one')).toEqual({
      ...bare,
      ...patch,
      ...cleared,
      status: 'confirmed',
    });
  });

  it('are of one offer in each role, one external id, and a refusal leaves the job going', async () => {
    const { store } = context;
    const one = contractRecord('ctr_one', { role: 'offerer', externalId: 'x' });
    await store.write(async (tx) => {
      await tx.contracts.insert(one);
      await expect(tx.contracts.insert({ ...one, contractId: 'ctr_two', externalId: null })).rejects.toMatchObject({
        code: 'already_exists',
        details: { field: 'message' },
      });
      await expect(tx.contracts.insert(contractRecord('ctr_three', { externalId: 'x' }))).rejects.toMatchObject({
        code: 'already_exists',
        details: { field: 'external_id' },
      });
      await tx.contracts.insert({ ...one, contractId: 'ctr_four', externalId: null, role: 'accepter' });
      await tx.contracts.insert({ ...one, contractId: 'ctr_five', accountId: 'acc_two' });
    });
    expect((await store.read.contracts.list('acc_one', {}, page)).total).toBe(2);
    const held = await store.write((tx) => tx.contracts.byOfferIds('acc_one', [one.offerId, 'ff']));
    expect(held.map(({ contractId }) => contractId)).toEqual(['ctr_four', 'ctr_one']);
    const names = [coinHoldOf('ctr_four'), coinHoldOf('ctr_five'), txidOf('another')];
    const holding = await store.write((tx) => tx.contracts.byCoinHolds('acc_one', names));
    expect(holding.map(({ contractId }) => contractId)).toEqual(['ctr_four']);
  });

  it('are listed in pages, newest first, by status, role, oracle and external id', async () => {
    const { store } = context;
    await withOracles();
    await store.write(async (tx) => {
      for (const n of [1, 2, 3]) {
        await tx.contracts.insert(
          contractRecord(`ctr_${n}`, {
            createdAt: Math.min(n, 2),
            externalId: `x${n}`,
            status: n === 1 ? 'closed' : 'offered',
            role: n === 2 ? 'accepter' : 'both',
            oracleIds: n === 3 ? ['ora_a', 'ora_b'] : ['ora_a'],
            eventIds: n === 3 ? ['e', 'e'] : ['e'],
          }),
        );
      }
      await tx.contracts.insert(contractRecord('ctr_other', { accountId: 'acc_two' }));
    });
    const list = (filter: object) => store.read.contracts.list('acc_one', filter, page);
    const first = await list({});
    expect(first).toMatchObject({ total: 3, hasMore: true });
    const rest = await store.read.contracts.list('acc_one', {}, { ...page, cursor: first.nextCursor ?? '' });
    expect([...first.data, ...rest.data].map(({ contractId }) => contractId)).toEqual(['ctr_3', 'ctr_2', 'ctr_1']);
    expect((await list({ status: 'closed' })).data.map(({ contractId }) => contractId)).toEqual(['ctr_1']);
    expect((await list({ role: 'accepter' })).data.map(({ contractId }) => contractId)).toEqual(['ctr_2']);
    expect((await list({ oracleId: 'ora_b' })).data.map(({ contractId }) => contractId)).toEqual(['ctr_3']);
    expect((await list({ oracleId: 'ora_a' })).total).toBe(3);
    expect((await list({ externalId: 'x2' })).data.map(({ contractId }) => contractId)).toEqual(['ctr_2']);
  });

  it('that are open come oldest first, in steps, of every account', async () => {
    const { store } = context;
    const statuses = ['confirmed', 'closed', 'offered', 'failed', 'refunded'] as const;
    await store.write(async (tx) => {
      for (const [n, status] of statuses.entries()) {
        const accountId = n === 2 ? 'acc_two' : 'acc_one';
        await tx.contracts.insert(contractRecord(`ctr_${n}`, { status, accountId, createdAt: n < 3 ? 5 : 6 }));
      }
    });
    const first = await store.read.contracts.open(null, 2);
    expect(first.map(({ contractId }) => contractId)).toEqual(['ctr_0', 'ctr_2']);
    const last = first.at(-1)!;
    const rest = await store.read.contracts.open({ createdAt: last.createdAt, contractId: last.contractId }, 2);
    expect(rest.map(({ contractId }) => contractId)).toEqual(['ctr_4']);
  });

  describe('that are due', () => {
    const at = { now: 1_000, height: 200, medianTime: 1_600_000_000 };
    const due = async (more: object = {}, limit = 50) =>
      (await context.store.read.contracts.due({ ...at, ...more }, null, limit)).map(({ contractId }) => contractId);
    const insert = (...rows: ContractRecord[]) =>
      context.store.write(async (tx) => {
        for (const row of rows) await tx.contracts.insert(row);
      });

    it('are those that something is to be done of; the others wait unread', async () => {
      await withOracles();
      const side = fullContractRecord('ctr_full').acceptSide;
      const later = { refundLocktime: 10_000 };
      const funding = { fundingTxid: txidOf('f'), fundingVout: 0 };
      const closing = { ...funding, closingTxid: txidOf('c'), closingKind: 'cet' as const };
      const inBlock = { closingHeight: 5, closingBlockHash: blockHashOf(5) };
      await insert(
        contractRecord('ctr_due_made', { role: 'both', status: 'offered' }),
        contractRecord('ctr_due_signing', { role: 'both', status: 'accepted' }),
        contractRecord('ctr_due_accepting', { role: 'accepter', status: 'offered', acceptSide: side }),
        contractRecord('ctr_due_answering', { role: 'offerer', status: 'accepted' }),
        contractRecord('ctr_due_sending', { status: 'signed' }),
        contractRecord('ctr_due_closing', { ...later, ...closing, status: 'confirmed' }),
        contractRecord('ctr_due_closing_unconfirmed', { ...later, ...closing, status: 'funded' }),
        contractRecord('ctr_due_executed', { ...later, ...closing, status: 'executed' }),
        contractRecord('ctr_due_refunded', { ...later, ...closing, status: 'refunded' }),
        contractRecord('ctr_due_learned', { ...closing, ...inBlock, status: 'closed' }),
        contractRecord('ctr_offer', { role: 'offerer', status: 'offered' }),
        contractRecord('ctr_foreign_offer', { role: 'accepter', status: 'offered' }),
        contractRecord('ctr_sent_by_others', { status: 'signed', role: 'offerer' }),
        contractRecord('ctr_answered', { role: 'accepter', status: 'accepted' }),
        contractRecord('ctr_funded', { ...later, ...funding, status: 'funded' }),
        contractRecord('ctr_confirmed', { ...later, ...funding, status: 'confirmed' }),
        contractRecord('ctr_known', { ...closing, ...inBlock, status: 'closed', outcome: 'yes' }),
        contractRecord('ctr_refund_closed', { ...closing, ...inBlock, closingKind: 'refund', status: 'closed' }),
        contractRecord('ctr_cancelled', { status: 'cancelled' }),
        contractRecord('ctr_failed', { status: 'failed', refundLocktime: 1, expiresAt: 1 }),
      );
      expect((await due()).toSorted()).toEqual([
        'ctr_due_accepting',
        'ctr_due_answering',
        'ctr_due_closing',
        'ctr_due_closing_unconfirmed',
        'ctr_due_executed',
        'ctr_due_learned',
        'ctr_due_made',
        'ctr_due_refunded',
        'ctr_due_sending',
        'ctr_due_signing',
      ]);
    });

    it('are offers whose time is over', async () => {
      await insert(
        contractRecord('ctr_over', { role: 'offerer', expiresAt: 1_000 }),
        contractRecord('ctr_foreign', { role: 'accepter', expiresAt: 999 }),
        contractRecord('ctr_open', { role: 'offerer', expiresAt: 1_001 }),
        contractRecord('ctr_gone', { role: 'accepter', status: 'accepted', expiresAt: 1 }),
      );
      expect(await due()).toEqual(['ctr_foreign', 'ctr_gone', 'ctr_over']);
      expect(await due({ now: 1_001 })).toEqual(['ctr_foreign', 'ctr_gone', 'ctr_open', 'ctr_over']);
    });

    it('are those whose refund may be in the next block, by height or median time', async () => {
      const confirmed = (contractId: ContractId, refundLocktime: number) =>
        contractRecord(contractId, { status: 'confirmed', refundLocktime });
      await insert(
        confirmed('ctr_height', 200),
        confirmed('ctr_higher', 201),
        confirmed('ctr_highest', 499_999_999),
        confirmed('ctr_time', 1_600_000_000),
        confirmed('ctr_timely', 1_600_000_001),
        contractRecord('ctr_unanswered', { status: 'offered', role: 'offerer', refundLocktime: 201 }),
        contractRecord('ctr_unsigned', { status: 'accepted', role: 'accepter', refundLocktime: 201 }),
      );
      expect(await due()).toEqual(['ctr_height', 'ctr_time']);
      expect(await due({ height: 201, medianTime: 500_000_000 })).toEqual([
        ...['ctr_height', 'ctr_higher', 'ctr_unanswered', 'ctr_unsigned'],
      ]);
      expect(await due({ height: 0, medianTime: 1_600_000_001 })).toEqual(['ctr_time', 'ctr_timely']);
    });

    it('are those that kept attestations may decide, whichever came first, once their CETs are open', async () => {
      const { store } = context;
      await withOracles();
      const confirmed = (contractId: ContractId, patch: Partial<ContractRecord>) =>
        contractRecord(contractId, { status: 'confirmed', refundLocktime: 4_000_000_000, ...patch });
      const one = { oracleIds: ['ora_a' as const], eventIds: ['e'] };
      const two = { oracleIds: ['ora_a', 'ora_b'] as const, eventIds: ['e', 'f'], threshold: 2 };
      await insert(
        confirmed('ctr_now', one),
        confirmed('ctr_at_200', { ...one, cetLocktime: 200 }),
        confirmed('ctr_at_201', { ...one, cetLocktime: 201 }),
        confirmed('ctr_timed', { ...one, cetLocktime: 1_600_000_000 }),
        confirmed('ctr_time_to_come', { ...one, cetLocktime: 1_600_000_001 }),
        confirmed('ctr_two', two),
        confirmed('ctr_other_event', { oracleIds: ['ora_a'], eventIds: ['f'] }),
        contractRecord('ctr_offer', { ...one, role: 'offerer', status: 'offered' }),
        contractRecord('ctr_funded', { ...one, status: 'funded' }),
      );
      expect(await due()).toEqual([]);
      const attest = (oracle: OracleId, event: string, outcome: string) =>
        store.write((tx) => tx.attestations.insert(attestationRecord(oracle, event, [outcome])));
      await attest('ora_a', 'e', 'yes');
      expect(await due()).toEqual(['ctr_at_200', 'ctr_now', 'ctr_offer', 'ctr_timed']);
      // A second one of the same event is no second oracle.
      await attest('ora_a', 'e', 'no');
      expect(await due({ height: 201 })).toEqual(['ctr_at_200', 'ctr_at_201', 'ctr_now', 'ctr_offer', 'ctr_timed']);
      await attest('ora_b', 'f', 'yes');
      expect(await due()).toContain('ctr_two');
      await insert(confirmed('ctr_restored', two), confirmed('ctr_third', { ...one, threshold: 2 }));
      expect(await due()).toEqual(['ctr_at_200', 'ctr_now', 'ctr_offer', 'ctr_restored', 'ctr_timed', 'ctr_two']);
      await store.write((tx) => tx.contracts.update('acc_one', 'ctr_now', { eventIds: ['f'] }));
      await store.write((tx) => tx.contracts.update('acc_one', 'ctr_funded', { status: 'confirmed' }));
      expect(await due()).toEqual(['ctr_at_200', 'ctr_funded', 'ctr_offer', 'ctr_restored', 'ctr_timed', 'ctr_two']);
    });

    it('come oldest first, in steps, of every account, each once', async () => {
      await insert(
        contractRecord('ctr_0', { createdAt: 5, status: 'signed' }),
        contractRecord('ctr_1', { createdAt: 5, status: 'confirmed', refundLocktime: 1 }),
        contractRecord('ctr_2', { createdAt: 5, role: 'accepter', expiresAt: 1, accountId: 'acc_two' }),
        contractRecord('ctr_3', { createdAt: 6, status: 'signed' }),
        contractRecord('ctr_4', { createdAt: 4, status: 'confirmed', refundLocktime: 1, accountId: 'acc_two' }),
      );
      const { contracts } = context.store.read;
      const seen: string[] = [];
      for (let after: Parameters<typeof contracts.due>[1] = null; ; ) {
        const page = await contracts.due(at, after, 2);
        seen.push(...page.map(({ contractId }) => contractId));
        const last = page.at(-1);
        if (last === undefined) break;
        after = { createdAt: last.createdAt, contractId: last.contractId };
      }
      expect(seen).toEqual(['ctr_4', 'ctr_0', 'ctr_1', 'ctr_2', 'ctr_3']);
    });
  });

  it('that wait for an event are found by it', async () => {
    const { store } = context;
    await withOracles();
    await store.write(async (tx) => {
      const rows = [
        ['confirmed', ['ora_a', 'ora_b'], ['e', 'f']],
        ['confirmed', ['ora_b'], ['e']],
        ['closed', ['ora_a'], ['e']],
        ['offered', ['ora_a'], ['f']],
      ] as const;
      for (const [n, [status, oracleIds, eventIds]] of rows.entries()) {
        await tx.contracts.insert(contractRecord(`ctr_${n}`, { status, oracleIds, eventIds }));
      }
    });
    const waiting = async (account: AccountId, oracle: OracleId, event: string) =>
      (await store.read.contracts.waitingFor(account, oracle, event)).map(({ contractId }) => contractId);
    expect(await waiting('acc_one', 'ora_a', 'e')).toEqual(['ctr_0']);
    expect(await waiting('acc_one', 'ora_b', 'f')).toEqual(['ctr_0']);
    expect(await waiting('acc_one', 'ora_b', 'e')).toEqual(['ctr_1']);
    expect(await waiting('acc_two', 'ora_a', 'e')).toEqual([]);
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_3', { eventIds: ['e'] }));
    expect(await waiting('acc_one', 'ora_a', 'e')).toEqual(['ctr_0', 'ctr_3']);
    expect(await waiting('acc_one', 'ora_a', 'f')).toEqual([]);
  });

  it('that are offered are counted by role, with the bytes of their offers', async () => {
    const { store } = context;
    const rows = [
      ['accepter', 'offered', 'acc_one'],
      ['accepter', 'offered', 'acc_one'],
      ['accepter', 'accepted', 'acc_one'],
      ['offerer', 'offered', 'acc_one'],
      ['accepter', 'offered', 'acc_two'],
    ] as const;
    await store.write(async (tx) => {
      for (const [n, [role, status, accountId]] of rows.entries()) {
        await tx.contracts.insert(contractRecord(`ctr_${n}`, { role, status, accountId }));
        await tx.contracts.putMessage(accountId, `ctr_${n}`, 'offer', new Uint8Array(10 ** n));
        await tx.contracts.putMessage(accountId, `ctr_${n}`, 'accept', new Uint8Array(7));
      }
    });
    const open = (accountId: AccountId, role: 'accepter' | 'offerer') =>
      store.write((tx) => tx.contracts.openOffers(accountId, role));
    expect(await open('acc_one', 'accepter')).toEqual({ count: 2, bytes: 11 });
    expect(await open('acc_one', 'offerer')).toEqual({ count: 1, bytes: 1_000 });
    expect(await open('acc_two', 'offerer')).toEqual({ count: 0, bytes: 0 });
  });

  it('that are offered are counted by one job at a time', async () => {
    const { store } = context;
    const most = 3;
    const keep = (n: number) =>
      store.write(async (tx) => {
        const { count } = await tx.contracts.openOffers('acc_one', 'accepter');
        if (count >= most) return false;
        await tx.contracts.insert(contractRecord(`ctr_${n}`, { role: 'accepter', status: 'offered' }));
        await tx.contracts.putMessage('acc_one', `ctr_${n}`, 'offer', Uint8Array.of(n));
        return true;
      });
    const kept = await Promise.all(Array.from({ length: 8 }, (_, n) => keep(n)));
    expect(kept.filter((one) => one)).toHaveLength(most);
  });

  it('keep messages as bytes, to their account alone', async () => {
    const { store } = context;
    const large = new Uint8Array(3_000_000).fill(0xa5);
    await store.write(async (tx) => {
      await tx.contracts.insert(contractRecord('ctr_one'));
      await tx.contracts.putMessage('acc_one', 'ctr_one', 'offer', Uint8Array.of(0, 255, 7));
      await tx.contracts.putMessage('acc_one', 'ctr_one', 'accept', Uint8Array.of(1));
      await tx.contracts.putMessage('acc_one', 'ctr_one', 'accept', large);
    });
    const message = (account: AccountId, type: 'offer' | 'accept' | 'sign') =>
      store.read.contracts.message(account, 'ctr_one', type);
    expect(Buffer.from((await message('acc_one', 'offer'))!).toString('hex')).toBe('00ff07');
    expect(Buffer.compare((await message('acc_one', 'accept'))!, large)).toBe(0);
    expect(await message('acc_one', 'sign')).toBeNull();
    expect(await message('acc_two', 'offer')).toBeNull();
    await store
      .write((tx) => tx.contracts.putMessage('acc_two', 'ctr_one', 'offer', Uint8Array.of(9)))
      .catch(() => undefined);
    expect(Buffer.from((await message('acc_one', 'offer'))!).toString('hex')).toBe('00ff07');
  });

  it('are found by what funds and closes them, across accounts', async () => {
    const { store } = context;
    const funded = { fundingTxid: txidOf('fund'), fundingVout: 1 };
    await store.write(async (tx) => {
      await tx.contracts.insert(contractRecord('ctr_1', funded));
      await tx.contracts.insert(contractRecord('ctr_2', { ...funded, accountId: 'acc_two' }));
      await tx.contracts.insert(contractRecord('ctr_3', { fundingTxid: txidOf('other'), fundingVout: 0 }));
      await tx.contracts.update('acc_one', 'ctr_3', { closingTxid: txidOf('close'), closingKind: 'cet' });
    });
    const ids = async (found: Promise<{ contractId: string }[]>) => (await found).map(({ contractId }) => contractId);
    const { contracts } = store.read;
    expect(await ids(contracts.byFundingTxid(txidOf('fund')))).toEqual(['ctr_1', 'ctr_2']);
    expect(await ids(contracts.byFundingTxids([txidOf('x'), txidOf('other'), txidOf('fund')]))).toEqual([
      'ctr_1',
      'ctr_2',
      'ctr_3',
    ]);
    expect(await ids(contracts.byClosingTxid(txidOf('close')))).toEqual(['ctr_3']);
    expect(await ids(contracts.byClosingTxid(txidOf('fund')))).toEqual([]);
  });

  it('have funding outputs that are watched, the new ones behind, until a block spends them', async () => {
    const { store } = context;
    const watched = async (after: bigint) => {
      const found: string[] = [];
      const last = await store.read.ledger.watchedFundings(after, (outpoints) => {
        found.push(...outpoints.map(({ txid, vout }) => `${txid}:${vout}`));
      });
      return { found, last };
    };
    expect(await watched(0n)).toEqual({ found: [], last: 0n });
    await store.write(async (tx) => {
      await tx.contracts.insert(contractRecord('ctr_1', { fundingTxid: txidOf('one'), fundingVout: 1 }));
      await tx.contracts.insert(contractRecord('ctr_2'));
    });
    const first = await watched(0n);
    expect(first.found).toEqual([`${txidOf('one')}:1`]);
    await store.write((tx) => tx.contracts.update('acc_one', 'ctr_2', { fundingTxid: txidOf('two'), fundingVout: 0 }));
    const second = await watched(first.last);
    expect(second.found).toEqual([`${txidOf('two')}:0`]);
    // A contract that is funded otherwise than was thought.
    await store.write((tx) =>
      tx.contracts.update('acc_one', 'ctr_2', { fundingTxid: txidOf('three'), fundingVout: 4 }),
    );
    expect((await watched(second.last)).found).toEqual([`${txidOf('three')}:4`]);
    await store.write((tx) =>
      tx.contracts.update('acc_one', 'ctr_1', {
        closingTxid: txidOf('close'),
        closingHeight: 7,
        closingBlockHash: txidOf('block') as never,
      }),
    );
    expect((await watched(0n)).found).toEqual([`${txidOf('three')}:4`]);
  });

  it('hold coins for their offers, which count as locked until their funding transaction has them', async () => {
    const { store } = context;
    const name = coinHoldOf('ctr_1');
    const balance = () => store.read.coins.balance('acc_one', 'wal_one', 200);
    await store.write(async (tx) => {
      await tx.ledger.insertCoins([coinRecord('a', { amountSats: 40n }), coinRecord('b', { amountSats: 60n })]);
      await tx.ledger.insertCoins([coinRecord('c', { amountSats: 5n, height: null })]);
      await tx.contracts.insert(contractRecord('ctr_1'));
      expect(await tx.coins.claim('acc_one', [outpointOf('a'), outpointOf('c')], name)).toEqual([]);
    });
    const held = { confirmedSats: 100n, pendingSats: 5n, immatureSats: 0n, lockedSats: 45n };
    expect(await balance()).toEqual(held);
    expect(await store.read.coins.few('acc_one', 'wal_one', 10_000)).toHaveLength(1);
    expect(await store.write((tx) => tx.coins.claim('acc_one', [outpointOf('a')], txidOf('payment')))).toHaveLength(1);

    // Both sides' signatures are the counterparty's to put together: nothing is sent from here.
    await store.write(async (tx) => {
      expect(await tx.coins.claim('acc_one', [outpointOf('a')], txidOf('fund'), [name])).toEqual([]);
      expect(await tx.coins.release('acc_one', name)).toEqual([{ txid: txidOf('c'), vout: 0 }]);
      await tx.transactions.insert(
        transactionRecord('fund', { kind: 'funding', status: 'signed' }),
        [{ vin: 0, prev: outpointOf('a') }],
        [],
      );
      await tx.contracts.update('acc_one', 'ctr_1', { status: 'signed' });
    });
    expect(await store.read.transactions.find('acc_one', txidOf('fund'))).toMatchObject({ kind: 'funding', raw: null });
    expect(await balance()).toEqual({ ...held, lockedSats: 40n });
    await store.write((tx) => tx.transactions.update('acc_one', txidOf('fund'), { status: 'broadcast' }));
    expect(await balance()).toEqual({ confirmedSats: 60n, pendingSats: 5n, immatureSats: 0n, lockedSats: 0n });
  });

  it('give their kinds to transactions, as written', async () => {
    const { store } = context;
    const kinds = ['funding', 'cet', 'refund', 'cooperative_close', 'payment', 'cpfp'] as const;
    await store.write(async (tx) => {
      for (const kind of kinds) await tx.transactions.insert(transactionRecord(kind, { kind }), [], []);
    });
    for (const kind of kinds) {
      expect(await store.read.transactions.find('acc_one', txidOf(kind))).toMatchObject({ kind });
    }
    await store.write((tx) => tx.transactions.update('acc_one', txidOf('cpfp'), { kind: 'refund' }));
    await store.write((tx) => tx.transactions.update('acc_one', txidOf('cet'), { kind: 'deposit' }));
    expect(await store.read.transactions.find('acc_one', txidOf('cpfp'))).toMatchObject({ kind: 'refund' });
    expect(await store.read.transactions.find('acc_one', txidOf('cet'))).toMatchObject({ kind: 'deposit' });
  });
}
