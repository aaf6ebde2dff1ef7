/** Combining PSBTs of one transaction, joining PSBTs of several. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { type Txid, txid } from '../../../src/core/outpoint.ts';
import { GLOBAL, INPUT, MODIFIABLE } from '../../../src/core/psbt/codec/key-types.ts';
import { outputAmount } from '../../../src/core/psbt/codec/output-fields.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { psbtToBase64 } from '../../../src/core/psbt/codec/psbt-text.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { combinePsbts } from '../../../src/core/psbt/construction/combine-psbts.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { joinPsbts } from '../../../src/core/psbt/construction/join-psbts.ts';
import type { PsbtDraft, PsbtInputDraft } from '../../../src/core/psbt/construction/psbt-draft.ts';
import { updatePsbt } from '../../../src/core/psbt/construction/update-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { keyText, type PsbtMap } from '../../../src/core/psbt/psbt-map.ts';
import { requireV2 } from '../../../src/core/psbt/require-v2.ts';
import { locktimeOf, uniqueId } from '../../../src/core/psbt/transaction-of.ts';
import { arbitraryPsbt } from './arbitrary-psbt.ts';
import { SCHNORR } from './made-fields.ts';

const id = (number: number): Txid => txid(number.toString(16).padStart(64, '0'));
const input = (number: number, more: Partial<PsbtInputDraft> = {}): PsbtInputDraft => ({
  outpoint: { txid: id(number), vout: 0 },
  ...more,
});
const output = (amountSats: bigint) => ({ amountSats, script: Buffer.from('51', 'hex') });
const open = { inputs: true, outputs: true };
const made = (draft: Partial<PsbtDraft> = {}): PsbtV2 =>
  createPsbt({ inputs: [input(1)], outputs: [output(1n)], modifiable: open, ...draft });
const signature = (hashType: number) => ({
  type: INPUT.TAP_KEY_SIG,
  keyData: new Uint8Array(0),
  value: Buffer.concat([SCHNORR, Buffer.of(hashType)]),
});
const flagged = (psbt: PsbtV2, flags: number): PsbtV2 => {
  const global = psbt.global.clone();
  global.set(GLOBAL.TX_MODIFIABLE, Uint8Array.of(flags));
  return { ...psbt, global };
};
const flagsOf = ({ global }: PsbtV2): number | undefined => global.get(GLOBAL.TX_MODIFIABLE)?.[0];
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return 'done';
};

const maps = ({ global, inputs, outputs }: PsbtV2): PsbtMap[] => [global, ...inputs, ...outputs];

/** Of one PSBT, as somebody has it who was given some of its fields, and changed some that no BIP defines. */
const partsOf = (psbt: PsbtV2): fc.Arbitrary<PsbtV2> =>
  fc.tuple(fc.infiniteStream(fc.boolean()), fc.infiniteStream(fc.nat(255)), fc.nat(255)).map(([kept, bytes, flags]) => {
    const part = (map: PsbtMap, required: readonly number[]): PsbtMap => {
      const copy = map.clone();
      copy.keep(({ type }) => required.includes(type) || kept.next().value === true);
      for (const { type, keyData, value } of copy.all(0x77))
        copy.set(type, Uint8Array.of(bytes.next().value as number, ...value), keyData);
      return copy;
    };
    const whole = {
      version: 2 as const,
      global: part(psbt.global, [2, 3, 4, 5, 6, 0xfb]),
      inputs: psbt.inputs.map((map) => part(map, [0x0e, 0x0f, 0x10, 0x11, 0x12])),
      outputs: psbt.outputs.map((map) => part(map, [3, 4])),
    };
    return psbt.global.has(GLOBAL.TX_MODIFIABLE) ? flagged(whole, flags) : whole;
  });
const threeParts = arbitraryPsbt({ most: 3 }).chain((psbt) => fc.tuple(partsOf(psbt), partsOf(psbt), partsOf(psbt)));

