/** Where the checks of a counterparty's messages turn: the very next second, the very next byte. */
import { describe, expect, it } from 'vitest';
import { locktimeProblem } from '../../../../src/core/dlc/contract/checks/check-locktimes.ts';
import { checkSign } from '../../../../src/core/dlc/contract/checks/check-sign.ts';
import { enumeratedInfo, oracleInfo, testContract, testOffer } from '../../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../../builders/dlc-oracle.ts';

const TOTAL = 1_000_000n;
const EARLY = 1_790_000_000;
const LATE = 1_795_000_000;
const event = enumEvent('heads', 'tails');
const announcements = [LATE, EARLY].map((maturity, at) => testOracle(`oracle ${at}`).announce(event, 'toss', maturity));
const info = enumeratedInfo(TOTAL, { heads: TOTAL, tails: 0n }, oracleInfo(announcements));

describe('a refund by time', () => {
  const problem = (refundLocktime: number, medianTime = 1_750_000_000) =>
    locktimeProblem(testOffer({ info, changed: { refundLocktime } }), { height: 800_000, medianTime });

  it('is open a second after the last of several events, and not with it', () => {
    expect(problem(EARLY + 1)).toContain(`not after the event's ${LATE}`);
    expect(problem(LATE)).toContain(`not after the event's ${LATE}`);
    expect(problem(LATE + 1)).toBeNull();
  });

  it('is open a second after the median time, and not with it', () => {
    expect(problem(LATE + 1, LATE + 1)).toContain('is past');
    expect(problem(LATE + 1, LATE)).toBeNull();
  });
});

describe('a refund', () => {
  const tip = { height: 800_000, medianTime: 1_750_000_000 };
  const problem = (cetLocktime: number, refundLocktime: number) =>
    locktimeProblem(testOffer({ info, changed: { cetLocktime, refundLocktime } }), tip);

  it('leaves the CETs a day, or 144 blocks, to confirm in', () => {
    expect(problem(LATE, LATE + 86_400)).toBeNull();
    expect(problem(LATE, LATE + 86_399)).toContain('is not a day (86400 seconds) after the CETs');
    expect(problem(800_100, 800_244)).toBeNull();
    expect(problem(800_100, 800_243)).toContain('is not 144 blocks after the CETs');
  });

  it('may open soon where the CETs are open already', () => {
    expect(problem(0, 800_001)).toBeNull();
    expect(problem(700_000, 800_001)).toBeNull();
  });
});

describe("a funding input's witness", () => {
  const { offer, accept, sign } = testContract({ info });
  const context = {
    ...({ network: 'regtest', dialect: 'tagged', tip: null } as const),
    feeRateLimits: { leastSatVb: 1n, mostSatVb: 1_000n },
  };

  it('is not a byte longer than what is paid for', () => {
    const [[signature, key] = []] = sign.fundingSignatures as Uint8Array[][];
    const { maxWitnessLength } = offer.party.fundingInputs[0]!;
    // Two counts of one byte besides the elements, and one of the stack.
    const exact = Buffer.concat([signature!, Buffer.alloc(maxWitnessLength - 3 - 33 - signature!.length)]);
    const reason = (first: Uint8Array) =>
      checkSign(offer, accept, { ...sign, fundingSignatures: [[first, key!]] }, context).find(
        ({ check, verdict }) => check === 'funding_signature' && verdict === 'failed',
      )?.reason;
    expect(reason(Buffer.concat([exact, Buffer.alloc(1)]))).toBe(
      `its witness is longer than the ${maxWitnessLength} bytes that are paid for`,
    );
    expect(reason(exact) ?? '').not.toContain('is longer than');
  });
});
