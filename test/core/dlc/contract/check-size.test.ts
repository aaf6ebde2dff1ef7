/** A message that is read in some milliseconds may be read wherever one is: what may be agreed on is bounded. */
import { expect, it } from 'vitest';
import { sizeProblem } from '../../../../src/core/dlc/contract/checks/check-size.ts';
import { checkOffer } from '../../../../src/core/dlc/contract/contract-checks.ts';
import type { ContractInfo } from '../../../../src/core/dlc/contract-info.ts';
import { timeless } from '../../../../src/services/contracts/remote/check-context.ts';
import { enumeratedInfo, numericInfo, oracleInfo, testOffer } from '../../../builders/dlc-messages.ts';
import { digitsEvent, enumEvent, testOracle } from '../../../builders/dlc-oracle.ts';

const TOTAL = 2_000_000n;

function ofOutcomes(count: number, oracles = 1): ContractInfo {
  const outcomes = Array.from({ length: count }, (_, at) => `${at}`);
  const announced = Array.from({ length: oracles }, (_, at) => testOracle(`of ${at}`).announce(enumEvent(...outcomes)));
  return enumeratedInfo(
    TOTAL,
    Object.fromEntries(outcomes.map((outcome, at) => [outcome, BigInt(at)])),
    oracleInfo(announced),
  );
}

/** `count` pieces of a curve, and so many oracles of 63 digits. */
function ofPoints(count: number, oracles = 1): ContractInfo {
  const announced = Array.from({ length: oracles }, (_, at) => testOracle(`of ${at}`).announce(digitsEvent(63)));
  const points = Array.from({ length: count }, (_, at) => [BigInt(at), BigInt(at)] as const);
  return numericInfo(TOTAL, [...points, [(1n << 63n) - 1n, 0n]], oracleInfo(announced));
}

it.each([
  ['outcomes', ofOutcomes(1_500), ofOutcomes(1_501)],
  ['points of curves', ofPoints(1_500), ofPoints(1_501)],
  ['nonces', ofPoints(1, 20), ofPoints(1, 21)],
  ['announced outcomes', ofOutcomes(1_000, 25), ofOutcomes(1_000, 26)],
])('an offer of as many %s as may be passes, and of one more is refused', (what, most, more) => {
  expect(sizeProblem(most)).toBeNull();
  expect(sizeProblem(more)).toContain(what);
  const failed = { check: 'contract_info', verdict: 'failed', reason: sizeProblem(more) };
  expect(checkOffer(testOffer({ info: more }), timeless('regtest', 'tagged'))).toContainEqual(
    expect.objectContaining(failed),
  );
});

it('a contract that stands may have more: it was agreed on', () => {
  const checks = checkOffer(testOffer({ info: ofOutcomes(1_501) }), { ...timeless('regtest', 'tagged'), stands: true });
  expect(checks.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
});
