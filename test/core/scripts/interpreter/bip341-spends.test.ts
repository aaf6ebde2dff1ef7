import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { STANDARD_FLAGS } from '../../../../src/core/scripts/interpreter/script-flags.ts';
import { spendVerifier } from '../../../../src/core/scripts/interpreter/verify-spend.ts';

const FILE = new URL('../../../../../shared/vectors/taproot/bip0341-wallet.json', import.meta.url);

interface KeyPathSpending {
  readonly given: { readonly utxosSpent: readonly { readonly scriptPubKey: string; readonly amountSats: number }[] };
  readonly auxiliary: { readonly fullySignedTx: string };
}

describe.skipIf(!existsSync(FILE))("BIP341's wallet vectors (skipped where shared/vectors is absent)", () => {
  it('spend by the rules of relay, every input, and none once an amount differs that it signs', () => {
    const { keyPathSpending } = JSON.parse(readFileSync(FILE, 'utf8')) as { keyPathSpending: KeyPathSpending[] };
    for (const { given, auxiliary } of keyPathSpending) {
      const tx = parseTransaction(Buffer.from(auxiliary.fullySignedTx, 'hex'));
      const spent = given.utxosSpent.map(({ scriptPubKey, amountSats }) => ({
        scriptPubKey,
        amountSats: BigInt(amountSats),
      }));
      const verify = spendVerifier(tx, spent, STANDARD_FLAGS);
      for (const index of tx.inputs.keys()) expect(verify(index), `input ${index}`).toEqual({ valid: true });
      for (const [index, output] of spent.entries()) {
        const raised = spent.with(index, { ...output, amountSats: output.amountSats + 1n });
        const signsAmount = output.scriptPubKey.startsWith('5120') || output.scriptPubKey.startsWith('00');
        expect(spendVerifier(tx, raised, STANDARD_FLAGS)(index).valid).toBe(!signsAmount);
      }
    }
    expect(keyPathSpending.length).toBeGreaterThan(0);
  });
});
