/**
 * From creation to the extracted transaction: 10 P2WPKH inputs, 2 outputs, against @scure/btc-signer and bitcoinjs-lib (version 0) as
 * their users write it, each on the curve that it comes with; what our part of it costs step by step; and the cost of an input as the
 * transaction grows. Run: node test/bench/psbt-signing.ts
 */
import { p2wpkh as scurePayment, Transaction } from '@scure/btc-signer';
import { networks, Psbt } from 'bitcoinjs-lib';
import { ECPairFactory } from 'ecpair';
import * as tinySecp256k1 from 'tiny-secp256k1';
import { hash160, sha256 } from '../../src/core/hashes.ts';
import { ecc } from '../../src/core/keys/ecc.ts';
import type { Txid } from '../../src/core/outpoint.ts';
import { createPsbt } from '../../src/core/psbt/construction/create-psbt.ts';
import { extractTransaction } from '../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../src/core/psbt/finalizing/finalize-psbt.ts';
import { signPsbt } from '../../src/core/psbt/signing/sign-psbt.ts';
import { signerFromKeyText } from '../../src/core/psbt/signing/signers.ts';

const KEY = sha256(Buffer.from('bench'));
const POINT = Buffer.from(ecc.pointFromScalar(KEY, true)!);
const SCRIPT = Buffer.concat([Buffer.of(0x00, 0x14), hash160(POINT)]);
const AMOUNT = 10_000n;
const OUTPUTS = [1000n, 2000n].map((amountSats) => ({ amountSats, script: SCRIPT }));
const txids = Array.from({ length: 1000 }, (_, index) => sha256(Buffer.from(`${index}`)).toString('hex') as Txid);
const tools = { ecc, randomBytes: (size: number) => new Uint8Array(size) };

const create = (count: number) =>
  createPsbt({
    inputs: txids.slice(0, count).map((txid) => ({
      outpoint: { txid, vout: 0 },
      sequence: 0xfffffffd,
      witnessUtxo: { amountSats: AMOUNT, script: SCRIPT },
    })),
    outputs: OUTPUTS,
  });

function sign(psbt: ReturnType<typeof create>, curve = ecc) {
  const signer = signerFromKeyText(KEY.toString('hex'), 'regtest');
  try {
    return signPsbt(psbt, signer, { ...tools, ecc: curve }).psbt;
  } finally {
    signer.dispose();
  }
}

const ours = (count: number): Buffer => extractTransaction(finalizePsbt(sign(create(count))).psbt).raw;

/** R as it comes, as @scure/btc-signer and bitcoinjs-lib leave it by default: one signature instead of two on average. */
const oursUngrounded = (count: number): Buffer =>
  extractTransaction(finalizePsbt(sign(create(count), { ...ecc, signEcdsa: ecc.sign })).psbt).raw;

const scure = (count: number): Uint8Array => {
  const { script } = scurePayment(POINT);
  const transaction = new Transaction();
  for (const txid of txids.slice(0, count))
    transaction.addInput({ txid, index: 0, sequence: 0xfffffffd, witnessUtxo: { amount: AMOUNT, script } });
  for (const { amountSats, script: output } of OUTPUTS) transaction.addOutput({ amount: amountSats, script: output });
  transaction.sign(KEY);
  transaction.finalize();
  return transaction.extract();
};

const bitcoinjs = (curve: Parameters<typeof ECPairFactory>[0]) => {
  const pair = ECPairFactory(curve).fromPrivateKey(KEY);
  return (count: number): Uint8Array => {
    const psbt = new Psbt({ network: networks.regtest });
    for (const hash of txids.slice(0, count))
      psbt.addInput({ hash, index: 0, sequence: 0xfffffffd, witnessUtxo: { value: AMOUNT, script: SCRIPT } });
    for (const { amountSats, script } of OUTPUTS) psbt.addOutput({ script, value: amountSats });
    psbt.signAllInputs(pair);
    psbt.finalizeAllInputs();
    return psbt.extractTransaction(true).toBuffer();
  };
};

function median(rounds: number, run: () => unknown): number {
  for (let round = 0; round < Math.min(rounds, 20); round++) run();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}

const milliseconds = (value: number): string => `${value.toFixed(2).padStart(8)} ms`;

console.log(
  `create, sign (every signature verified), finalize (verified again), extract: 10 P2WPKH inputs, ${ecc.implementation}`,
);
const mine = median(200, () => ours(10));
console.log(`ours                              ${milliseconds(mine)}`);
console.log(`ours, R not ground                ${milliseconds(median(200, () => oursUngrounded(10)))}`);
for (const [name, rounds, run] of [
  ['@scure/btc-signer', 50, scure],
  ['bitcoinjs-lib, tiny-secp256k1', 100, bitcoinjs(tinySecp256k1)],
  ['bitcoinjs-lib, our native curve', 100, bitcoinjs(ecc)],
] as const) {
  const theirs = median(rounds, () => run(10));
  console.log(`${name.padEnd(33)} ${milliseconds(theirs)}  ${(theirs / mine).toFixed(2)}x`);
}

console.log('\nstep by step, 10 inputs');
const created = create(10);
const signed = sign(created);
const finalized = finalizePsbt(signed).psbt;
console.log(`create    ${milliseconds(median(300, () => create(10)))}`);
console.log(`sign      ${milliseconds(median(300, () => sign(created)))}`);
console.log(`finalize  ${milliseconds(median(300, () => finalizePsbt(signed)))}`);
console.log(`extract   ${milliseconds(median(300, () => extractTransaction(finalized)))}`);

console.log('\ncost of an input, create to extract');
for (const count of [10, 100, 1000]) {
  const ms = median(count > 100 ? 10 : 50, () => ours(count));
  console.log(
    `${String(count).padStart(5)} inputs ${milliseconds(ms)} ${((ms * 1000) / count).toFixed(1).padStart(8)} us/input`,
  );
}
