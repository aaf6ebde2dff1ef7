/** Other software as a party: it reads what we answer, and what it signs or makes comes back through our operations. */
import { PsbtV2 as CaravanPsbt } from '@caravan/psbt';
import { Transaction } from '@scure/btc-signer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hashes.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { A, B, C, multisig, type TestKey } from '../../core/psbt/spend-cases.ts';
import { noteSecret } from '../../secrets/collected.ts';
import { type Coin, coinsOf, ELSEWHERE, ELSEWHERE_SCRIPT, psbtHttp } from './psbt-http.ts';

let service: TestApp;
let coins: Coin[];
const { ok } = psbtHttp(() => service);
const witnessScript = multisig(2, A.point, B.point, C.point);
const shared = `0020${sha256(witnessScript).toString('hex')}`;

beforeAll(async () => {
  service = await startTestApp();
  for (const { hex } of [A, B, C]) noteSecret('key', hex);
  coins = await coinsOf(service, [shared, shared, `5120${A.xOnly.toString('hex')}`]);
});
afterAll(() => service.close());

const bytesOf = (psbt: string): Buffer => Buffer.from(psbt, 'base64');
const base64 = (psbt: Uint8Array): string => Buffer.from(psbt).toString('base64');

/** A 2-of-3 input, with everything that signers need. */
async function prepared(): Promise<Json> {
  const { psbt } = await ok('create', {
    inputs: coins.slice(0, 2).map(({ txid, vout }) => ({
      txid,
      vout,
      witness_script: witnessScript.toString('hex'),
      bip32_derivation: [
        { pubkey: A.point.toString('hex'), fingerprint: 'aaaaaaaa', path: 'm/48h/1h/0h/2h/0/0' },
        { pubkey: B.point.toString('hex'), fingerprint: 'bbbbbbbb', path: 'm/48h/1h/0h/2h/0/0' },
      ],
    })),
    outputs: [
      { address: ELSEWHERE, amount: '60' },
      { script: shared, amount: '39.99', witness_script: witnessScript.toString('hex') },
    ],
    fallback_locktime: 0,
  });
  return ok('update', { psbt, from_chain: true });
}

/** Signed by @scure/btc-signer, in its own version 2. */
function signedByScure(psbt: string, key: TestKey): string {
  const transaction = Transaction.fromPSBT(bytesOf(psbt));
  transaction.sign(key.privateKey);
  return base64(transaction.toPSBT(2));
}

const accepted = async (transaction: string) =>
  expect(await service.simulated.testAccept(Buffer.from(transaction, 'hex'))).toEqual({ result: 'accepted' });

describe('@scure/btc-signer', () => {
  it('reads what is answered', async () => {
    const { psbt, inputs, outputs, unsigned_txid } = await prepared();
    const theirs = Transaction.fromPSBT(bytesOf(psbt));
    expect(theirs.inputsLength).toBe(inputs.length);
    expect(theirs.outputsLength).toBe(outputs.length);
    expect(Buffer.from(theirs.getInput(0).txid as Uint8Array).toString('hex')).toBe(inputs[0].txid);
    expect(theirs.getOutput(0).amount).toBe(6_000_000_000n);
    expect(Buffer.from(theirs.getOutput(0).script as Uint8Array).toString('hex')).toBe(ELSEWHERE_SCRIPT);
    expect(theirs.id).toBe(unsigned_txid);
  });

  it('is a cosigner: its signature and ours make the transaction, in either order', async () => {
    const { psbt } = await prepared();
    const ours = (await ok('sign', { psbt, key: A.hex })).psbt;
    const theirs = signedByScure(psbt, B);
    for (const psbts of [
      [ours, theirs],
      [theirs, ours],
      [psbt, theirs, ours],
      [signedByScure(ours, B)],
      [(await ok('sign', { psbt: theirs, key: A.hex })).psbt],
    ]) {
      const combined = await ok('combine', { psbts });
      expect(combined.inputs.map(({ signatures }: Json) => signatures.map(({ valid }: Json) => valid))).toEqual([
        [true, true],
        [true, true],
      ]);
      const final = await ok('finalize', { psbt: combined.psbt });
      expect(final.complete).toBe(true);
      await accepted(final.transaction);
    }
  });

  it('finalizes what we signed, and we what it signed in version 0', async () => {
    const { psbt } = await prepared();
    const twice = (await ok('sign', { psbt: (await ok('sign', { psbt, key: A.hex })).psbt, key: C.hex })).psbt;
    const theirs = Transaction.fromPSBT(bytesOf(twice));
    theirs.finalize();
    await accepted(Buffer.from(theirs.extract()).toString('hex'));

    const v0 = Transaction.fromPSBT(bytesOf((await ok('migrate', { psbt, target: 0 })).psbt));
    for (const { privateKey } of [B, C]) v0.sign(privateKey);
    const back = await ok('migrate', { psbt: base64(v0.toPSBT(0)) });
    const final = await ok('finalize', { psbt: (await ok('combine', { psbts: [psbt, back.psbt] })).psbt });
    expect(final.complete).toBe(true);
    await accepted(final.transaction);
  });

  it('signs taproot with us', async () => {
    const [, , coin] = coins as [Coin, Coin, Coin];
    const { psbt } = await ok('create', {
      inputs: [
        { txid: coin.txid, vout: 0, witness_utxo: { script: `5120${A.xOnly.toString('hex')}`, amount: coin.amount } },
      ],
      outputs: [{ address: ELSEWHERE, amount: '1' }],
    });
    const ours = await ok('finalize', { psbt: (await ok('sign', { psbt, key: A.hex })).psbt });
    const theirs = Transaction.fromPSBT(bytesOf(psbt));
    expect(theirs.id).toBe(ours.txid);
    await accepted(ours.transaction);
  });
});

