/** What comes at the same time is decided once: an answer and the end of what waits for it, and offers when there is hardly room. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serializeAccept } from '../../../src/core/dlc/messages/accept.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { serializeSign } from '../../../src/core/dlc/messages/sign.ts';
import type { ContractId } from '../../../src/core/ids.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { createAdaptorWork } from '../../../src/services/contracts/signing/adaptor-work.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { coinTossInfo, priceInfo, type TestParty, testOffer } from '../../builders/dlc-messages.ts';
import { testOracle } from '../../builders/dlc-oracle.ts';
import { acceptanceOf, aMiner, asHex, signatureOf } from '../../builders/external-party.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

const COLLATERAL = 2_000_000n;
const acceptOracles = ['toss', 'price'].map((name) => asHex(testOracle(name).publicKey));

const offerBy = (offerer: TestParty, temporary: number, info = coinTossInfo(COLLATERAL)) =>
  testOffer({
    info,
    offerer,
    changed: { refundLocktime: 1_900_000_000, temporaryContractId: new Uint8Array(32).fill(temporary) },
  });

describe('the end of what waits for an answer, and the answer', () => {
  const HOUR = 3_600_000;
  /** Something that waits, and the good answer to it; answered, it is what `becomes` says. */
  interface Waiting {
    readonly contractId: ContractId;
    readonly becomes: string;
    answer(): Promise<unknown>;
  }

  /** `verified` is called when a service has found an answer's signatures good. */
  async function opened() {
    let now = Date.now();
    let verified = async () => {};
    const c = await openContracts({ clock: () => now });
    const computing = computeHere({ network: 'regtest', randomBytes: c.ground.randomBytes });
    const honest = createAdaptorWork({ computing, randomBytes: c.ground.randomBytes });
    const cets = {
      ...honest,
      async verifyAllCets(work: Parameters<typeof honest.verifyAllCets>[0]) {
        const verdict = await honest.verifyAllCets(work);
        await verified();
        return verdict;
      },
    };
    const { contracts } = c.reopen({ cets });
    const wallet = await c.newWallet();
    await c.fund(wallet, [BTC]);
    return {
      ...{ c, wallet, contracts, expiresAt: now + HOUR },
      miner: await aMiner(c, 'slow', COLLATERAL / 2n),
      whenVerified: (run: () => Promise<void>) => {
        verified = run;
      },
      turnClock: (ms: number) => {
        now += ms;
      },
    };
  }
  type World = Awaited<ReturnType<typeof opened>>;

  async function received({ c, contracts, miner, expiresAt }: World) {
    const offer = offerBy(miner, 1);
    const message = serializeOffer(offer, 'tagged');
    const { contractId } = await contracts.receiveOffer({ message, acceptOracles, expiresAt }, c.context());
    return { offer, contractId };
  }

  const WAITING: Record<string, (world: World) => Promise<Waiting>> = {
    async 'an offer to us, and our acceptance'(world) {
      const { contractId } = await received(world);
      const { contracts, c } = world;
      return { contractId, becomes: 'accepted', answer: () => contracts.accept(contractId, {}, c.context()) };
    },
    async 'an acceptance of ours, and the sign message'(world) {
      const { c, contracts, miner, expiresAt } = world;
      const { offer, contractId } = await received(world);
      const accepted = await contracts.accept(contractId, { expiresAt }, c.context());
      expect(accepted.expiresAt).toBe(expiresAt);
      const message = serializeSign(signatureOf(offer, asHex(accepted.messages.accept!), miner), 'tagged');
      const answer = () => contracts.sign(contractId, { message }, c.context());
      return { contractId, becomes: 'funded', answer };
    },
    async 'an offer of ours, and the accept message'({ c, contracts, wallet, miner, expiresAt }) {
      const counterparty = { mode: 'remote', expiresAt } as const;
      const { contractId, messages } = await contracts.create(
        c.terms(wallet, { collateralSats: COLLATERAL, counterparty }),
        c.context(),
      );
      const { accept } = acceptanceOf(asHex(messages.offer!), miner);
      const message = serializeAccept(accept, 'tagged');
      const answer = () => contracts.accept(contractId, { message }, c.context());
      return { contractId, becomes: 'signed', answer };
    },
  };

  it.each(Object.keys(WAITING))('%s: ended first, it is not answered', async (what) => {
    const world = await opened();
    const { c, wallet } = world;
    const { contractId, answer } = await WAITING[what]!(world);
    // Found good before the end where it has signatures; else it comes when the end is there.
    const end = async () => {
      world.turnClock(HOUR);
      expect(await c.driver.advance({ accountId: c.accountId, contractId })).toMatchObject({ status: 'cancelled' });
      world.turnClock(-HOUR);
    };
    if (what.includes('message')) world.whenVerified(end);
    else await end();
    await expect(answer()).rejects.toMatchObject({ code: 'state_conflict', details: { field: 'contract_id' } });
    expect(await c.get(contractId)).toMatchObject({ status: 'cancelled', reason: expect.stringContaining('in time') });
    expect(await c.mempool()).toEqual([]);
    expect((await c.balance(wallet)).lockedSats).toBe(0n);
    const statuses = (await c.told(contractId)).map(({ status }) => status);
    expect(statuses.indexOf('cancelled')).toBe(statuses.length - 1);
  });

  it.each(
    Object.keys(WAITING),
  )('%s: past its time it is not answered, though nobody has ended it yet', async (what) => {
    const world = await opened();
    const { c } = world;
    const { contractId, becomes, answer } = await WAITING[what]!(world);
    const { status } = await c.get(contractId);
    world.turnClock(HOUR);
    await expect(answer()).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining(`is ${status} and has expired`),
      details: { field: 'contract_id' },
    });
    expect(await c.get(contractId)).toMatchObject({ status });
    world.turnClock(-1);
    expect(await answer()).toMatchObject({ status: becomes });
  });

  it.each(Object.keys(WAITING))('%s: answered first, it does not end', async (what) => {
    const world = await opened();
    const { c } = world;
    const { contractId, becomes, answer } = await WAITING[what]!(world);
    // A process finds the end to be there, and before its job another one takes the answer.
    const answered = Promise.withResolvers<void>();
    const found = Promise.withResolvers<void>();
    const store: Store = {
      ...c.store,
      async write(job) {
        found.resolve();
        await answered.promise;
        return c.store.write(job);
      },
    };
    const { driver } = c.reopen({ store });
    world.turnClock(HOUR);
    const ending = driver.advance({ accountId: c.accountId, contractId });
    await found.promise;
    world.turnClock(-HOUR);
    expect(await answer()).toMatchObject({ status: becomes });
    world.turnClock(HOUR);
    answered.resolve();
    await ending;
    expect(await c.get(contractId)).toMatchObject({ status: becomes, reason: null });
  });
});

