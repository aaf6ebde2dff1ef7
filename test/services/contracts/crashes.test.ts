/** A process that dies at any write of a contract's life, before or after the commit: the next one goes on, and nothing happens twice. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { ContractView } from '../../../src/services/contracts/contract-service.ts';
import type { Store } from '../../../src/store/store.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { type Contracts, openContracts } from './contracts-setup.ts';

const COLLATERAL = 100_000n;

/** Fails at its n-th write, and at everything from then on. */
function dying(store: Store, at: number, when: 'before' | 'after'): { store: Store; died: () => boolean } {
  let writes = 0;
  let dead = false;
  const died = () => new Error('the process died');
  return {
    died: () => dead,
    store: {
      ...store,
      async write(job) {
        if (dead) throw died();
        writes += 1;
        dead = writes === at;
        if (!dead) return store.write(job);
        if (when === 'after') await store.write(job);
        throw died();
      },
    },
  };
}

/** What was sent, by txid: the same bytes may be sent again, never others. */
function sentBy(c: Contracts): Map<Txid, string> {
  const sent = new Map<Txid, string>();
  c.onBroadcast((raw) => {
    const { txid } = parseTransaction(raw);
    const bytes = Buffer.from(raw).toString('hex');
    expect(sent.get(txid) ?? bytes).toBe(bytes);
    sent.set(txid, bytes);
    return 'pass';
  });
  return sent;
}

async function onlyContract(c: Contracts, known: ReadonlySet<string>): Promise<ContractView | null> {
  const { data } = await c.contracts.list({}, { limit: 100, offset: 0 }, c.context());
  const fresh = data.filter(({ contractId }) => !known.has(contractId));
  expect(fresh.length).toBeLessThanOrEqual(1);
  return fresh[0] ?? null;
}

describe.each(['before', 'after'] as const)('a process that dies %s the commit of a write', (when) => {
  it('while a contract is made leaves nothing, or what the next one funds', async () => {
    const c = await openContracts();
    const wallet = await c.newWallet();
    await c.fund(
      wallet,
      Array.from({ length: 30 }, () => COLLATERAL * 2n),
    );
    await c.create(wallet, { collateralSats: COLLATERAL });
    const sent = sentBy(c);
    const known = new Set<string>();
    for (const { contractId } of (await c.contracts.list({}, { limit: 100, offset: 0 }, c.context())).data)
      known.add(contractId);
    const ends: string[] = [];
    for (let at = 1; ; at++) {
      const process = dying(c.store, at, when);
      const before = await c.balance(wallet);
      sent.clear();
      const made = await c
        .reopen({ store: process.store })
        .contracts.create(c.terms(wallet, { collateralSats: COLLATERAL }), c.context())
        .catch(() => null);
      if (!process.died()) {
        expect(made?.status).toBe('funded');
        break;
      }
      const next = c.reopen();
      await next.driver.round();
      // Long work is not waited for by a round.
      const contract = await onlyContract(c, known);
      if (contract) await next.driver.advance(contract);
      const now = contract && (await c.get(contract.contractId));
      ends.push(now?.status ?? 'nothing');
      if (now === null) {
        expect(await c.balance(wallet)).toEqual(before);
        expect(sent.size).toBe(0);
        continue;
      }
      known.add(now.contractId);
      expect(now.status).toBe('funded');
      expect([...sent.keys()]).toEqual([now.fundingTxid]);
    }
    expect(new Set(ends)).toEqual(new Set(['nothing', 'funded']));
    expect(ends.filter((end) => end === 'funded').length).toBeGreaterThanOrEqual(4);
  });

  it('while a contract is settled leaves it as it was, or settled once', async () => {
    const c = await openContracts();
    const wallet = await c.newWallet();
    await c.fund(
      wallet,
      Array.from({ length: 20 }, () => COLLATERAL * 2n),
    );
    const sent = sentBy(c);
    for (let at = 1; ; at++) {
      const contract = await c.confirmed(wallet, { collateralSats: COLLATERAL });
      const process = dying(c.store, at, when);
      sent.clear();
      await c
        .reopen({ store: process.store })
        .contracts.execute(contract.contractId, { outcome: 'yes' }, c.context())
        .catch(() => null);
      if (!process.died()) break;
      const next = c.reopen();
      await next.driver.round();
      const attested = await next.oracles.attestationsOf(c.accountId, contract.oracleIds[0]!, contract.eventIds[0]!);
      const now = await c.get(contract.contractId);
      if (attested.length === 0) {
        // The outcome may be committed: then there is no other.
        expect(now.status).toBe('confirmed');
        await next.contracts.execute(contract.contractId, { outcome: 'yes' }, c.context());
      }
      const settled = await c.get(contract.contractId);
      expect(settled).toMatchObject({ status: 'executed', outcome: 'yes' });
      expect([...sent.keys()]).toEqual([settled.closingTxid]);
      await c.mine();
      expect((await c.get(contract.contractId)).status).toBe('closed');
    }
  });
});