describe('@caravan/psbt', () => {
  it('reads what is answered, and writes it back as it was', async () => {
    const { psbt, inputs } = await prepared();
    const theirs = new CaravanPsbt(psbt);
    expect(theirs.PSBT_GLOBAL_INPUT_COUNT).toBe(2);
    expect(theirs.PSBT_IN_WITNESS_SCRIPT).toEqual([witnessScript.toString('hex'), witnessScript.toString('hex')]);
    expect(
      Buffer.from(theirs.PSBT_IN_PREVIOUS_TXID[0] as string, 'hex')
        .reverse()
        .toString('hex'),
    ).toBe(inputs[0].txid);
    const back = await ok('combine', { psbts: [psbt, theirs.serialize('base64')] });
    expect(back.psbt).toBe(psbt);
  });

  it('makes a PSBT that we sign, and puts signatures of others into it', async () => {
    const { psbt } = await prepared();
    const theirs = new CaravanPsbt();
    theirs.PSBT_GLOBAL_TX_VERSION = 2;
    theirs.PSBT_GLOBAL_FALLBACK_LOCKTIME = 0;
    for (const { txid, vout } of coins.slice(0, 2)) {
      theirs.addInput({
        // It takes the hash as it stands on the wire.
        previousTxId: Buffer.from(txid, 'hex').reverse(),
        outputIndex: vout,
        witnessUtxo: { amount: 5_000_000_000, script: Buffer.from(shared, 'hex') },
        witnessScript,
      });
    }
    theirs.addOutput({ amount: 6_000_000_000, script: Buffer.from(ELSEWHERE_SCRIPT, 'hex') });
    theirs.addOutput({ amount: 3_999_000_000, script: Buffer.from(shared, 'hex'), witnessScript });
    const made = await ok('decode', { psbt: theirs.serialize('base64') });
    expect(made.unsigned_txid).toBe((await ok('decode', { psbt })).unsigned_txid);

    // The same transaction: signatures over ours hold for theirs.
    const scure = Transaction.fromPSBT(bytesOf(signedByScure(psbt, C)));
    for (const index of [0, 1]) {
      const [[key, signature]] = scure.getInput(index).partialSig as [[Uint8Array, Uint8Array]];
      theirs.addPartialSig(index, Buffer.from(key), Buffer.from(signature));
    }
    const signed = await ok('sign', { psbt: theirs.serialize('base64'), key: B.hex });
    expect(signed.inputs[1].signatures.length).toBe(2);
    const final = await ok('finalize', { psbt: (await ok('combine', { psbts: [psbt, signed.psbt] })).psbt });
    expect(final.complete).toBe(true);
    await accepted(final.transaction);
  });
});
