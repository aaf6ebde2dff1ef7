/** A PSBT of many inputs that one key signs: P2WPKH, with derivations, two outputs. */
import { hash160 } from '../../src/core/hashes.ts';
import { txid } from '../../src/core/outpoint.ts';
import { psbtToBase64 } from '../../src/core/psbt/codec/psbt-text.ts';
import { createPsbt } from '../../src/core/psbt/construction/create-psbt.ts';

export function unsignedPsbt(publicKey: Uint8Array, inputs: number): string {
  const script = Buffer.concat([Buffer.of(0, 20), hash160(publicKey)]);
  return psbtToBase64(
    createPsbt({
      inputs: Array.from({ length: inputs }, (_, vout) => ({
        outpoint: { txid: txid('ab'.repeat(32)), vout },
        witnessUtxo: { amountSats: 100_000n, script },
        bip32Derivations: [{ publicKey, fingerprint: 'd34db33f', path: [0x80000054, 0x80000001, 0x80000000, 0, vout] }],
      })),
      outputs: [1, 2].map(() => ({ amountSats: 40_000n, script })),
    }),
  );
}
