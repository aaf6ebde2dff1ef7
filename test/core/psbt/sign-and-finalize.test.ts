import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { extractTransaction } from '../../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { signPsbt } from '../../../src/core/psbt/signing/sign-psbt.ts';
import { STANDARD_FLAGS } from '../../../src/core/scripts/interpreter/script-flags.ts';
import { verifySpend } from '../../../src/core/scripts/interpreter/verify-spend.ts';
import { SIGHASH_NAMES } from '../../../src/core/scripts/sighash-type.ts';
import { CASE_SATS, fundingTransaction, signerOf, signWith, spendingPsbt, tools } from './funded.ts';
import { SPEND_CASES, type SpendCase } from './spend-cases.ts';

const funding = fundingTransaction(SPEND_CASES);
const output = (amountSats: bigint) => ({ amountSats, script: Buffer.from(`0014${'11'.repeat(20)}`, 'hex') });
const ECDSA = [0x01, 0x02, 0x03, 0x81, 0x82, 0x83];

const reread = (psbt: PsbtV2): PsbtV2 => parsePsbt(serializePsbt(psbt)) as PsbtV2;

/** Signs with every signer, finalizes, extracts, and runs each input's scripts. */
function spend(psbt: PsbtV2, cases: readonly SpendCase[], reversed = false): void {
  let signed = psbt;
  const signers = cases.flatMap(({ signers: keys }) => keys);
  const distinct = [...new Set(signers)];
  for (const key of reversed ? distinct.reverse() : distinct)
    signed = reread(signWith(signed, key, { allowSighash: SIGHASH_NAMES }));
  const finalized = finalizePsbt(signed);
  expect(finalized.missing).toEqual([]);
  expect(finalized.complete).toBe(true);
  const { raw, txid, vsize, feeSats } = extractTransaction(reread(finalized.psbt));
  const transaction = parseTransaction(raw);
  expect({ txid: transaction.txid, vsize: transaction.vsize }).toEqual({ txid, vsize });
  const spent = cases.map(({ script }) => ({ amountSats: CASE_SATS, scriptPubKey: script.toString('hex') }));
  for (const index of transaction.inputs.keys())
    expect(verifySpend(transaction, spent, index, STANDARD_FLAGS)).toEqual({ valid: true });
  expect(feeSats).toBe(
    spent.reduce((sum, one) => sum + one.amountSats, 0n) -
      transaction.outputs.reduce((sum, one) => sum + one.amountSats, 0n),
  );
}

describe.each(SPEND_CASES.map((one, vout) => ({ name: one.name, one, vout })))('a $name input', ({ one, vout }) => {
  it.each(
    one.taproot ? [undefined, 0, ...ECDSA] : [undefined, ...ECDSA],
  )('is signed, finalized and valid with sighash type %s, whoever signs first', (sighashType) => {
    const psbt = spendingPsbt(funding, [{ case: one, vout, sighashType }], [output(CASE_SATS - 1000n)]);
    spend(psbt, [one]);
    spend(psbt, [one], true);
  });
});

it('inputs of every type are signed together', () => {
  const cases = SPEND_CASES.filter(({ lock }) => lock.requiredHeightLocktime === undefined);
  const spends = cases.map((one) => ({ case: one, vout: SPEND_CASES.indexOf(one) }));
  spend(spendingPsbt(funding, spends, [output(1000n), output(2000n)]), cases);
});

it('a transaction that no node would relay is not worked on', () => {
  const one = SPEND_CASES.find(({ name }) => name === 'p2wpkh')!;
  const psbt = spendingPsbt(funding, [{ case: one, vout: SPEND_CASES.indexOf(one) }], [output(1n)]);
  const [input] = psbt.inputs as [(typeof psbt.inputs)[0]];
  const large = { ...psbt, inputs: new Array(2440).fill(input) };
  const refusal = expect.objectContaining({ code: 'too_large' });
  expect(() => finalizePsbt(large)).toThrow(refusal);
  expect(() => signWith(large, one.signers[0]!)).toThrow(refusal);
});

it('what is not final is named, and nothing extracted', () => {
  const cases = SPEND_CASES.filter(({ name }) => name === 'p2wpkh' || name === 'p2wsh multisig');
  const spends = cases.map((one) => ({ case: one, vout: SPEND_CASES.indexOf(one) }));
  const psbt = signWith(spendingPsbt(funding, spends, [output(1000n)]), cases[0]!.signers[0]!);
  const { psbt: partly, complete, missing } = finalizePsbt(psbt);
  expect(complete).toBe(false);
  expect(missing).toEqual([{ index: 1, reason: expect.stringContaining('1 of 3 keys signed') }]);
  expect(partly.inputs[1]).toBe(psbt.inputs[1]);
  expect(() => extractTransaction(partly)).toThrow(/not final: 1/);
  expect(() => extractTransaction(partly)).toThrow(expect.objectContaining({ code: 'psbt_incomplete' }));
});

