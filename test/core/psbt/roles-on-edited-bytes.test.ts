/** Whatever a PSBT says: roles that read scripts and signatures answer or refuse; they never crash, and never make what is not valid. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { DomainError } from '../../../src/core/errors.ts';
import { spentOutput } from '../../../src/core/psbt/codec/input-fields.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { extractTransaction } from '../../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { MANDATORY_FLAGS } from '../../../src/core/scripts/interpreter/script-flags.ts';
import { verifySpend } from '../../../src/core/scripts/interpreter/verify-spend.ts';
import { SIGHASH_NAMES } from '../../../src/core/scripts/sighash-type.ts';
import { CASE_SATS, fundingTransaction, signWith, spendingPsbt } from './funded.ts';
import { SPEND_CASES } from './spend-cases.ts';

const funding = fundingTransaction(SPEND_CASES);
/** Of each case, unsigned and signed. */
const originals = SPEND_CASES.flatMap((one, vout) => {
  const outputs = [{ amountSats: CASE_SATS - 1000n, script: Buffer.from(`0014${'33'.repeat(20)}`, 'hex') }];
  const unsigned = spendingPsbt(funding, [{ case: one, vout }], outputs);
  const signed = one.signers.reduce((psbt, key) => signWith(psbt, key), unsigned);
  return [unsigned, signed].map((psbt) => ({ one, bytes: serializePsbt(psbt) }));
});

const orRefused = <T>(run: () => T): T | null => {
  try {
    return run();
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
};

it('edited bytes are refused, or come to a transaction that holds', () => {
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 3 });
  const counts = { parsed: 0, spent: 0 };
  fc.assert(
    fc.property(fc.constantFrom(...originals), edits, ({ one, bytes }, changes) => {
      const edited = Buffer.from(bytes);
      for (const [at, byte] of changes) edited[5 + (at % (edited.length - 5))] = byte;
      const psbt = orRefused(() => parsePsbt(edited));
      if (psbt?.version !== 2) return;
      counts.parsed++;
      let signed: PsbtV2 = psbt;
      for (const key of one.signers)
        signed = orRefused(() => signWith(signed, key, { allowSighash: SIGHASH_NAMES })) ?? signed;
      const final = orRefused(() => finalizePsbt(signed));
      const extracted = final && orRefused(() => extractTransaction(final.psbt));
      const wasFinal = (psbt.inputs[0]!.has(0x07) || psbt.inputs[0]!.has(0x08)) as boolean;
      const spent = final && spentOutput(final.psbt.inputs[0]!);
      if (!extracted || !spent || wasFinal) return;
      counts.spent++;
      const verdict = verifySpend(parseTransaction(extracted.raw), [spent], 0, MANDATORY_FLAGS);
      expect(verdict, one.name).toEqual({ valid: true });
    }),
    { numRuns: 3000 },
  );
  expect(counts.parsed).toBeGreaterThan(500);
  expect(counts.spent).toBeGreaterThan(50);
});
