/**
 * Signing by number of inputs, verification of each signature included: milliseconds of one transaction and microseconds of one input,
 * native secp256k1 against WASM, and the signature hashes alone against bitcoinjs-lib's. Run: node test/bench/signing.ts
 */
import { createHash } from 'node:crypto';
import { Transaction } from 'bitcoinjs-lib';
import { parseTransaction } from '../../src/core/blocks/transaction.ts';
import { createSecp256k1, nativeSecp256k1Loads } from '../../src/core/keys/create-secp256k1.ts';
import type { Secp256k1 } from '../../src/core/keys/secp256k1.ts';
import type { Txid } from '../../src/core/outpoint.ts';
import type { PlannedInput } from '../../src/core/payments/payment-plan.ts';
import { createSignatureHasher } from '../../src/core/scripts/signature-hash.ts';
import { buildTransaction } from '../../src/core/transactions/build-transaction.ts';
import type { KeyRing } from '../../src/core/transactions/signing-input.ts';
import { signedAtOnce } from '../core/transactions/keys.ts';

const KEY = Buffer.alloc(32, 7);
const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest();
const wasm = createSecp256k1({ implementation: 'wasm' });
const point = Buffer.from(wasm.pointFromScalar(KEY, true)!);
const keyHash = createHash('ripemd160').update(sha256(point)).digest();
const tag = sha256(Buffer.from('TapTweak'));
const outputKey = wasm.xOnlyPointAddTweak(
  point.subarray(1),
  sha256(Buffer.concat([tag, tag, point.subarray(1)])),
)!.xOnlyPubkey;
const scripts = {
  p2wpkh: `0014${keyHash.toString('hex')}`,
  p2tr: `5120${Buffer.from(outputKey).toString('hex')}`,
};
const keys: KeyRing = {
  privateKey: () => Uint8Array.from(KEY),
  publicKey: () => point,
  dispose: () => {},
};

function planOf(scriptType: 'p2wpkh' | 'p2tr', count: number) {
  const inputs = Array.from(
    { length: count },
    (_, index): PlannedInput => ({
      txid: createHash('sha256').update(`${index}`).digest('hex') as Txid,
      vout: 0,
      amountSats: 10_000n,
      scriptPubKey: scripts[scriptType],
      scriptType,
      change: false,
      index: 0,
      sequence: 0xfffffffd,
    }),
  );
  const outputs = [{ scriptPubKey: scripts.p2wpkh, amountSats: 1000n, recipient: 0 }];
  return { version: 2 as const, locktime: 0, inputs, outputs };
}

function median(rounds: number, run: () => void): number {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now();
    run();
    if (round > 0) times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}

const implementations: Secp256k1[] = nativeSecp256k1Loads
  ? [createSecp256k1({ implementation: 'native' }), wasm]
  : [wasm];
const randomBytes = (size: number): Uint8Array => new Uint8Array(size);
console.log('type     inputs  curve     ms/tx   us/input');
for (const type of ['p2wpkh', 'p2tr'] as const)
  for (const count of [1, 10, 100, 1000])
    for (const ecc of implementations) {
      const plan = planOf(type, count);
      const ms = median(count > 100 ? 3 : 15, () => signedAtOnce(plan, keys, { ecc, randomBytes }));
      console.log(
        `${type.padEnd(8)} ${String(count).padStart(6)}  ${ecc.implementation.padEnd(6)} ${ms.toFixed(2).padStart(8)} ${((ms * 1000) / count).toFixed(1).padStart(10)}`,
      );
    }

console.log('\nsignature hashes alone, p2wpkh: ours against bitcoinjs-lib');
const keyScript = Buffer.concat([Buffer.from('76a914', 'hex'), keyHash, Buffer.from('88ac', 'hex')]);
for (const count of [10, 100, 1000]) {
  const plan = planOf('p2wpkh', count);
  const transaction = buildTransaction(plan);
  const ours = median(5, () => {
    const hasher = createSignatureHasher(parseTransaction(transaction.toBuffer()), plan.inputs);
    for (let index = 0; index < count; index++) hasher.segwitV0(index, keyScript, Transaction.SIGHASH_ALL);
  });
  const theirs = median(3, () => {
    for (let index = 0; index < count; index++)
      transaction.hashForWitnessV0(index, keyScript, 10_000n, Transaction.SIGHASH_ALL);
  });
  console.log(
    `${String(count).padStart(6)} inputs: ${ours.toFixed(2)} ms against ${theirs.toFixed(2)} ms, ${(theirs / ours).toFixed(1)}x`,
  );
}
