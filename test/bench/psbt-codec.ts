/**
 * PSBTs of version 2, side by side: parsing and serializing against @caravan/psbt and @scure/btc-signer, building against bitcoinjs-lib's
 * Psbt, and what an input costs by their number. Run: node test/bench/psbt-codec.ts
 */
import { PsbtV2 as CaravanPsbt } from '@caravan/psbt';
import { Transaction } from '@scure/btc-signer';
import { networks, Psbt } from 'bitcoinjs-lib';
import { sha256 } from '../../src/core/hashes.ts';
import { createSecp256k1 } from '../../src/core/keys/create-secp256k1.ts';
import { txid } from '../../src/core/outpoint.ts';
import { INPUT } from '../../src/core/psbt/codec/key-types.ts';
import { parsePsbt } from '../../src/core/psbt/codec/parse-psbt.ts';
import { serializePsbt } from '../../src/core/psbt/codec/serialize-psbt.ts';
import { createPsbt } from '../../src/core/psbt/construction/create-psbt.ts';
import type { PsbtDraft } from '../../src/core/psbt/construction/psbt-draft.ts';
import { derWithHashType } from '../../src/core/scripts/der-signature.ts';
import { p2wpkh } from '../../src/core/scripts/output-scripts.ts';

const ecc = createSecp256k1({ implementation: 'wasm' });
const keys = Array.from({ length: 20 }, (_, index) => {
  const scalar = Buffer.alloc(32, index + 1);
  const publicKey = Buffer.from(ecc.pointFromScalar(scalar, true) as Uint8Array);
  const signature = derWithHashType(ecc.signEcdsa(sha256(scalar), scalar), 1);
  return { publicKey, signature, script: p2wpkh(publicKey) };
});
const HARDENED = 0x80000000;

/** P2WPKH inputs with UTXO, derivation and signature, P2WPKH outputs with derivation. */
function draftOf(inputs: number, outputs: number): PsbtDraft {
  const key = (index: number) => keys[index % keys.length] as (typeof keys)[number];
  const derivation = (index: number) => [
    {
      publicKey: key(index).publicKey,
      fingerprint: 'd34db33f',
      path: [HARDENED + 84, HARDENED, HARDENED, 0, index],
    },
  ];
  return {
    fallbackLocktime: 0,
    modifiable: { inputs: true, outputs: true },
    inputs: Array.from({ length: inputs }, (_, index) => ({
      outpoint: { txid: txid(sha256(Buffer.from(`${index}`)).toString('hex')), vout: index % 3 },
      sequence: 0xfffffffd,
      witnessUtxo: { amountSats: 100_000n + BigInt(index), script: key(index).script },
      bip32Derivations: derivation(index),
      sighashType: 1,
      fields: [{ type: INPUT.PARTIAL_SIG, keyData: key(index).publicKey, value: key(index).signature }],
    })),
    outputs: Array.from({ length: outputs }, (_, index) => ({
      amountSats: 90_000n,
      script: key(index).script,
      bip32Derivations: derivation(index),
    })),
  };
}

/** The quickest of several rounds, in microseconds: what is left when nothing else has the machine. */
function best(rounds: number, repeats: number, run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let repeat = 0; repeat < repeats; repeat++) run();
    least = Math.min(least, (performance.now() - start) / repeats);
  }
  return least * 1000;
}

const line = (name: string, micros: number, than?: number) =>
  console.log(
    `${name.padEnd(44)} ${micros.toFixed(1).padStart(12)} us${than === undefined ? '' : `   ${(micros / than).toFixed(2)}x ours`}`,
  );

const small = serializePsbt(createPsbt(draftOf(10, 10)));
console.log(`parse and serialize, 10 inputs and 10 outputs, ${small.length} bytes`);
const options = { allowUnknownInputs: true, allowUnknownOutputs: true };
const ours = best(40, 200, () => serializePsbt(parsePsbt(small)));
line('ours, every field checked', ours);
// Changed maps are written field by field.
const rewritten = best(40, 200, () => {
  const psbt = parsePsbt(small);
  for (const map of [psbt.global, ...psbt.inputs, ...psbt.outputs]) map.keep(() => true);
  serializePsbt(psbt);
});
line('ours, every map taken apart and written anew', rewritten, ours);
line(
  '@caravan/psbt',
  best(20, 20, () => new CaravanPsbt(small).serialize('hex')),
  ours,
);
line(
  '@scure/btc-signer Transaction',
  best(10, 5, () => Transaction.fromPSBT(small, options).toPSBT(2)),
  ours,
);

console.log('\nbuild, 500 inputs and 500 outputs');
const draft = draftOf(500, 500);
const built = best(10, 5, () => createPsbt(draft));
line('ours: createPsbt', built);
line(
  'bitcoinjs-lib: Psbt.addInput, addOutput',
  best(1, 1, () => {
    const psbt = new Psbt({ network: networks.regtest });
    for (const { outpoint, sequence, witnessUtxo, bip32Derivations } of draft.inputs)
      psbt.addInput({
        hash: outpoint.txid,
        index: outpoint.vout,
        sequence: sequence as number,
        witnessUtxo: { value: witnessUtxo?.amountSats as bigint, script: witnessUtxo?.script as Uint8Array },
        bip32Derivation: theirs(bip32Derivations),
      });
    for (const { amountSats, script, bip32Derivations } of draft.outputs)
      psbt.addOutput({ value: amountSats, script, bip32Derivation: theirs(bip32Derivations) });
  }),
  built,
);

function theirs(derivations: PsbtDraft['inputs'][number]['bip32Derivations'] = []) {
  return derivations.map(({ publicKey, fingerprint, path }) => ({
    pubkey: publicKey,
    masterFingerprint: Buffer.from(fingerprint, 'hex'),
    path: `m/${path.map((step) => (step >= HARDENED ? `${step - HARDENED}'` : step)).join('/')}`,
  }));
}

console.log('\nby the number of inputs (as many outputs)');
for (const count of [10, 100, 1000]) {
  const bytes = serializePsbt(createPsbt(draftOf(count, count)));
  const micros = best(10, Math.ceil(2000 / count), () => serializePsbt(parsePsbt(bytes)));
  console.log(
    `${String(count).padStart(6)} ${micros.toFixed(1).padStart(12)} us ${(micros / count).toFixed(3).padStart(10)} us each`,
  );
}