it('finalizing clears what led to the signatures and keeps the rest', () => {
  const one = SPEND_CASES.find(({ name }) => name === 'p2sh-p2wsh multisig')!;
  const psbt = spendingPsbt(funding, [{ case: one, vout: SPEND_CASES.indexOf(one) }], [output(1000n)]);
  const input = psbt.inputs[0]!.clone();
  const kept = [
    { type: 0xfc, keyData: Buffer.from('01610203', 'hex'), value: Buffer.from('beef', 'hex') },
    { type: 0x77, keyData: Buffer.from('ab', 'hex'), value: Buffer.from('cd', 'hex') },
  ];
  input.setAll(kept);
  const signed = one.signers.reduce<PsbtV2>((current, key) => signWith(current, key), { ...psbt, inputs: [input] });
  const types = finalizePsbt(signed).psbt.inputs[0]!.entries.map(({ type }) => type);
  expect(types).toEqual([0x01, 0x07, 0x08, 0x0e, 0x0f, 0x77, 0xfc]);
});

it('a signature of another sighash type than the input asks for is not finalized', () => {
  const one = SPEND_CASES.find(({ name }) => name === 'p2wpkh')!;
  const signed = signWith(
    spendingPsbt(funding, [{ case: one, vout: SPEND_CASES.indexOf(one) }], [output(1000n)]),
    one.signers[0]!,
  );
  const input = signed.inputs[0]!.clone();
  input.set(0x03, Buffer.from('02000000', 'hex'));
  expect(finalizePsbt({ ...signed, inputs: [input] }).missing[0]!.reason).toContain('another sighash type');
});

it('a taproot signature that writes the default type out is not finalized (BIP341)', () => {
  const one = SPEND_CASES.find(({ name }) => name === 'p2tr by its key')!;
  const spends = [{ case: one, vout: SPEND_CASES.indexOf(one) }];
  const signed = signWith(spendingPsbt(funding, spends, [output(1000n)]), one.signers[0]!);
  const input = signed.inputs[0]!.clone();
  input.set(0x13, Buffer.concat([input.get(0x13)!, Buffer.of(0)]));
  const { complete, missing } = finalizePsbt({ ...signed, inputs: [input] });
  expect(complete).toBe(false);
  expect(missing[0]!.reason).toContain('is not valid');
});

it('a taproot signature that begins like an annex is none (BIP341)', () => {
  const one = SPEND_CASES.find(({ name }) => name === 'p2tr by its key')!;
  const psbt = spendingPsbt(funding, [{ case: one, vout: SPEND_CASES.indexOf(one) }], [output(1000n)]);
  const signer = signerOf(one.signers[0]!);
  for (let seed = 0; ; seed++) {
    const randomBytes = (size: number) => Buffer.alloc(size, `${seed}-`);
    const signed = signPsbt(psbt, signer, { ...tools, randomBytes }).psbt;
    if (signed.inputs[0]!.get(0x13)![0] !== 0x50) continue;
    const transaction = parseTransaction(extractTransaction(finalizePsbt(signed).psbt).raw);
    const spent = [{ amountSats: CASE_SATS, scriptPubKey: one.script.toString('hex') }];
    expect(verifySpend(transaction, spent, 0, STANDARD_FLAGS)).toEqual({ valid: true });
    break;
  }
});

it('a taproot input is not finalized where the UTXO of another, the first one too, is missing', () => {
  const one = SPEND_CASES.find(({ name }) => name === 'p2tr by its key')!;
  const other = SPEND_CASES.find(({ name }) => name === 'p2wpkh')!;
  const spends = [other, one].map((each) => ({ case: each, vout: SPEND_CASES.indexOf(each) }));
  const signed = signWith(spendingPsbt(funding, spends, [output(1000n)]), one.signers[0]!);
  const first = signed.inputs[0]!.clone();
  first.remove(0x01);
  const { missing } = finalizePsbt({ ...signed, inputs: [first, signed.inputs[1]!] });
  expect(missing.map(({ index }) => index)).toEqual([0, 1]);
});

it('of leaves that are satisfied the one with the least witness is taken, wherever it stands', () => {
  const named = (name: string): SpendCase => SPEND_CASES.find((one) => one.name === name)!;
  const [key, both] = [named('p2tr leaf'), named('p2tr multisig leaf')];
  const [small, large] = [key, both].map(({ facts }) => facts.tapLeafScripts![0]!);
  for (const tapLeafScripts of [
    [small!, large!],
    [large!, small!],
  ]) {
    const one = { ...key, facts: { ...key.facts, tapLeafScripts } };
    const psbt = spendingPsbt(funding, [{ case: one, vout: SPEND_CASES.indexOf(key) }], [output(1000n)]);
    const signed = both.signers.reduce<PsbtV2>((current, signer) => signWith(current, signer), psbt);
    const { inputs } = parseTransaction(extractTransaction(finalizePsbt(signed).psbt).raw);
    expect(inputs[0]!.witness.slice(-2)).toEqual([small!.script, small!.controlBlock].map((part) => Buffer.from(part)));
  }
});
