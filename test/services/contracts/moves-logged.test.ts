/** Each transition of a contract is one line in the log, whoever makes it, and only once it is committed. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../../src/app/log.ts';
import type { AccountId, ContractId } from '../../../src/core/ids.ts';
import { applyMove, logContractMoves } from '../../../src/services/contracts/contract-moves.ts';
import type { Repositories, Store } from '../../../src/store/store.ts';
import { type Json, startTestApp } from '../../builders/app.ts';
import { withPostgres } from '../../builders/stores.ts';
import { trackedContract } from './tracked-contract.ts';

/** What logContractMoves writes: "offered>accepted", "<" where the chain took something back. */
function listen(store: Store): string[] {
  const lines: string[] = [];
  const line = (level: string) => (of: Json, message: string) => {
    lines.push(`${level === 'warn' ? '!' : ''}${of.from}${message.includes('back') ? '<' : '>'}${of.to}`);
  };
  onTestFinished(logContractMoves(store, { info: line('info'), warn: line('warn') } as never));
  return lines;
}

describe('what the ledger makes', () => {
  it('is one line each: funded, settled, and taken back by a reorganization', async () => {
    const one = await trackedContract();
    const lines = listen(one.world.store);
    await one.commitFunding();
    await one.send(one.funding);
    await one.mine();
    await one.commitClosing(one.cets.yes, 'cet', { closingKind: 'cet', outcome: 'yes' });
    await one.send(one.cets.yes);
    await one.mine();
    await one.world.chain.reorganize(1, { include: [one.refund.raw] });
    await one.world.settle();
    expect(lines).toEqual([
      ...['signed>funded', 'funded>confirmed', 'confirmed>executed', 'executed>closed'],
      ...['closed<executed', 'executed<closed'],
    ]);
    // As many as the channel was told.
    expect(await one.story()).toHaveLength(lines.length);
  });

  it('is one line where the funding is lost', async () => {
    const one = await trackedContract();
    const lines = listen(one.world.store);
    await one.commitFunding();
    await one.send(one.funding);
    await one.mineOnly(one.doubleSpend);
    expect(lines).toEqual(['signed>funded', '!funded>failed']);
  });
});

describe('a job', () => {
  const accept = async (tx: Repositories, accountId: AccountId, contractId: ContractId) => {
    const held = await tx.contracts.findForUpdate(accountId, contractId);
    await applyMove(tx, held!, { status: 'funded' }, 1);
  };

  it('that is rolled back leaves no line, beside one that is committed with it', async () => {
    const { world, accountId } = await trackedContract();
    const lines = listen(world.store);
    const failing = world.store.write(async (tx) => {
      await accept(tx, accountId, 'ctr_tracked');
      throw new Error('after all not');
    });
    const going = world.store.write((tx) => accept(tx, accountId, 'ctr_tracked'));
    await expect(failing).rejects.toThrow('after all not');
    await going;
    expect(lines).toEqual(['signed>funded']);
  });

  it('that PostgreSQL has run again leaves one line', async () => {
    const postgres = await withPostgres();
    onTestFinished(() => postgres.stop());
    const store = await postgres.openStore();
    try {
      const { world, accountId, contract } = await trackedContract({ store });
      const other = 'ctr_other';
      const { contractId: _, ...rest } = await contract();
      const offerId = 'ee'.repeat(32);
      await store.write((tx) => tx.contracts.insert({ ...rest, contractId: other, offerId }));
      const lines = listen(store);
      // Each holds what the other wants next: PostgreSQL gives one of them up, which runs again, maybe more than once.
      let runs = 0;
      let arrive = () => {};
      const both = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      const crossing = (first: ContractId, then: ContractId) =>
        store.write(async (tx) => {
          await accept(tx, accountId, first);
          if (++runs >= 2) arrive();
          await both;
          await tx.contracts.findForUpdate(accountId, then);
        });
      await Promise.all([crossing('ctr_tracked', other), crossing(other, 'ctr_tracked')]);
      expect(runs).toBeGreaterThanOrEqual(3);
      expect(lines).toEqual(['signed>funded', 'signed>funded']);
      await world.stop();
    } finally {
      await store.close();
    }
  });
});

it('the whole service says each step of a contract once, as its channel does', async () => {
  const lines: Json[] = [];
  const log = createLog('info', { write: (text: string) => void lines.push(...text.trim().split('\n')) });
  const service = await startTestApp({ log });
  onTestFinished(() => service.close());
  const elsewhere = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  const mine = async (count: number, address = elsewhere) => {
    await service.post('/api/v1/bitcoin/blocks', { count, address });
    await service.synced();
  };
  const { wallet_id } = (await service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' }))
    .body;
  await mine(1, (await service.post(`/api/v1/wallets/${wallet_id}/addresses`)).body.address);
  await mine(100);
  const terms = { type: 'dlc', oracle: 'local', outcomes: ['win', 'lose'], collateral: '0.1' };
  const { contract_id } = (await service.post('/api/v1/contracts', terms)).body;
  await mine(1);
  await service.call('PUT', `/api/v1/contracts/${contract_id}/execute`, { outcome: 'win' });
  await mine(1);
  await service.simulated.reorganize(1);
  await service.synced();

  const said = lines.map((line) => JSON.parse(line)).filter(({ contractId, to }) => contractId === contract_id && to);
  expect(said.map(({ from, to }) => [from, to])).toEqual([
    ...[
      [null, 'offered'],
      ['offered', 'accepted'],
      ['accepted', 'signed'],
      ['signed', 'funded'],
    ],
    ...[
      ['funded', 'confirmed'],
      ['confirmed', 'executed'],
      ['executed', 'closed'],
      ['closed', 'executed'],
    ],
  ]);
  expect(said.at(-1).msg).toBe('a contract was moved back by the chain');
});