describe('combining', () => {
  it('is commutative, associative and idempotent, also where values differ', () => {
    fc.assert(
      fc.property(threeParts, ([a, b, c]) => {
        const text = psbtToBase64;
        const all = text(combinePsbts([a, b, c]));
        expect(text(combinePsbts([c, a, b]))).toBe(all);
        expect(text(combinePsbts([combinePsbts([a, b]), c]))).toBe(all);
        expect(text(combinePsbts([a, combinePsbts([b, c])]))).toBe(all);
        expect(text(combinePsbts([combinePsbts([a, b, c]), b]))).toBe(all);
      }),
      { numRuns: 150 },
    );
  });

  it('loses no key of anybody, and makes no value up', () => {
    fc.assert(
      fc.property(threeParts, (parts) => {
        const combined = requireV2(parsePsbt(serializePsbt(combinePsbts(parts))));
        const [first] = parts;
        for (const place of maps(first).keys()) {
          const given = parts.flatMap((part) => [...(maps(part)[place] as PsbtMap).pairs()]);
          const got = new Map(
            [...(maps(combined)[place] as PsbtMap).pairs()].map((entry) => [keyText(entry), entry.value]),
          );
          expect([...got.keys()].sort()).toEqual([...new Set(given.map(keyText))].sort());
          for (const [key, value] of got) {
            if (place === 0 && key === String(GLOBAL.TX_MODIFIABLE)) continue;
            const values = given.filter((entry) => keyText(entry) === key).map((entry) => entry.value);
            expect(values.some((one) => Buffer.compare(one, value) === 0)).toBe(true);
          }
        }
        expect(uniqueId(combined)).toBe(uniqueId(first));
      }),
      { numRuns: 100 },
    );
  });

  it('lets change only what every PSBT lets change, and keeps every other flag', () => {
    const { INPUTS, OUTPUTS, HAS_SIGHASH_SINGLE } = MODIFIABLE;
    const psbt = made();
    const combine = (a: number, b: number) => flagsOf(combinePsbts([flagged(psbt, a), flagged(psbt, b)]));
    expect(combine(INPUTS | OUTPUTS, INPUTS)).toBe(INPUTS);
    expect(combine(INPUTS | OUTPUTS, HAS_SIGHASH_SINGLE | 0x80)).toBe(HAS_SIGHASH_SINGLE | 0x80);
    expect(flagsOf(combinePsbts([psbt, made({ modifiable: undefined })]))).toBe(0);
    expect(flagsOf(combinePsbts([made({ modifiable: undefined })]))).toBeUndefined();
  });

  it('refuses another transaction, and sequences that differ where somebody signed', () => {
    const psbt = made();
    expect(codeOf(() => combinePsbts([psbt, made({ outputs: [output(2n)] })]))).toBe('psbt_mismatch');
    expect(codeOf(() => combinePsbts([psbt, made({ fallbackLocktime: 1 })]))).toBe('psbt_mismatch');
    const final = made({ inputs: [input(1, { fields: [signature(1)] })] });
    const replaceable = made({ inputs: [input(1, { sequence: 0xfffffffd })] });
    expect(codeOf(() => combinePsbts([psbt, replaceable]))).toBe('done');
    expect(codeOf(() => combinePsbts([final, replaceable]))).toBe('psbt_mismatch');
    expect(codeOf(() => combinePsbts([final, made({ inputs: [input(1, { sequence: 0xffffffff })] })]))).toBe('done');
    expect(codeOf(() => updatePsbt(final, { inputs: [{ index: 0, sequence: 5 }] }))).toBe('psbt_not_modifiable');
    expect(codeOf(() => updatePsbt(psbt, { inputs: [{ index: 0, sequence: 5 }] }))).toBe('done');
  });
});

describe('joining', () => {
  const other = (draft: Partial<PsbtDraft> = {}) =>
    made({ inputs: [input(2), input(3)], outputs: [output(2n)], ...draft });

  it('puts inputs and outputs together in their order', () => {
    const joined = requireV2(
      parsePsbt(serializePsbt(joinPsbts([made(), other(), made({ inputs: [], outputs: [output(9n)] })]))),
    );
    expect(joined.inputs).toHaveLength(3);
    expect(joined.outputs.map(outputAmount)).toEqual([1n, 2n, 9n]);
    expect(flagsOf(joined)).toBe(MODIFIABLE.INPUTS | MODIFIABLE.OUTPUTS);
  });

  it('keeps unknown fields of all', () => {
    const field = (value: number) => ({ type: 0x77, keyData: Uint8Array.of(value), value: Uint8Array.of(value) });
    const { global } = joinPsbts([made({ fields: [field(2)] }), other({ fields: [field(1)] })]);
    expect(global.all(0x77).map(({ value }) => value[0])).toEqual([1, 2]);
  });

  it('asks each whether it lets come what the others bring', () => {
    const inputsOnly = made({ modifiable: { inputs: true, outputs: false } });
    expect(codeOf(() => joinPsbts([inputsOnly, other()]))).toBe('psbt_not_modifiable');
    expect(codeOf(() => joinPsbts([inputsOnly, other({ outputs: [] })]))).toBe('done');
    expect(flagsOf(joinPsbts([inputsOnly, other({ outputs: [] })]))).toBe(MODIFIABLE.INPUTS);
    expect(codeOf(() => joinPsbts([made({ modifiable: undefined }), other()]))).toBe('psbt_not_modifiable');
    expect(codeOf(() => joinPsbts([made({ modifiable: undefined })]))).toBe('done');
  });

  it('breaks no signature', () => {
    const signed = (hashType: number, number = 1) =>
      made({ inputs: [input(number, { fields: [signature(hashType)] })] });
    expect(codeOf(() => joinPsbts([signed(0x01), other()]))).toBe('psbt_not_modifiable');
    expect(codeOf(() => joinPsbts([signed(0x81), other()]))).toBe('psbt_not_modifiable');
    expect(codeOf(() => joinPsbts([signed(0x81), other({ outputs: [] })]))).toBe('done');
    expect(codeOf(() => joinPsbts([signed(0x83), other()]))).toBe('done');
    expect(codeOf(() => joinPsbts([other(), signed(0x83)]))).toBe('psbt_not_modifiable');
    expect(codeOf(() => joinPsbts([signed(0x83, 5), signed(0x83)]))).toBe('done');
    expect(codeOf(() => joinPsbts([signed(0x83), other({ fallbackLocktime: 7 })]))).toBe('psbt_not_modifiable');
  });

  it('refuses shared outpoints, versions and locktimes that do not go together', () => {
    expect(codeOf(() => joinPsbts([made(), made()]))).toBe('psbt_mismatch');
    expect(codeOf(() => joinPsbts([made(), other({ version: 3 })]))).toBe('psbt_mismatch');
    const height = other({ inputs: [input(2, { requiredHeightLocktime: 5 })] });
    const time = made({ inputs: [input(1, { requiredTimeLocktime: 600_000_000 })] });
    expect(codeOf(() => joinPsbts([height, time]))).toBe('psbt_mismatch');
    expect(codeOf(() => joinPsbts([made({ fallbackLocktime: 5 }), other({ fallbackLocktime: 500_000_000 })]))).toBe(
      'psbt_mismatch',
    );
    expect(locktimeOf(joinPsbts([made({ fallbackLocktime: 5 }), other({ fallbackLocktime: 9 })]))).toBe(9);
  });
});
