/** Any miniscript that the finalizer satisfies is one that the interpreter takes, in P2WSH and in a leaf, whoever signed. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { sha256 } from '../../../src/core/hashes.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { extractTransaction } from '../../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { STANDARD_FLAGS } from '../../../src/core/scripts/interpreter/script-flags.ts';
import { verifySpend } from '../../../src/core/scripts/interpreter/verify-spend.ts';
import { taprootOutput } from '../../../src/core/taproot/taproot-output.ts';
import { p2wsh } from '../../builders/script-forms.ts';
import { arbitraryMiniscript, KEYS, PREIMAGES } from '../scripts/miniscript/arbitrary-miniscript.ts';
import { signWith } from './funded.ts';
import { C, miniscriptScript } from './spend-cases.ts';

const AMOUNT = 60_000n;
const preimageFields = PREIMAGES.flatMap((value) => [
  { type: INPUT.SHA256, keyData: sha256(value), value },
  { type: INPUT.HASH256, keyData: sha256(sha256(value)), value },
]);

function spending(script: Buffer, tapscript: boolean, locks: { sequence: number; locktime: number }) {
  const tree = tapscript ? taprootOutput(C.xOnly, { script, leafVersion: 0xc0 }) : null;
  const output = tree?.scriptPubKey ?? Buffer.from(p2wsh(script, 'regtest').scriptPubKey, 'hex');
  const origin = { fingerprint: '00000000', path: [] };
  const psbt = createPsbt({
    fallbackLocktime: locks.locktime,
    inputs: [
      {
        outpoint: { txid: 'ef'.repeat(32) as never, vout: 3 },
        sequence: locks.sequence,
        witnessUtxo: { amountSats: AMOUNT, script: output },
        ...(tree
          ? {
              tapInternalKey: C.xOnly,
              tapMerkleRoot: tree.merkleRoot!,
              tapLeafScripts: [{ script, leafVersion: 0xc0, controlBlock: tree.leaves[0]!.controlBlock }],
              tapBip32Derivations: KEYS.map(({ xOnly }) => ({
                xOnlyKey: xOnly,
                leafHashes: [tree.leaves[0]!.leafHash],
                ...origin,
              })),
            }
          : { witnessScript: script, bip32Derivations: KEYS.map(({ point }) => ({ publicKey: point, ...origin })) }),
        fields: preimageFields,
      },
    ],
    outputs: [{ amountSats: AMOUNT - 5000n, script: output }],
  });
  return { psbt, output };
}

it('satisfies what it says it satisfies', () => {
  let final = 0;
  const locks = fc.record({ sequence: fc.constantFrom(0, 5, 150, 0xfffffffe), locktime: fc.constantFrom(0, 99, 150) });
  fc.assert(
    fc.property(arbitraryMiniscript, fc.nat({ max: 0xffff }), locks, ({ text, tapscript }, mask, times) => {
      const { psbt, output } = spending(miniscriptScript(text, tapscript), tapscript, times);
      let signed: PsbtV2 = psbt;
      for (const [index, key] of KEYS.entries()) {
        if (!(mask & (1 << index)) || !text.includes(key.xOnly.toString('hex'))) continue;
        signed = signWith(signed, key);
      }
      const finalized = finalizePsbt(signed);
      if (!finalized.complete) return;
      final++;
      const transaction = parseTransaction(extractTransaction(finalized.psbt).raw);
      const spent = [{ amountSats: AMOUNT, scriptPubKey: output.toString('hex') }];
      expect(verifySpend(transaction, spent, 0, STANDARD_FLAGS), text).toEqual({ valid: true });
    }),
    { numRuns: 500 },
  );
  expect(final).toBeGreaterThan(50);
});
