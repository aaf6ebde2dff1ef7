/** Which fees an inspection vouches for: those of amounts that a previous transaction proves, or that taproot signatures cover. */
import { expect, it } from 'vitest';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { extractTransaction } from '../../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import { inspectPsbt } from '../../../src/core/psbt/inspection/inspect-psbt.ts';
import { CASE_SATS, fundingTransaction, signWith, spendingPsbt } from './funded.ts';
import { A, SPEND_CASES } from './spend-cases.ts';

const funding = fundingTransaction(SPEND_CASES);
const script = Buffer.from(`0014${'11'.repeat(20)}`, 'hex');
const PROVED = 'p2pkh';
const BELIEVED = 'p2wpkh';
const TAPROOT = 'p2tr by its key';

it.each([
  [[PROVED], 'passed'],
  [[TAPROOT], 'passed'],
  [[PROVED, TAPROOT], 'passed'],
  [[BELIEVED], 'warning'],
  [[PROVED, BELIEVED], 'warning'],
  [[BELIEVED, TAPROOT], 'warning'],
] as const)('the fee of inputs %j: %s', (names, verdict) => {
  const spends = names.map((name) => SPEND_CASES.findIndex((one) => one.name === name));
  const psbt = spendingPsbt(
    funding,
    spends.map((vout) => ({ case: SPEND_CASES[vout]!, vout })),
    [{ amountSats: BigInt(names.length) * CASE_SATS - 1000n, script }],
  );
  const fee = inspectPsbt(psbt, { network: 'regtest' }).checks.find(({ check }) => check === 'fee');
  expect(fee?.verdict).toBe(verdict);
});

it('an extracted transaction has its fee, whatever it pays', () => {
  const one = SPEND_CASES.find(({ name }) => name === BELIEVED)!;
  const psbt = createPsbt({
    inputs: [
      {
        outpoint: { txid: 'cd'.repeat(32) as never, vout: 0 },
        witnessUtxo: { amountSats: 6_000_000_000n, script: one.script },
      },
    ],
    outputs: [{ amountSats: 5_999_999_000n, script }],
  });
  expect(extractTransaction(finalizePsbt(signWith(psbt, A)).psbt).feeSats).toBe(1000n);
});
