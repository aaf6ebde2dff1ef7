/** PSBTs of a thousand inputs work; what is above the limits is refused; nobody's PSBT keeps the service busy. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../src/core/blocks/byte-writer.ts';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { hash160 } from '../../../src/core/hashes.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { psbtToBase64 } from '../../../src/core/psbt/codec/psbt-text.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { A } from '../../core/psbt/spend-cases.ts';
import { noteSecret } from '../../secrets/collected.ts';
import { coinsOf, ELSEWHERE, psbtHttp } from './psbt-http.ts';

let service: TestApp;
const { ask, ok, refused } = psbtHttp(() => service);
const SCRIPT = `0014${hash160(A.point).toString('hex')}`;

beforeAll(async () => {
  service = await startTestApp();
  noteSecret('key', A.hex);
});
afterAll(() => service.close());

describe('a thousand', () => {
  it('inputs and outputs go from create to a transaction that a node takes', async () => {
    const [coin] = await coinsOf(service, [SCRIPT]);
    const through = async (created: Json) => {
      const updated = await ok('update', { psbt: created.psbt, from_chain: true });
      const signed = await ok('sign', { psbt: updated.psbt, key: A.hex });
      expect(signed.signed_inputs.length).toBe(created.inputs.length);
      return ok('finalize', { psbt: signed.psbt });
    };
    const split = await through(
      await ok('create', {
        inputs: [{ txid: coin?.txid, vout: 0 }],
        outputs: Array.from({ length: 1_000 }, () => ({ script: SCRIPT, amount: '0.049' })),
      }),
    );
    const raw = Buffer.from(split.transaction, 'hex');
    expect(await service.simulated.broadcast(raw)).toEqual({ result: 'accepted' });
    await service.simulated.mine(1, '51');

    const gathered = await through(
      await ok('create', {
        inputs: Array.from({ length: 1_000 }, (_, vout) => ({ txid: split.txid, vout })),
        outputs: [{ address: ELSEWHERE, amount: '48.9' }],
      }),
    );
    // A thousand times the transaction with a thousand outputs would be too long: the later ones come without.
    expect(gathered).toMatchObject({ complete: true, fee: '0.10000000', fee_verified: false });
    expect(gathered.inputs[0].amount_verified).toBe(true);
    expect(gathered.inputs[999]).toMatchObject({ amount: '0.04900000', amount_verified: false });
    const transaction = Buffer.from(gathered.transaction, 'hex');
    expect(parseTransaction(transaction).inputs.length).toBe(1_000);
    expect(await service.simulated.testAccept(transaction)).toEqual({ result: 'accepted' });
    const verified = await ok('verify', { psbt: gathered.psbt, against_chain: true });
    expect(verified.valid).toBe(true);
    expect(verified.checks.filter(({ check, verdict }: Json) => check === 'final' && verdict === 'passed').length).toBe(
      1_000,
    );
  });

  it('more inputs are not looked up on the chain', async () => {
    const inputs = Array.from({ length: 1_001 }, (_, vout) => ({ txid: 'ab'.repeat(32), vout }));
    const { psbt } = await ok('create', { inputs, outputs: [] });
    expect(await refused('verify', { psbt, against_chain: true })).toMatchObject({
      status: 422,
      field: 'against_chain',
    });
    expect(await refused('update', { psbt, from_chain: true })).toMatchObject({ status: 422, field: 'from_chain' });
  });
});

describe('bodies', () => {
  it('of 10 MiB are taken, and a byte more is refused: 413', async () => {
    const limit = 10 * 1024 * 1024;
    const body = (length: number) => `{"psbt":"${'A'.repeat(length - 11)}"}`;
    expect((await ask('decode', body(limit))).status).toBe(400);
    const answer = await ask('decode', body(limit + 1));
    expect([answer.status, answer.body.error.details.code]).toEqual([413, 'body_too_large']);
    expect(answer.body.error.message).toMatch(/10 MiB of PSBTs/);
  });
});

describe('more than nodes relay', () => {
  const withOutputs = (count: number): string =>
    psbtToBase64(
      createPsbt({ inputs: [], outputs: new Array(count).fill({ amountSats: 0n, script: new Uint8Array(0) }) }),
    );

  it('is refused by every operation before work is done', async () => {
    expect((await ok('decode', { psbt: withOutputs(10_000) })).outputs.length).toBe(10_000);
    for (const psbt of [withOutputs(10_001), withOutputs(100_000)])
      for (const [verb, body] of [
        ['decode', { psbt }],
        ['verify', { psbt }],
        ['sign', { psbt, key: A.hex }],
        ['finalize', { psbt }],
        ['migrate', { psbt }],
        ['construct', { psbt }],
        ['combine', { psbts: [psbt] }],
      ] as const)
        expect(await refused(verb, body), verb).toMatchObject({ status: 422, code: 'too_large' });
    expect(
      await refused('create', { inputs: [], outputs: new Array(10_001).fill({ script: '', amount: '0' }) }),
    ).toMatchObject({
      status: 400,
      field: 'outputs',
    });
  });
});

describe('fields without content', () => {
  const NONE = createPsbt({ inputs: [], outputs: [] });
  const withFields = (count: number): string => {
    const global = NONE.global.clone();
    global.setAll(
      Array.from({ length: count }, (_, index) => ({
        type: 0x80,
        keyData: Buffer.of(index >> 16, (index >> 8) & 0xff, index & 0xff),
        value: new Uint8Array(0),
      })),
    );
    return psbtToBase64({ ...NONE, global });
  };

  it('are refused where they are too many, in one PSBT or in several together', async () => {
    const most = { status: 400, code: 'invalid_psbt', message: expect.stringMatching(/up to 250000 fields/) };
    const some = withFields(130_000);
    expect(await refused('decode', { psbt: withFields(250_000) })).toMatchObject({ ...most, field: 'psbt' });
    for (const verb of ['combine', 'join'])
      expect(await refused(verb, { psbts: [some, some] }), verb).toMatchObject({ ...most, field: 'psbts[1]' });
    expect((await ask('combine', { psbts: [some, withFields(0)] })).status).toBe(200);
  });
});

describe('what would take long', () => {
  /** DER of r = s = 1, and SIGHASH_ALL. */
  const SIGNATURE = Buffer.from('300602010102010101', 'hex');

  it('to check is left unchecked, and said to be: signatures that each hash the whole transaction', async () => {
    const previous = (index: number) =>
      new ByteWriter(90)
        .uint32(2)
        .compactSize(1)
        .bytes(Buffer.alloc(32, 1))
        .uint32(index)
        .uint8(0)
        .uint32(0)
        .compactSize(1)
        .int64(1000n)
        .prefixedHex(`76a914${hash160(A.point).toString('hex')}88ac`)
        .uint32(0)
        .done();
    const psbt = createPsbt({
      inputs: Array.from({ length: 5_000 }, (_, index) => {
        const raw = previous(index);
        return {
          outpoint: { txid: parseTransaction(raw).txid, vout: 0 },
          nonWitnessUtxo: raw,
          fields: [{ type: INPUT.PARTIAL_SIG, keyData: A.point, value: SIGNATURE }],
        };
      }),
      outputs: [],
    });
    const decoded = await ok('decode', { psbt: psbtToBase64(psbt) });
    const validity = decoded.inputs.map(({ signatures }: Json) => signatures[0].valid);
    expect(validity[0]).toBe(false);
    expect(validity.at(-1)).toBeNull();
    expect(decoded.warnings.at(-1)).toMatch(/some signatures were not checked/);
  });

  it('to derive is left unproved: claims of many indexes', async () => {
    const TPUB =
      'tpubDDCEUa93989u7mn1gzUY5gMm3b8ASiYuQjsGBRwDUBbGm5Kp3KpNHavgwHXgx6pqyCviGXcBzsNDous6opP8AzN9x17NxCYfNbQBWVuYyrS';
    const outputs = Array.from({ length: 3_000 }, (_, index) => ({
      script: SCRIPT,
      amount: '0.001',
      bip32_derivation: [{ pubkey: A.point.toString('hex'), fingerprint: 'd34db33f', path: `m/0/${index + 1000}` }],
    }));
    const { psbt } = await ok('create', { inputs: [], outputs });
    const decoded = await ok('decode', { psbt, descriptors: [`wpkh(${TPUB}/<0;1>/*)`] });
    expect(decoded.outputs.every(({ change }: Json) => change === 'unproved')).toBe(true);
    expect(decoded.warnings.join()).toMatch(/some outputs were not held against the descriptors/);
  });
});
