/** What bounds messages: their size, and how many offers that hold no coins an account keeps. */
import { describe, expect, it } from 'vitest';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { createAdaptorWork } from '../../../src/services/contracts/signing/adaptor-work.ts';
import { coinTossInfo, testOffer } from '../../builders/dlc-messages.ts';
import { testOracle } from '../../builders/dlc-oracle.ts';
import { aMiner, asHex } from '../../builders/external-party.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

const REMOTE = { counterparty: { mode: 'remote' } } as const;

async function world() {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC / 4n, BTC / 4n, BTC / 4n]);
  return { c, wallet };
}

describe('a contract that is exchanged by messages', () => {
  /** A payout of its own for each of 2^15 numbers. */
  const manyCases = {
    outcomes: undefined,
    collateralSats: 32_767n,
    numeric: {
      ...{ digits: 15, unit: 'USD', precision: 0, written: {}, roundingIntervals: [] },
      payoutFunction: {
        pieces: [
          {
            endPoint: { eventOutcome: 0n, payoutSats: 0n, extraPrecision: 0 },
            curve: { kind: 'polynomial', points: [] },
          },
        ],
        lastEndPoint: { eventOutcome: 32_767n, payoutSats: 32_767n, extraPrecision: 0 },
      },
    },
  } as const;

  it('has no more signatures than a message holds, and the refusal says what would do', async () => {
    const { c, wallet } = await world();
    await expect(c.create(wallet, { ...manyCases, ...REMOTE })).rejects.toMatchObject({
      code: 'contract_refused',
      message: expect.stringMatching(/^more than 30000 adaptor signatures .* rounded to multiples of \d+ satoshis/),
      details: { field: 'descriptor' },
    });
    expect((await c.balance(wallet)).lockedSats).toBe(0n);
    // Within one service nothing is sent.
    await expect(c.contracts.terms(c.terms(wallet, manyCases), c.context())).resolves.toMatchObject({
      disjoint: false,
    });
  });

  it('is not accepted with a message that nobody could take: it ends, and holds nothing', async () => {
    const { c, wallet } = await world();
    const miner = await aMiner(c, 'verbose', 1_000_000n);
    const { randomBytes } = c.ground;
    const cets = {
      ...createAdaptorWork({ computing: {} as never, randomBytes }),
      signAllCets: async () => new Uint8Array(162 * 32_400),
    };
    const { contracts } = c.reopen({ cets });
    const info = coinTossInfo(2_000_000n);
    const offer = testOffer({ info, offerer: miner, changed: { refundLocktime: 1_900_000_000 } });
    const message = serializeOffer(offer, 'tagged');
    const acceptOracles = [asHex(testOracle('toss').publicKey)];
    const { contractId } = await contracts.receiveOffer({ message, acceptOracles }, c.context());
    expect(await contracts.accept(contractId, {}, c.context())).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(
        /^adaptor_signature_count: the accept message would have 52\d{5} bytes, and 5241856 /,
      ),
    });
    expect((await c.balance(wallet)).lockedSats).toBe(0n);
  });
});

describe('offers of ours', () => {
  it('that hold no coins are bounded by number, those that hold some by the coins', async () => {
    const { c, wallet } = await world();
    const { contracts } = c.reopen({ offerBounds: { count: 2, bytes: 1_000_000 } });
    const offering = (offerCollateralSats: bigint) =>
      contracts.create(c.terms(wallet, { offerCollateralSats, ...REMOTE }), c.context());
    const [first] = [await offering(0n), await offering(0n)];
    expect(first!.offerSide!.inputs).toEqual([]);
    await expect(offering(0n)).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('GET /api/v1/dlc/offers?role=offerer'),
      details: { field: 'offer_collateral' },
    });
    expect((await offering(500_000n)).offerSide!.inputs).not.toEqual([]);
    await contracts.cancel(first!.contractId, c.context());
    await expect(offering(0n)).rejects.toMatchObject({ code: 'state_conflict' });
  });

  it('that hold no coins are bounded by the bytes of their messages', async () => {
    const { c, wallet } = await world();
    const { messages } = await c.create(wallet, { offerCollateralSats: 0n, ...REMOTE });
    const bytes = 2 * messages.offer!.length;
    const { contracts } = c.reopen({ offerBounds: { count: 100, bytes } });
    const offering = () => contracts.create(c.terms(wallet, { offerCollateralSats: 0n, ...REMOTE }), c.context());
    await offering();
    await expect(offering()).rejects.toMatchObject({ code: 'state_conflict' });
  });
});
