/** Cancelling in every state, and the table of states. */
import { describe, expect, it } from 'vitest';

import { CONTRACT_STATUSES } from '../../../src/services/contracts/contract-service.ts';
import {
  allows,
  assertContractAllows,
  type ContractAction,
  mayFollow,
} from '../../../src/services/contracts/contract-states.ts';
import type { AdaptorWork } from '../../../src/services/contracts/signing/adaptor-work.ts';
import type { ContractStatus } from '../../../src/store/repositories/contract-rows.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

/** Signs until it is told to stop. */
function stuck(): AdaptorWork & { aborted: () => number } {
  let aborted = 0;
  const wait = ({ signal }: { signal?: AbortSignal | undefined }): Promise<never> =>
    new Promise((_, reject) => {
      signal!.addEventListener('abort', () => {
        aborted += 1;
        reject(signal!.reason);
      });
    });
  return {
    sharedPoint: async () => null,
    signAllCets: wait,
    verifyAllCets: wait,
    settle: wait,
    cetDeciding: wait,
    learn: wait,
    aborted: () => aborted,
  };
}

async function funded() {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC]);
  return { c, wallet };
}

describe('cancelling', () => {
  it('while it is signed stops the work and frees the coins', async () => {
    const { c, wallet } = await funded();
    const before = await c.balance(wallet);
    const cets = stuck();
    const process = c.reopen({ cets, answerMs: 10 });
    const made = await process.contracts.create(c.terms(wallet), c.context());
    expect(made.status).toBe('offered');
    const held = await c.balance(wallet);
    expect(held.lockedSats).toBe(BTC);
    const ended = await process.contracts.cancel(made.contractId, c.context());
    expect(ended).toMatchObject({ status: 'cancelled', reason: 'cancelled on request' });
    expect(cets.aborted()).toBe(1);
    expect(await c.balance(wallet)).toEqual(before);
    const { progress: _, ...record } = ended;
    expect(await c.contracts.cancel(made.contractId, c.context())).toMatchObject(record);
    expect(await c.balance(wallet)).toEqual(before);
    expect((await c.create(wallet)).status).toBe('funded');
  });

  it('after the funding was sent spends its coins back to the wallet', async () => {
    const { c, wallet } = await funded();
    const made = await c.create(wallet);
    const ended = await c.contracts.cancel(made.contractId, c.context());
    expect(ended).toMatchObject({
      status: 'cancelled',
      reason: expect.stringMatching(/^cancelled: [0-9a-f]{64} spends/),
    });
    const mempool = await c.mempool();
    expect(mempool).toHaveLength(1);
    expect(mempool).not.toContain(made.fundingTxid);
    await c.mine();
    const { confirmedSats, lockedSats } = await c.balance(wallet);
    expect(confirmedSats).toBeGreaterThan(BTC - 1_000n);
    expect(lockedSats).toBe(0n);
    expect((await c.get(made.contractId)).status).toBe('cancelled');
  });

  it('gives way to the funding where that is in a block after all', async () => {
    const { c, wallet } = await funded();
    const made = await c.create(wallet);
    const raw = (await c.store.read.transactions.find(c.accountId, made.fundingTxid!))!.raw!;
    await c.contracts.cancel(made.contractId, c.context());
    await c.chain.mineTransactions([raw]);
    await c.settle();
    expect((await c.get(made.contractId)).status).toBe('confirmed');
    expect((await c.contracts.execute(made.contractId, { outcome: 'no' }, c.context())).status).toBe('executed');
  });

  it('is refused from the first block on', async () => {
    const { c, wallet } = await funded();
    const made = await c.confirmed(wallet);
    await expect(c.contracts.cancel(made.contractId, c.context())).rejects.toMatchObject({ code: 'state_conflict' });
  });

  it("leaves another account's contract alone", async () => {
    const { c, wallet } = await funded();
    const made = await c.create(wallet);
    const stranger = c.context({ accountId: 'acc_other' });
    for (const call of [
      c.contracts.cancel(made.contractId, stranger),
      c.contracts.execute(made.contractId, { outcome: 'yes' }, stranger),
      c.contracts.refund(made.contractId, stranger),
      c.contracts.cpfp(made.contractId, { feeRateSatVb: 5n }, stranger),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('cancelling a contract with somebody elsewhere', () => {
  /** Both parties are accounts of one service, and know of each other what messages say. */
  async function parties() {
    const c = await openContracts({ accounts: ['acc_other'] });
    const [us, them] = [c.context(), c.context({ accountId: 'acc_other' })];
    const [ours, theirs] = [await c.newWallet(), await c.newWallet('taproot', 'acc_other')];
    await c.fund(ours, [BTC]);
    await c.fund(theirs, [BTC]);
    const offered = await c.contracts.create(c.terms(ours, { counterparty: { mode: 'remote' } }), us);
    const { publicKey } = (await c.store.read.oracles.find(c.accountId, offered.oracleIds[0]!))!;
    const message = offered.messages.offer!;
    const taken = await c.contracts.receiveOffer({ message, acceptOracles: [publicKey] }, them);
    const accepted = await c.contracts.accept(taken.contractId, { walletId: theirs.walletId }, them);
    const signed = await c.contracts.accept(offered.contractId, { message: accepted.messages.accept! }, us);
    expect(signed.status).toBe('signed');
    return { c, us, them, ours, theirs, offer: signed, accept: accepted };
  }
  const freed = async ({ c, ours, theirs }: Awaited<ReturnType<typeof parties>>) => {
    for (const wallet of [ours, theirs]) {
      const { confirmedSats, lockedSats } = await c.balance(wallet);
      expect(lockedSats).toBe(0n);
      expect(confirmedSats).toBeGreaterThan(BTC - 5_000n);
    }
  };

  it('after the sign message went out spends the coins that it signed for', async () => {
    const parties_ = await parties();
    const { c, us, them, offer, accept } = parties_;
    expect(await c.contracts.cancel(offer.contractId, us)).toMatchObject({ status: 'cancelled' });
    expect(await c.mempool()).toHaveLength(1);
    await c.mine();
    // Too late for the other side, whose coins are free when it finds out.
    await c.contracts.sign(accept.contractId, { message: offer.messages.sign! }, them).catch(() => null);
    await c.driver.round();
    const ended = await c.contracts.get(accept.contractId, them);
    if (ended.status !== 'failed') await c.contracts.cancel(accept.contractId, them);
    await freed(parties_);
  });

  it.each(['offerer', 'accepter'] as const)('after the funding was sent is what the %s can do', async (who) => {
    const parties_ = await parties();
    const { c, us, them, offer, accept } = parties_;
    await c.contracts.sign(accept.contractId, { message: offer.messages.sign! }, them);
    await c.settle();
    expect((await c.get(offer.contractId)).status).toBe('funded');
    await (who === 'offerer' ? c.contracts.cancel(offer.contractId, us) : c.contracts.cancel(accept.contractId, them));
    expect(await c.mempool()).toHaveLength(1);
    await c.mine();
    const statuses = [await c.get(offer.contractId), await c.contracts.get(accept.contractId, them)].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual(who === 'offerer' ? ['cancelled', 'failed'] : ['failed', 'cancelled']);
    await freed(parties_);
  });
});

describe('the table of states', () => {
  const actions: ContractAction[] = ['accept', 'sign', 'execute', 'refund', 'cancel', 'cpfp', 'close'];

  it('refuses everything that it does not allow by a sentence that names the state', () => {
    for (const action of actions) {
      for (const status of CONTRACT_STATUSES) {
        const contract = { contractId: 'ctr_x' as const, status, closingTxid: null, reason: null, outcome: null };
        if (allows(action, contract)) {
          expect(() => assertContractAllows(action, contract)).not.toThrow();
          continue;
        }
        expect(() => assertContractAllows(action, contract)).toThrow(
          expect.objectContaining({
            code: 'state_conflict',
            message: expect.stringMatching(
              new RegExp(`^contract ctr_x is ${status} and cannot be [a-zA-Z() ]+: .{10,}`),
            ),
          }),
        );
      }
    }
  });

  it('leads from the offer to every state, and never back into signing', () => {
    const reached = new Set<ContractStatus>(['offered']);
    for (const from of reached) for (const to of CONTRACT_STATUSES) if (mayFollow(from, to)) reached.add(to);
    expect(reached.size).toBe(CONTRACT_STATUSES.length);
    for (const from of CONTRACT_STATUSES) {
      expect(mayFollow(from, 'offered')).toBe(from === 'awaiting_approval');
      expect(mayFollow(from, 'accepted')).toBe(from === 'offered');
    }
  });
});
