/** PSBTs from create to a transaction that a node takes, through HTTP, for every kind of output that can be signed for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGHASH_NAMES } from '../../../src/core/scripts/sighash-type.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { SPEND_CASES } from '../../core/psbt/spend-cases.ts';
import { noteSecret } from '../../secrets/collected.ts';
import {
  type Coin,
  coinsOf,
  ELSEWHERE,
  ELSEWHERE_SCRIPT,
  factsBody,
  inputOf,
  OTHER_TRANSACTION,
  psbtHttp,
} from './psbt-http.ts';

let service: TestApp;
let coins: Coin[];
const { ok, refused } = psbtHttp(() => service);

beforeAll(async () => {
  service = await startTestApp();
  for (const { signers } of SPEND_CASES) for (const { hex } of signers) noteSecret('key', hex);
  coins = await coinsOf(
    service,
    SPEND_CASES.map(({ script }) => script.toString('hex')),
  );
});
afterAll(() => service.close());

const accepts = async (transaction: string) =>
  expect(await service.simulated.testAccept(Buffer.from(transaction, 'hex'))).toEqual({ result: 'accepted' });

describe('a coin of each kind', () => {
  it.each(SPEND_CASES.map((one, at) => ({ name: one.name, one, at })))('$name: is paid out', async ({ one, at }) => {
    const coin = coins[at] as Coin;
    const created = await ok('create', {
      inputs: [inputOf(coin, one)],
      outputs: [{ address: ELSEWHERE, amount: '1' }],
      version: 2,
    });
    expect(created).toMatchObject({ version: 2, complete: false, fee: null, fee_verified: false });
    const updated = await ok('update', {
      psbt: created.psbt,
      from_chain: true,
      inputs: [{ index: 0, ...factsBody(one.facts) }],
    });
    expect(updated).toMatchObject({ fee_verified: true, unsigned_txid: created.unsigned_txid });
    expect(updated.inputs[0]).toMatchObject({ amount: coin.amount, amount_verified: true, finalized: false });

    // Each signer has the same PSBT; what they answer comes together in any order.
    const signed: string[] = [];
    for (const { hex } of one.signers) {
      const answer = await ok('sign', { psbt: updated.psbt, key: hex });
      expect(answer.signed_inputs).toEqual([0]);
      expect(answer.inputs[0].signatures.length).toBeGreaterThan(0);
      expect(answer.inputs[0].signatures.every(({ valid }: Json) => valid)).toBe(true);
      signed.push(answer.psbt);
    }
    const combined = await ok('combine', { psbts: signed.reverse() });
    const finalized = await ok('finalize', { psbt: combined.psbt });
    expect(finalized).toMatchObject({ complete: true, not_final: [], fee: updated.fee, fee_verified: true });
    const extracted = await ok('extract', { psbt: finalized.psbt, max_fee_rate: 'none' });
    expect([extracted.txid, extracted.transaction]).toEqual([finalized.txid, finalized.transaction]);
    await accepts(extracted.transaction);

    const verified = await ok('verify', { psbt: finalized.psbt, against_chain: true });
    expect(verified.checks.filter(({ verdict }: Json) => verdict === 'failed')).toEqual([]);
    const of = (name: string) => verified.checks.find(({ check }: Json) => check === name)?.verdict;
    expect([of('final'), of('chain')]).toEqual(['passed', 'passed']);
  });

  it('are paid out together, every input named by its script', async () => {
    const cases = SPEND_CASES.map((one, at) => ({ one, coin: coins[at] as Coin }));
    const { psbt } = await ok('create', {
      inputs: cases.map(({ one, coin }) => ({ ...inputOf(coin, one), ...factsBody(one.facts) })),
      outputs: [{ script_pubkey: ELSEWHERE_SCRIPT, amount: '2' }],
      version: 2,
    });
    let current = (await ok('update', { psbt, from_chain: true })).psbt;
    for (const key of new Set(cases.flatMap(({ one }) => one.signers)))
      current = (await ok('sign', { psbt: current, key: key.hex, sighash_types_allowed: [...SIGHASH_NAMES] })).psbt;
    const { transaction, inputs, complete } = await ok('finalize', { psbt: current });
    expect(complete).toBe(true);
    expect(inputs.map(({ finalized }: Json) => finalized)).toEqual(cases.map(() => true));
    await accepts(transaction);
  });
});

describe('a constructor', () => {
  const output = (amount: string) => ({ address: ELSEWHERE, amount });
  const input = (digit: string) => ({ txid: digit.repeat(64), vout: 1 });
  const txids = ({ inputs }: Json) => inputs.map(({ txid }: Json) => txid[0]);

  it('adds and removes inputs and outputs in a PSBT that lets them', async () => {
    const made = await ok('create', {
      inputs: [input('1'), input('2')],
      outputs: [output('1'), output('2')],
      tx_modifiable: { inputs: true, outputs: true },
    });
    expect(made.tx_modifiable).toEqual({ inputs: true, outputs: true, has_sighash_single: false });
    const changed = await ok('construct', {
      psbt: made.psbt,
      remove_inputs: [0],
      remove_outputs: [1],
      add_inputs: [input('3'), input('4')],
      add_outputs: [output('3')],
    });
    expect(txids(changed)).toEqual(['2', '3', '4']);
    expect(changed.outputs.map(({ amount }: Json) => amount)).toEqual(['1.00000000', '3.00000000']);
  });

  it('is refused where the PSBT lets nothing be added, and for what does not fit, by name', async () => {
    const fixed = (await ok('create', { inputs: [input('1')], outputs: [] })).psbt;
    expect(await refused('construct', { psbt: fixed, add_inputs: [input('2')] })).toMatchObject({
      status: 422,
      code: 'psbt_not_modifiable',
      field: 'inputs',
    });
    const open = (
      await ok('create', { inputs: [input('1')], outputs: [], tx_modifiable: { inputs: true, outputs: false } })
    ).psbt;
    expect(await refused('construct', { psbt: open, add_outputs: [output('1')] })).toMatchObject({
      status: 422,
      field: 'outputs',
    });
    expect(await refused('construct', { psbt: open, add_inputs: [input('1')] })).toMatchObject({
      status: 422,
      code: 'psbt_mismatch',
    });
    expect(await refused('construct', { psbt: open, remove_inputs: [0, 7] })).toMatchObject({
      status: 400,
      field: 'remove_inputs[1]',
    });
    const foreign = { ...input('2'), non_witness_utxo: OTHER_TRANSACTION };
    expect(await refused('construct', { psbt: open, add_inputs: [foreign] })).toMatchObject({
      status: 400,
      field: 'add_inputs[0].non_witness_utxo',
    });
  });
});

describe('several PSBTs', () => {
  const open = { tx_modifiable: { inputs: true, outputs: true } };
  const one = (digit: string, more: Json = {}) =>
    ok('create', {
      inputs: [{ txid: digit.repeat(64), vout: 0 }],
      outputs: [{ address: ELSEWHERE, amount: '1' }],
      ...open,
      ...more,
    });

  it('become one transaction, in their order', async () => {
    const [first, second, third] = [await one('1'), await one('2'), await one('3')];
    const joined = await ok('join', { psbts: [first.psbt, second.psbt, third.psbt] });
    expect(joined.inputs.map(({ txid }: Json) => txid[0])).toEqual(['1', '2', '3']);
    expect(joined.outputs.length).toBe(3);
  });

  it('are not joined where they overlap or are closed, nor combined where they differ', async () => {
    const [first, second, closed] = [await one('1'), await one('2'), await one('3', { tx_modifiable: undefined })];
    expect(await refused('join', { psbts: [first.psbt, first.psbt] })).toMatchObject({
      status: 422,
      code: 'psbt_mismatch',
    });
    expect(await refused('join', { psbts: [first.psbt, closed.psbt] })).toMatchObject({
      status: 422,
      code: 'psbt_not_modifiable',
      field: 'psbts[1]',
    });
    expect(await refused('combine', { psbts: [first.psbt, second.psbt] })).toMatchObject({
      status: 422,
      code: 'psbt_mismatch',
      field: 'psbts[1]',
    });
  });

  it('say which of them is none', async () => {
    const { psbt } = await one('1');
    for (const verb of ['join', 'combine'])
      expect(await refused(verb, { psbts: [psbt, 'cHNidP8A'] })).toMatchObject({
        status: 400,
        code: 'invalid_psbt',
        field: 'psbts[1]',
      });
  });
});

describe('migrate', () => {
  it('goes to version 2 and back, and answers what it is as it is', async () => {
    const created = await ok('create', {
      inputs: [{ txid: 'ab'.repeat(32), vout: 3, sequence: 7 }],
      outputs: [{ address: ELSEWHERE, amount: '1' }],
      fallback_locktime: 500,
    });
    const v0 = await ok('migrate', { psbt: created.psbt, target: 0 });
    expect([v0.version, v0.unsigned_txid, v0.locktime]).toEqual([0, created.unsigned_txid, 500]);
    expect((await ok('migrate', { psbt: v0.psbt, target: 0 })).psbt).toBe(v0.psbt);
    const v2 = await ok('migrate', { psbt: v0.psbt });
    expect([v2.version, v2.psbt]).toEqual([2, created.psbt]);
    expect((await ok('migrate', { psbt: v2.psbt })).psbt).toBe(v2.psbt);
  });

  it('is named wherever version 2 is wanted', async () => {
    const { psbt } = await ok('create', { inputs: [], outputs: [{ address: ELSEWHERE, amount: '1' }] });
    const v0 = (await ok('migrate', { psbt, target: 0 })).psbt;
    for (const verb of ['sign', 'finalize', 'decode', 'update', 'extract', 'verify', 'construct']) {
      const refusal = await refused(verb, { psbt: v0, ...(verb === 'sign' ? { key: '11'.repeat(32) } : {}) });
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_psbt', field: 'psbt' });
      expect(refusal.message).toContain('/api/psbt/migrate');
    }
    for (const verb of ['join', 'combine'])
      expect((await refused(verb, { psbts: [psbt, v0] })).message).toContain('/api/psbt/migrate');
  });

  it('is refused where version 0 cannot say it', async () => {
    const conflicting = (
      await ok('create', { inputs: [], outputs: [], tx_modifiable: { inputs: true, outputs: true } })
    ).psbt;
    const bytes = Buffer.from(conflicting, 'base64');
    // A flag of tx_modifiable that no BIP defines.
    const at = bytes.indexOf(Buffer.from('01060103', 'hex'));
    bytes[at + 3] = 0x83;
    expect(await refused('migrate', { psbt: bytes.toString('base64'), target: 0 })).toMatchObject({
      status: 422,
      code: 'not_representable',
    });
  });
});