describe.each(['sqlite', 'postgres'] as const)('offers to one account on %s', (kind) => {
  let postgres: TemporaryPostgres | null = null;
  beforeAll(async () => {
    postgres = kind === 'postgres' ? await withPostgres() : null;
  });
  afterAll(() => postgres?.stop());

  async function opened(bounds: { count: number; bytes: number }) {
    const stores: Store[] = [];
    if (postgres) {
      const url = await postgres.newTables();
      for (let process = 0; process < 2; process++) {
        stores.push(await openPostgresStore({ url, log: silent, clock: Date.now }));
      }
    }
    const [store] = stores;
    const c = await openContracts({ accounts: ['acc_other'], ...(store ? { store } : {}) });
    onTestFinished(async () => {
      for (const one of stores) await one.close();
    });
    const processes = stores.map((one) => c.reopen({ store: one, offerBounds: bounds }));
    if (processes.length === 0) processes.push(c.reopen({ offerBounds: bounds }));
    const miner = await aMiner(c, 'busy', COLLATERAL / 2n);
    const receive = (message: Uint8Array, at: number, accountId = c.accountId) =>
      processes[at % processes.length]!.contracts.receiveOffer({ message, acceptOracles }, c.context({ accountId }));
    return { c, miner, receive };
  }

  it('however many come at once, are kept as far as there is room and no further', async () => {
    const bounds = { count: 4, bytes: 3_000 };
    const { c, miner, receive } = await opened(bounds);
    let temporary = 0;
    const small = () => serializeOffer(offerBy(miner, ++temporary), 'tagged');
    const large = () => serializeOffer(offerBy(miner, ++temporary, priceInfo(COLLATERAL, 12)), 'tagged');
    expect([small().length, large().length]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(4 * small().length).toBeLessThan(bounds.bytes);
    expect(4 * large().length).toBeGreaterThan(bounds.bytes);

    const open = async () => {
      const page = { limit: 100, offset: 0 };
      return (await c.contracts.list({ status: 'offered', role: 'accepter' }, page, c.context())).data;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 5, maxLength: 8 }),
        fc.nat({ max: 4 }),
        async (sizes, before) => {
          for (let n = 0; n < before; n++) await receive(small(), n).catch(() => undefined);
          const start = await open();
          const offers = sizes.map((isLarge) => (isLarge ? large() : small()));
          const answers = await Promise.allSettled(offers.map((message, at) => receive(message, at)));
          const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
          for (const refusal of refusals) {
            expect(refusal).toMatchObject({ code: 'state_conflict', details: { field: 'message' } });
            expect(refusal.message).toContain('GET /api/v1/dlc/offers?role=accepter');
          }
          const kept = await open();
          expect(kept.length).toBe(start.length + answers.length - refusals.length);
          // As many as there is room for: none was refused that would have had some.
          const { bytes } = await c.store.write((tx) => tx.contracts.openOffers(c.accountId, 'accepter'));
          expect(kept.length).toBeLessThanOrEqual(bounds.count);
          expect(bytes).toBeLessThanOrEqual(bounds.bytes);
          for (const [at, answer] of answers.entries()) {
            if (answer.status === 'fulfilled' || kept.length === bounds.count) continue;
            expect(bytes + offers[at]!.length).toBeGreaterThan(bounds.bytes);
          }
          for (const { contractId } of kept) await c.contracts.cancel(contractId, c.context());
        },
      ),
      { seed: 5, numRuns: 12 },
    );

    // What was taken before is answered where there is no room, and another account has its own.
    const offers = [1, 2, 3, 4].map(() => small());
    for (const [at, message] of offers.entries()) await receive(message, at);
    await expect(receive(small(), 0)).rejects.toMatchObject({ code: 'state_conflict' });
    expect(await receive(offers[0]!, 0)).toMatchObject({ status: 'offered' });
    expect(await receive(offers[0]!, 0, 'acc_other')).toMatchObject({ status: 'offered' });
  });
});
