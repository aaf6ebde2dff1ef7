/** BIP370's constructor: what the flags and the signatures allow, and nothing else. */
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { type Txid, txid } from '../../../src/core/outpoint.ts';
import { GLOBAL, INPUT, MODIFIABLE, OUTPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { outputAmount } from '../../../src/core/psbt/codec/output-fields.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import {
  addInput,
  addOutput,
  modifyPsbt,
  removeInput,
  removeOutput,
} from '../../../src/core/psbt/construction/modify-psbt.ts';
import type { PsbtDraft, PsbtInputDraft } from '../../../src/core/psbt/construction/psbt-draft.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { requireV2 } from '../../../src/core/psbt/require-v2.ts';
import { locktimeOf } from '../../../src/core/psbt/transaction-of.ts';
import { SCHNORR } from './made-fields.ts';

const id = (number: number): Txid => txid(number.toString(16).padStart(64, '0'));
const input = (number: number, more: Partial<PsbtInputDraft> = {}): PsbtInputDraft => ({
  outpoint: { txid: id(number), vout: 0 },
  ...more,
});
const output = (amountSats: bigint) => ({ amountSats, script: Buffer.from('51', 'hex') });
const open = { inputs: true, outputs: true };
const made = (draft: Partial<PsbtDraft> = {}): PsbtV2 =>
  createPsbt({ inputs: [input(1), input(2)], outputs: [output(1n), output(2n)], modifiable: open, ...draft });

/** An input signed by its taproot key with this hash type. */
const signed = (number: number, hashType: number): PsbtInputDraft =>
  input(number, {
    fields: [
      {
        type: INPUT.TAP_KEY_SIG,
        keyData: new Uint8Array(0),
        value: hashType === 0 ? SCHNORR : Buffer.concat([SCHNORR, Buffer.of(hashType)]),
      },
    ],
  });
const withFlags = (psbt: PsbtV2, flags: number): PsbtV2 => {
  const global = psbt.global.clone();
  global.set(GLOBAL.TX_MODIFIABLE, Uint8Array.of(flags));
  return { ...psbt, global };
};
describe('the money there is', () => {
  const all = 21_000_000n * 100_000_000n;
  it.each([
    ['outputs[1]', () => made({ outputs: [output(all), output(1n)] })],
    ['outputs[2]', () => addOutput(made(), output(all))],
    ['inputs[1]', () => made({ inputs: [1, 2].map((n) => input(n, { witnessUtxo: output(all) })) })],
  ])('is not exceeded by the amounts up to %s', (field, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_value', details: { field } }));
  });
  it('may be in one output', () => expect(made({ outputs: [output(all)] }).outputs).toHaveLength(1));
});

const ALL_FLAGS = MODIFIABLE.INPUTS | MODIFIABLE.OUTPUTS | MODIFIABLE.HAS_SIGHASH_SINGLE;

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return 'done';
};
const reread = (psbt: PsbtV2): PsbtV2 => requireV2(parsePsbt(serializePsbt(psbt)));
const amounts = (psbt: PsbtV2): bigint[] => reread(psbt).outputs.map(outputAmount);

describe('adding and removing', () => {
  it('keeps the counts and the order, at the end or where it is told', () => {
    const psbt = made();
    expect(amounts(addOutput(psbt, output(3n)))).toEqual([1n, 2n, 3n]);
    expect(amounts(addOutput(psbt, output(3n), 0))).toEqual([3n, 1n, 2n]);
    expect(amounts(removeOutput(psbt, 0))).toEqual([2n]);
    expect(reread(addInput(psbt, input(3))).inputs).toHaveLength(3);
    expect(reread(removeInput(psbt, 1)).inputs).toHaveLength(1);
    const several = modifyPsbt(psbt, {
      removeOutputs: [0],
      addOutputs: [{ ...output(5n), at: 0 }, output(6n), { ...output(7n), at: 0 }],
    });
    expect(amounts(several)).toEqual([5n, 7n, 2n, 6n]);
    expect(amounts(psbt)).toEqual([1n, 2n]);
  });

  it.each([
    ['neither', { inputs: false, outputs: false }, 'psbt_not_modifiable', 'psbt_not_modifiable'],
    ['inputs', { inputs: true, outputs: false }, 'done', 'psbt_not_modifiable'],
    ['outputs', { inputs: false, outputs: true }, 'psbt_not_modifiable', 'done'],
    ['no field', undefined, 'psbt_not_modifiable', 'psbt_not_modifiable'],
  ] as const)('is for what the flags say: %s', (_flags, modifiable, ofInputs, ofOutputs) => {
    const psbt = made({ modifiable });
    expect(codeOf(() => addInput(psbt, input(3)))).toBe(ofInputs);
    expect(codeOf(() => removeInput(psbt, 0))).toBe(ofInputs);
    expect(codeOf(() => addOutput(psbt, output(3n)))).toBe(ofOutputs);
    expect(codeOf(() => removeOutput(psbt, 0))).toBe(ofOutputs);
  });

  it('refuses an outpoint that is there, an index that is not, a place that cannot be', () => {
    expect(codeOf(() => addInput(made(), input(2)))).toBe('psbt_mismatch');
    expect(codeOf(() => modifyPsbt(made(), { addInputs: [input(3), input(3)] }))).toBe('psbt_mismatch');
    expect(codeOf(() => modifyPsbt(made(), { removeInputs: [1], addInputs: [input(2)] }))).toBe('done');
    expect(codeOf(() => removeInput(made(), 2))).toBe('invalid_value');
    expect(codeOf(() => addOutput(made(), output(1n), 3))).toBe('invalid_value');
    expect(codeOf(() => createPsbt({ inputs: [input(1), input(1)], outputs: [] }))).toBe('invalid_value');
  });

  it('is no way around signatures, whatever the flags say', () => {
    const all = made({ inputs: [signed(1, 0), input(2)] });
    expect(codeOf(() => addInput(all, input(3)))).toBe('psbt_not_modifiable');
    expect(codeOf(() => addOutput(all, output(3n)))).toBe('psbt_not_modifiable');
    const allAnyoneCanPay = made({ inputs: [signed(1, 0x81), input(2)] });
    expect(codeOf(() => addInput(allAnyoneCanPay, input(3)))).toBe('done');
    expect(codeOf(() => addOutput(allAnyoneCanPay, output(3n)))).toBe('psbt_not_modifiable');
    const none = made({ inputs: [signed(1, 0x02), input(2)] });
    expect(codeOf(() => addInput(none, input(3)))).toBe('psbt_not_modifiable');
    expect(codeOf(() => addOutput(none, output(3n)))).toBe('done');
  });
});

