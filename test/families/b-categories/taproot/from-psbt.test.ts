/** docs/taproot.md, from an output to a spend: each answer feeds the next request. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const KEY_1 = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const KEY_2 = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const taproot = async (what: string, body: Json): Promise<Json> =>
  (await app.post(`/api/v1/taproot/${what}`, body)).body;

it('a coin of a kept output is spent by its leaf, through the unsigned transaction of a PSBT', async () => {
  const output = await taproot('outputs', { internal_key: KEY_2, script_tree: { script: `20${KEY_1}ac` } });
  const { body: mined } = await app.post('/api/v1/bitcoin/blocks', { count: 1, address: output.address });
  await app.post('/api/v1/bitcoin/blocks', { count: 100 });
  const { body: block } = await app.get(`/api/v1/bitcoin/blocks/${mined.data[0].hash}/transactions`);
  const [{ txid, outputs }] = block.data;
  const prevouts = [{ amount: outputs[0].amount, script: output.script_pubkey }];
  const created = await app.post('/api/psbt/v2/create', {
    inputs: [{ txid, vout: 0, sequence: 4294967293 }],
    outputs: [
      { address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: (outputs[0].amount - 0.0001).toFixed(8) },
    ],
  });
  const transaction = created.body.unsigned_transaction;
  const leaf_hash = output.leaves[0].leaf_hash;
  const { signature_hash } = await taproot('signature-hashes', { transaction, prevouts, leaf_hash });
  const { signature } = await taproot('signatures', { key: '1'.padStart(64, '0'), message: signature_hash });
  const spend = { output_id: output.output_id, leaf_index: 0, stack: [signature], transaction };
  const signed = (await taproot('spends', spend)).transaction;
  expect(await taproot('spends/verify', { transaction: signed, prevouts })).toMatchObject({ valid: true });
  const sent = await app.post('/api/v1/bitcoin/transactions/broadcast', { transaction: signed });
  expect(sent.body).toEqual({ txid: created.body.unsigned_txid, known: false });
});
