/** Whatever curve and rounding an offerer chooses, no CET whose signature is believed pays less than the preview shows. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { signCets, verifyCets } from '../../../../src/core/dlc/contract/sign-cets.ts';
import type { PayoutRow } from '../../../../src/core/dlc/outcomes/payout-preview.ts';
import { payoutPreview } from '../../../../src/core/dlc/outcomes/payout-preview.ts';
import { isTolerated } from '../../../../src/core/dlc/outcomes/rounding-tolerance.ts';
import { numericInfo, oracleInfo, testContract } from '../../../builders/dlc-messages.ts';
import { digitsEvent, fixedBytes, testOracle } from '../../../builders/dlc-oracle.ts';

const TOTAL = 1_000_000n;
const DIGITS = 2;
const oracles = oracleInfo([testOracle('skimming').announce(digitsEvent(DIGITS), 'price')]);

/** Next to where the rounding turns over, as somebody would draw it who means to sign the other side of it. */
const nearTie = (unit: bigint) =>
  fc
    .record({ steps: fc.bigInt({ min: 0n, max: TOTAL / unit - 1n }), beside: fc.bigInt({ min: -1n, max: 1n }) })
    .map(({ steps, beside }) => steps * unit + unit / 2n + beside);

const curves = fc
  .constantFrom(1n, 2n, 100n, 10_000n, 500_000n)
  .chain((unit) =>
    fc.record({ unit: fc.constant(unit), payouts: fc.array(nearTie(unit), { minLength: 4, maxLength: 4 }) }),
  );

const covering = (rows: readonly PayoutRow[], outcome: bigint): PayoutRow =>
  rows.find(({ outcome: range }) => typeof range !== 'string' && range.from <= outcome && outcome <= range.to)!;

it('every signature that is believed leaves both sides what the preview shows at least', () => {
  fc.assert(
    fc.property(curves, fc.bigInt({ min: -10_000n, max: 10_000n }), ({ unit, payouts }, off) => {
      const within = payouts.map((sats) => (sats < 0n ? 0n : sats > TOTAL ? TOTAL : sats));
      fc.pre(new Set(within).size > 1);
      const info = numericInfo(
        TOTAL,
        within.map((sats, at) => [BigInt(at), sats] as const),
        oracles,
        unit,
      );
      const { contract, accepter } = testContract({ info });
      fc.pre(contract.caseCount > 1);
      const { rows } = payoutPreview(info, 'tagged')[0]!;
      for (let caseIndex = 0; caseIndex < contract.caseCount; caseIndex++) {
        const { offerPayoutSats, attested } = contract.caseAt(caseIndex);
        const digits = attested[0]!.outcomes.join('').padEnd(DIGITS, '0');
        const { least } = covering(rows, BigInt(`0b${digits}`));
        const range = { from: caseIndex, to: caseIndex + 1 };
        for (const sats of new Set([
          ...contract.neighbourPayoutsOf(caseIndex),
          offerPayoutSats,
          offerPayoutSats + off,
        ])) {
          if (sats < 0n || sats > TOTAL) continue;
          const skimming = { ...contract, cetHashOf: () => contract.cetHashPaying(sats) };
          const signature = signCets(skimming, accepter.fundingPrivateKey, range, { randomBytes: fixedBytes });
          if (verifyCets(contract, accepter.party.fundingPublicKey, signature, range) !== null) continue;
          expect(sats).toBeGreaterThanOrEqual(least.offerSats);
          expect(TOTAL - sats).toBeGreaterThanOrEqual(least.acceptSats);
        }
        expect(offerPayoutSats - least.offerSats).toBeLessThanOrEqual(1n);
        expect(TOTAL - offerPayoutSats - least.acceptSats).toBeLessThanOrEqual(1n);
      }
    }),
    { numRuns: 30 },
  );
});

it('a satoshi that makes dust of what either side has is not tolerated', () => {
  // Of 1,000 satoshis there is an output, of 999 there is none.
  for (const [offerSats, insteadSats, tolerated] of [
    [1_000n, 999n, false],
    [999n, 1_000n, false],
    [1_001n, 1_000n, true],
    [TOTAL - 1_000n, TOTAL - 999n, false],
    [TOTAL - 999n, TOTAL - 1_000n, false],
    [TOTAL - 1_001n, TOTAL - 1_000n, true],
  ] as const)
    expect(isTolerated(offerSats, insteadSats, TOTAL), `${offerSats} ${insteadSats}`).toBe(tolerated);
});
