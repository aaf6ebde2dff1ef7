import { GLOBAL } from '../psbt/codec/key-types.ts';
import { createPsbt } from '../psbt/construction/create-psbt.ts';
import type { PsbtInputDraft, PsbtInputFacts } from '../psbt/construction/psbt-draft.ts';
import type { PsbtV2 } from '../psbt/psbt.ts';
import { witnessProgram } from '../relay-policy/standard-scripts.ts';
import { toSpend, UNSPENDABLE_SCRIPT } from './virtual-transactions.ts';

/**
 * BIP322's to_sign as a PSBT that says which message it signs, so that signers show that and no payment. `facts`: what a signer must know
 * of the script besides. `claims`: the outputs of a proof of funds, whose signatures cover the message as well.
 */
export function messagePsbt(
  script: Uint8Array,
  message: Uint8Array,
  facts: PsbtInputFacts,
  claims: readonly PsbtInputDraft[] = [],
): PsbtV2 {
  const spends = toSpend(script, message);
  return createPsbt({
    version: 0,
    inputs: [
      {
        ...facts,
        outpoint: { txid: spends.txid, vout: 0 },
        sequence: 0,
        nonWitnessUtxo: spends.raw,
        ...(witnessProgram(script) && { witnessUtxo: { amountSats: 0n, script } }),
      },
      ...claims,
    ],
    outputs: [{ amountSats: 0n, script: UNSPENDABLE_SCRIPT }],
    fields: [{ type: GLOBAL.GENERIC_SIGNED_MESSAGE, keyData: new Uint8Array(0), value: message }],
  });
}