describe('SIGHASH_SINGLE', () => {
  const psbt = withFlags(made({ inputs: [input(1), signed(2, 0x83)] }), ALL_FLAGS);

  it('keeps its output at its own index', () => {
    expect(codeOf(() => addInput(psbt, input(3)))).toBe('done');
    expect(codeOf(() => addOutput(psbt, output(3n)))).toBe('done');
    expect(codeOf(() => addInput(psbt, input(3), 1))).toBe('psbt_not_modifiable');
    expect(codeOf(() => addOutput(psbt, output(3n), 0))).toBe('psbt_not_modifiable');
    expect(codeOf(() => removeInput(psbt, 0))).toBe('psbt_not_modifiable');
    expect(codeOf(() => removeOutput(psbt, 1))).toBe('psbt_not_modifiable');
    expect(codeOf(() => removeInput(psbt, 1))).toBe('done');
  });

  it('moves with it where as many come or go before both', () => {
    const moved = modifyPsbt(psbt, {
      addInputs: [{ ...input(3), at: 0 }],
      addOutputs: [{ ...output(3n), at: 1 }],
    });
    expect(amounts(moved)).toEqual([1n, 3n, 2n]);
    expect(moved.inputs[2]).toBe(psbt.inputs[1]);
    expect(codeOf(() => modifyPsbt(psbt, { removeInputs: [0], removeOutputs: [0] }))).toBe('done');
  });

  it('is believed of a final input by the flag alone', () => {
    const final = input(2, {
      fields: [{ type: INPUT.FINAL_SCRIPTWITNESS, keyData: new Uint8Array(0), value: Uint8Array.of(0) }],
    });
    const finalized = made({ inputs: [input(1), final] });
    expect(codeOf(() => addInput(withFlags(finalized, ALL_FLAGS), input(3), 0))).toBe('psbt_not_modifiable');
    expect(codeOf(() => addInput(withFlags(finalized, 3), input(3), 0))).toBe('done');
  });
});

describe('locktimes', () => {
  const height = (number: number, requiredHeightLocktime: number) => input(number, { requiredHeightLocktime });
  const time = (number: number) => input(number, { requiredTimeLocktime: 1_700_000_000 });

  it('must go together', () => {
    const psbt = made({ inputs: [height(1, 100)] });
    expect(codeOf(() => addInput(psbt, time(3)))).toBe('psbt_mismatch');
    expect(locktimeOf(addInput(psbt, height(3, 200)))).toBe(200);
    expect(codeOf(() => createPsbt({ inputs: [height(1, 100), time(2)], outputs: [] }))).toBe('invalid_value');
    const both = input(3, { requiredHeightLocktime: 50, requiredTimeLocktime: 1_700_000_000 });
    expect(locktimeOf(addInput(psbt, both))).toBe(100);
  });

  it('stay where there are signatures', () => {
    const psbt = made({ inputs: [signed(1, 0x81), height(2, 100)] });
    expect(codeOf(() => addInput(psbt, height(3, 101)))).toBe('psbt_not_modifiable');
    expect(codeOf(() => addInput(psbt, height(3, 100)))).toBe('done');
    expect(codeOf(() => removeInput(psbt, 1))).toBe('psbt_not_modifiable');
  });
});

it('no input of a witness version above 1 joins a silent payment (BIP375)', () => {
  const global = made().global;
  const psbt = { ...made(), global, outputs: made().outputs.map((map) => map.clone()) };
  const [first] = psbt.outputs;
  first?.set(OUTPUT.SP_V0_INFO, Buffer.concat([Buffer.alloc(33, 2), Buffer.alloc(33, 2)]));
  first?.remove(OUTPUT.SCRIPT);
  const future = (version: string) =>
    input(3, { witnessUtxo: { amountSats: 1n, script: Buffer.from(`${version}20${'11'.repeat(32)}`, 'hex') } });
  expect(codeOf(() => addInput(psbt, future('52')))).toBe('psbt_mismatch');
  expect(codeOf(() => addInput(psbt, future('51')))).toBe('done');
});

it('a PSBT that others may add to is of transaction version 2 at least', () => {
  expect(codeOf(() => made({ version: 1 }))).toBe('invalid_value');
  expect(codeOf(() => made({ version: 1, modifiable: undefined }))).toBe('done');
});
