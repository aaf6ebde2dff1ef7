import { Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { sha256 } from '../../../../src/core/hashes.ts';
import { reasonOf } from '../../../../src/core/scripts/interpreter/script-error.ts';
import {
  MANDATORY_FLAGS,
  type ScriptFlag,
  type ScriptFlags,
  STANDARD_FLAGS,
} from '../../../../src/core/scripts/interpreter/script-flags.ts';
import { verifySpend } from '../../../../src/core/scripts/interpreter/verify-spend.ts';
import { tapLeafHash } from '../../../../src/core/taproot/leaf-hash.ts';
import { tweakPublicKey } from '../../../../src/core/taproot/tweak.ts';

const INTERNAL = Buffer.from('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex');
const bytes = fc.uint8Array({ maxLength: 60 });
const spend = fc.record({ script: bytes, scriptSig: bytes, items: fc.array(bytes, { maxLength: 4 }) });
const WRAPPINGS = ['bare', 'P2WSH', 'P2TR'] as const;

/** Soft forks only take away: whatever passes under more flags passes under fewer. */
const softerThan = (flags: ScriptFlags): fc.Arbitrary<ScriptFlags> =>
  fc
    .subarray([...flags].filter((flag) => flag !== 'P2SH' && flag !== 'WITNESS'))
    .map((some) => new Set<ScriptFlag>([...some, 'P2SH', 'WITNESS']));

it('judges any bytes, and what passes by more rules by fewer, too', () => {
  let passed = 0;
  fc.assert(
    fc.property(spend, fc.constantFrom(...WRAPPINGS), softerThan(STANDARD_FLAGS), (given, wrapping, fewer) => {
      const { script, scriptSig, items } = given;
      const tx = new Transaction();
      tx.addInput(new Uint8Array(32).fill(1), 0, 0, wrapping === 'bare' ? scriptSig : new Uint8Array(0));
      tx.addOutput(Uint8Array.of(0x51), 1n);
      let output: Uint8Array = script;
      if (wrapping === 'P2WSH') {
        output = Buffer.concat([Uint8Array.of(0, 32), sha256(script)]);
        tx.setWitness(0, [...items, script]);
      } else if (wrapping === 'P2TR') {
        const { outputKey, parity } = tweakPublicKey(INTERNAL, tapLeafHash(script));
        output = Buffer.concat([Uint8Array.of(0x51, 32), outputKey]);
        tx.setWitness(0, [...items, script, Buffer.concat([Uint8Array.of(0xc0 | parity), INTERNAL])]);
      }
      const parsed = parseTransaction(tx.toBuffer());
      const spent = [{ amountSats: 2n, scriptPubKey: Buffer.from(output).toString('hex') }];
      const [standard, mandatory, some] = [STANDARD_FLAGS, MANDATORY_FLAGS, fewer].map((flags) =>
        verifySpend(parsed, spent, 0, flags),
      );
      for (const verdict of [standard, mandatory, some])
        if (!verdict!.valid) expect(verdict!.reason).toBe(reasonOf(verdict!.error));
      if (!standard!.valid) return;
      passed++;
      expect(mandatory).toEqual({ valid: true });
      expect(some).toEqual({ valid: true });
    }),
    { numRuns: 3000 },
  );
  expect(passed).toBeGreaterThan(5);
});