describe('a node that is away', () => {
  it('while the funding is sent gets it when it is back', async () => {
    const c = await openContracts();
    const wallet = await c.newWallet();
    await c.fund(wallet, [BTC]);
    c.onBroadcast(() => 'unreachable');
    const made = await c.create(wallet);
    expect(made.status).toBe('signed');
    expect(await c.mempool()).toEqual([]);
    c.onBroadcast(() => 'pass');
    await c.driver.round();
    expect((await c.get(made.contractId)).status).toBe('funded');
    expect(await c.mempool()).toEqual([made.fundingTxid]);
  });

  it('while the CET is sent gets it when it is back', async () => {
    const c = await openContracts();
    const wallet = await c.newWallet();
    await c.fund(wallet, [BTC]);
    const made = await c.confirmed(wallet);
    c.onBroadcast(() => 'unreachable');
    const decided = await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    expect(decided).toMatchObject({ status: 'confirmed', outcome: 'yes', closingKind: 'cet' });
    expect(await c.mempool()).toEqual([]);
    // Nothing but this CET spends its funding output from now on.
    await expect(c.contracts.execute(made.contractId, { outcome: 'no' }, c.context())).rejects.toThrow('"yes"');
    await expect(c.contracts.refund(made.contractId, c.context())).rejects.toThrow('no node has accepted it yet');
    expect((await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context())).status).toBe('confirmed');
    c.onBroadcast(() => 'pass');
    await c.driver.round();
    expect((await c.get(made.contractId)).status).toBe('executed');
    expect(await c.mempool()).toEqual([decided.closingTxid]);
    const told = (await c.told(made.contractId)).map(({ status, outcome }) => `${status} ${outcome}`);
    expect(told.slice(-2)).toEqual(['confirmed null', 'executed yes']);
  });

  it('while the CET is sent: asked for again, it is sent then', async () => {
    const c = await openContracts();
    const wallet = await c.newWallet();
    await c.fund(wallet, [BTC]);
    const made = await c.confirmed(wallet);
    c.onBroadcast(() => 'unreachable');
    await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    c.onBroadcast(() => 'pass');
    const executed = await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    expect(executed).toMatchObject({ status: 'executed', outcome: 'yes' });
    expect(await c.mempool()).toEqual([executed.closingTxid]);
  });

  it('that does not take the CET for now is quoted in the record until one does', async () => {
    const c = await openContracts();
    const wallet = await c.newWallet();
    await c.fund(wallet, [BTC]);
    const made = await c.confirmed(wallet);
    c.onBroadcast(() => ({ result: 'refused', reason: 'too-long-mempool-chain', final: false }));
    const decided = await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    expect(decided).toMatchObject({ status: 'confirmed', reason: 'not taken yet: too-long-mempool-chain' });
    c.onBroadcast(() => 'pass');
    await c.driver.round();
    expect(await c.get(made.contractId)).toMatchObject({ status: 'executed', reason: null });
  });

  it('that takes neither the CET nor its child is given no second child', async () => {
    const c = await openContracts();
    const wallet = await c.newWallet();
    await c.fund(wallet, [BTC]);
    const made = await c.confirmed(wallet);
    c.chain.setMempoolLimits({ minFeeRate: 20_000n as FeeRate });
    c.onBroadcast(() => ({ result: 'refused', reason: 'mempool min fee not met', final: false }));
    const decided = await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    await c.driver.round();
    await c.driver.round();
    const children = await c.store.read.transactions.children(made.accountId, decided.closingTxid!);
    expect(children.map(({ status }) => status)).toEqual(['signed']);
    c.onBroadcast(() => 'pass');
    await c.driver.round();
    expect((await c.get(made.contractId)).status).toBe('executed');
  });

  it('that refuses the CET for good leaves the contract confirmed, and what was decided comes again', async () => {
    const c = await openContracts();
    const wallet = await c.newWallet();
    await c.fund(wallet, [BTC]);
    const made = await c.confirmed(wallet);
    c.onBroadcast(() => ({ result: 'refused', reason: 'mandatory-script-verify-flag-failed (test)', final: true }));
    const refused = await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    expect(refused).toMatchObject({ status: 'confirmed', outcome: null, closingTxid: null });
    c.onBroadcast(() => 'pass');
    const executed = await c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context());
    expect(executed).toMatchObject({ status: 'executed', outcome: 'yes' });
    const told = (await c.told(made.contractId)).map(({ status }) => status);
    expect(told.slice(-2)).toEqual(['confirmed', 'executed']);
  });

  it('that refuses the funding for good ends the contract and frees its coins', async () => {
    const c = await openContracts();
    const wallet = await c.newWallet();
    await c.fund(wallet, [BTC]);
    const before = await c.balance(wallet);
    c.onBroadcast(() => ({ result: 'refused', reason: 'mandatory-script-verify-flag-failed (test)', final: true }));
    const made = await c.create(wallet);
    expect(made).toMatchObject({ status: 'failed', reason: expect.stringContaining('mandatory-script-verify') });
    expect(await c.balance(wallet)).toEqual(before);
    c.onBroadcast(() => 'pass');
    expect((await c.create(wallet)).status).toBe('funded');
  });
});
