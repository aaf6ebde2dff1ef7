/** What an updater may say, and what version 0 can carry. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import {
  nonWitnessUtxo,
  previousOutpoint,
  sequenceOf,
  sighashTypeOf,
  spentOutput,
  tapBip32Derivations,
  tapLeafScripts,
  witnessUtxo,
} from '../../../src/core/psbt/codec/input-fields.ts';
import { GLOBAL, INPUT, OUTPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { tapTreeLeaves } from '../../../src/core/psbt/codec/output-fields.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { toVersion0, toVersion2 } from '../../../src/core/psbt/construction/migrate.ts';
import { type PsbtUpdates, updatePsbt } from '../../../src/core/psbt/construction/update-psbt.ts';
import type { PsbtV0, PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import type { PsbtEntry, PsbtMap } from '../../../src/core/psbt/psbt-map.ts';
import { requireV2 } from '../../../src/core/psbt/require-v2.ts';
import { locktimeOf, uniqueId, unsignedTxid } from '../../../src/core/psbt/transaction-of.ts';
import { checkControlBlock } from '../../../src/core/taproot/control-block.ts';
import { arbitraryPsbt, previousTransaction } from './arbitrary-psbt.ts';

const KEY = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const OTHER = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const TAPROOT = `tr(${KEY},{pk(${OTHER}),pk(${KEY})})`;
const NESTED = `sh(wpkh(02${KEY}))`;
const NESTED_SCRIPT = Buffer.from('a914bcfeb728b584253d5f3f70bcb780e9ef218a68f487', 'hex');
const NO_KEY_DATA = new Uint8Array(0);

const spent = previousTransaction(NESTED_SCRIPT, 70_000n, 1, Buffer.alloc(32, 3));
const made = (): PsbtV2 =>
  createPsbt({
    inputs: [{ outpoint: { txid: spent.txid, vout: 1 } }],
    outputs: [{ amountSats: 60_000n, script: Buffer.from('51', 'hex') }],
  });
const input = (psbt: PsbtV2): PsbtMap => psbt.inputs[0] as PsbtMap;
const lineOf = ({ type, keyData, value }: PsbtEntry): string =>
  [type, Buffer.from(keyData).toString('hex'), Buffer.from(value).toString('hex')].join(' ');
const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return `${error.code} ${error.details.field}`;
    throw error;
  }
  return 'done';
};
const ofInput =
  (facts: Omit<NonNullable<PsbtUpdates['inputs']>[number], 'index'>, index = 0) =>
  () =>
    updatePsbt(made(), { inputs: [{ index, ...facts }] });

describe('updating', () => {
  it('names each input and output once: of two sayings nobody knows which is meant', () => {
    const twice = [{ index: 0 }, { index: 0 }];
    expect(refusal(() => updatePsbt(made(), { inputs: twice }))).toBe('invalid_value inputs[1].index');
    expect(refusal(() => updatePsbt(made(), { outputs: twice }))).toBe('invalid_value outputs[1].index');
  });

  it('says what it is given, of the input it is given for, and leaves the PSBT it was given as it is', () => {
    const psbt = made();
    const before = serializePsbt(psbt);
    const updated = updatePsbt(psbt, {
      inputs: [{ index: 0, nonWitnessUtxo: spent.raw, sighashType: 3, sequence: 9 }],
    });
    expect(spentOutput(input(updated))?.amountSats).toBe(70_000n);
    expect([sighashTypeOf(input(updated)), sequenceOf(input(updated))]).toEqual([3, 9]);
    expect(previousOutpoint(input(updated))).toEqual({ txid: spent.txid, vout: 1 });
    expect(serializePsbt(psbt).equals(before)).toBe(true);
    expect(uniqueId(updated)).toBe(uniqueId(psbt));
    expect(unsignedTxid(updated)).not.toBe(unsignedTxid(psbt));
    parsePsbt(serializePsbt(updated));
  });

  it('refuses what the table refuses, and a transaction that is not the one', () => {
    const other = previousTransaction(NESTED_SCRIPT, 70_000n, 1, Buffer.alloc(32, 4));
    const short = previousTransaction(NESTED_SCRIPT, 70_000n, 0, Buffer.alloc(32, 3));
    const field = (type: number, value: Uint8Array): PsbtEntry => ({ type, keyData: NO_KEY_DATA, value });
    expect(refusal(ofInput({ nonWitnessUtxo: other.raw }))).toBe('invalid_transaction inputs[0].non_witness_utxo');
    expect(refusal(ofInput({ nonWitnessUtxo: Buffer.from('02', 'hex') }))).toBe('invalid_value inputs[0]');
    expect(
      refusal(ofInput({ nonWitnessUtxo: spent.raw, witnessUtxo: { amountSats: 1n, script: NESTED_SCRIPT } })),
    ).toBe('invalid_transaction inputs[0].non_witness_utxo');
    expect(
      refusal(ofInput({ nonWitnessUtxo: spent.raw, witnessUtxo: { amountSats: 70_000n, script: NESTED_SCRIPT } })),
    ).toBe('done');
    expect(refusal(ofInput({ witnessUtxo: { amountSats: -1n, script: NESTED_SCRIPT } }))).toBe(
      'invalid_value inputs[0]',
    );
    expect(refusal(ofInput({ tapInternalKey: Buffer.alloc(33) }))).toBe('invalid_value inputs[0]');
    expect(refusal(ofInput({ fields: [field(INPUT.SEQUENCE, Buffer.alloc(4))] }))).toBe(
      'invalid_value inputs[0].fields',
    );
    expect(refusal(ofInput({ fields: [field(INPUT.TAP_KEY_SIG, Buffer.alloc(63))] }))).toBe('invalid_value inputs[0]');
    expect(refusal(ofInput({}, 1))).toBe('invalid_value inputs[0].index');
    expect(
      refusal(() =>
        createPsbt({ inputs: [{ outpoint: { txid: spent.txid, vout: 2 }, nonWitnessUtxo: short.raw }], outputs: [] }),
      ),
    ).toBe('invalid_transaction inputs[0].non_witness_utxo');
  });

  it('a previous transaction that is not the one tells of no output', () => {
    const map = input(made()).clone();
    map.set(INPUT.NON_WITNESS_UTXO, previousTransaction(NESTED_SCRIPT, 1n, 1, Buffer.alloc(32, 4)).raw);
    expect(spentOutput(map)).toBeNull();
    expect(nonWitnessUtxo(map)?.outputs).toHaveLength(2);
  });
});

describe('descriptors', () => {
  const network = 'regtest' as const;
  const filled = (psbt: PsbtV2, ...descriptors: string[]) =>
    updatePsbt(psbt, { descriptors: { network, descriptors } });

  it('bring the script behind a hash, and the witness UTXO out of the whole transaction', () => {
    const psbt = updatePsbt(made(), { inputs: [{ index: 0, nonWitnessUtxo: spent.raw }] });
    const map = input(filled(psbt, TAPROOT, NESTED));
    expect(map.get(INPUT.REDEEM_SCRIPT)).toHaveLength(22);
    expect(map.all(INPUT.BIP32_DERIVATION)).toHaveLength(1);
    expect(witnessUtxo(map)?.amountSats).toBe(70_000n);
  });

  it('bring leaves with their control blocks, and the tree of an output', () => {
    const script = Buffer.from('5120862ae0fd33339cc7a96126076554e2f0ba8f217c0d5d2629784b7151d0392aef', 'hex');
    const psbt = createPsbt({
      inputs: [{ outpoint: { txid: spent.txid, vout: 0 }, witnessUtxo: { amountSats: 5n, script } }],
      outputs: [{ amountSats: 4n, script }],
    });
    expect(serializePsbt(filled(psbt, TAPROOT)).equals(serializePsbt(psbt))).toBe(true);
    const tree = `tr(02${KEY},{{multi_a(1,02${KEY}),pk(02${KEY})},{{{pk(02${KEY}),pk(${KEY})},pk(tpubD6NzVbkrYhZ4XVPn5tSFsjZbYcAnoDizTifqiqFEU18GcLzJMMPeYkBL1tkPT94oxPpuaWeTrMnCoXqFcAwRUn83HeM9SSwZyeAg3J62ssn)},pk(02${KEY})}})`;
    const told = filled(psbt, tree);
    // Two equal leaves are siblings, and so share their control block.
    expect(tapLeafScripts(input(told)).map(({ controlBlock }) => (controlBlock.length - 33) / 32)).toHaveLength(5);
    for (const { controlBlock, script: leaf } of tapLeafScripts(input(told))) {
      const { problem, merkleRoot } = checkControlBlock(controlBlock, leaf, script.subarray(2));
      expect(problem).toBeNull();
      expect(
        Buffer.compare(merkleRoot ?? Buffer.alloc(0), input(told).get(INPUT.TAP_MERKLE_ROOT) ?? Buffer.alloc(1)),
      ).toBe(0);
    }
    expect(tapBip32Derivations(input(told), INPUT.TAP_BIP32_DERIVATION)).toHaveLength(2);
    expect(tapTreeLeaves(told.outputs[0] as PsbtMap)?.map(({ depth }) => depth)).toEqual([2, 2, 4, 4, 3, 2]);
    parsePsbt(serializePsbt(told));
  });

  it('are tried over the range that is asked for, as far as that can be paid for', () => {
    const ranged =
      'wpkh(tpubD6NzVbkrYhZ4XVPn5tSFsjZbYcAnoDizTifqiqFEU18GcLzJMMPeYkBL1tkPT94oxPpuaWeTrMnCoXqFcAwRUn83HeM9SSwZyeAg3J62ssn/*)';
    const within = (range: readonly [number, number]) => () =>
      updatePsbt(made(), { descriptors: { network, descriptors: [ranged], range } });
    expect(refusal(within([0, 9_999]))).toBe('done');
    expect(refusal(within([0, 10_000]))).toBe('too_large range');
    expect(refusal(within([2 ** 31 - 1, 2 ** 31 - 1]))).toBe('done');
    expect(refusal(within([0, 2 ** 31]))).toBe('invalid_value range');
    expect(refusal(within([5, 4]))).toBe('invalid_value range');
    expect(refusal(() => filled(made(), ranged, 'wpkh(nothing)'))).toBe('invalid_descriptor descriptors[1]');
  });
});

describe('version 0', () => {
  const withGlobal = (type: number, value: Uint8Array, keyData: Uint8Array = NO_KEY_DATA): PsbtV2 => {
    const psbt = made();
    const global = psbt.global.clone();
    global.set(type, value, keyData);
    return { ...psbt, global };
  };
  const point = Buffer.from(`02${KEY}`, 'hex');

  it('and back says the same, with every field that is no part of the transaction', () => {
    fc.assert(
      fc.property(arbitraryPsbt(), (psbt) => {
        if (unsignedTxid(psbt) === null) return;
        const old = parsePsbt(serializePsbt(toVersion0(psbt))) as PsbtV0;
        const again = requireV2(parsePsbt(serializePsbt(toVersion2(old))));
        expect(unsignedTxid(again)).toBe(unsignedTxid(psbt));
        expect(locktimeOf(again)).toBe(locktimeOf(psbt));
        const rest = (map: PsbtMap, gone: readonly number[]) =>
          map.entries.filter(({ type }) => !gone.includes(type)).map(lineOf);
        for (const [index, map] of psbt.inputs.entries())
          expect(rest(again.inputs[index] as PsbtMap, [0x10])).toEqual(rest(map, [0x10, 0x11, 0x12]));
        for (const [index, map] of psbt.outputs.entries())
          expect(again.outputs[index]?.entries.map(lineOf)).toEqual(map.entries.map(lineOf));
        expect(serializePsbt(toVersion0(again)).equals(serializePsbt(old))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('refuses what it cannot carry, and names it', () => {
    const messageOf = (psbt: PsbtV2): string => {
      try {
        toVersion0(psbt);
      } catch (error) {
        if (error instanceof DomainError) return `${error.code}: ${error.message}`;
        throw error;
      }
      return 'done';
    };
    expect(messageOf(withGlobal(GLOBAL.TX_MODIFIABLE, Uint8Array.of(7)))).toBe('done');
    expect(messageOf(withGlobal(GLOBAL.TX_MODIFIABLE, Uint8Array.of(8)))).toMatch(
      /^not_representable.*PSBT_GLOBAL_TX_MODIFIABLE/,
    );
    expect(messageOf(withGlobal(GLOBAL.SP_DLEQ, Buffer.alloc(64), point))).toMatch(
      /PSBT_GLOBAL_SP_DLEQ \(the global map\)/,
    );
    const psbt = made();
    const output = (psbt.outputs[0] as PsbtMap).clone();
    output.set(OUTPUT.SP_V0_INFO, Buffer.concat([point, point]));
    expect(messageOf({ ...psbt, outputs: [output] })).toMatch(/PSBT_OUT_SP_V0_INFO \(output 0\)/);
    const tweaked = input(psbt).clone();
    tweaked.set(INPUT.SP_TWEAK, Buffer.alloc(32));
    expect(messageOf({ ...psbt, inputs: [tweaked] })).toMatch(/PSBT_IN_SP_TWEAK \(input 0\)/);
    const locked = (type: number, locktime: number) => {
      const map = input(psbt).clone();
      const value = Buffer.alloc(4);
      value.writeUInt32LE(locktime);
      map.set(type, value);
      return map;
    };
    const conflict = [locked(INPUT.REQUIRED_HEIGHT_LOCKTIME, 5), locked(INPUT.REQUIRED_TIME_LOCKTIME, 600_000_000)];
    expect(messageOf({ ...psbt, inputs: conflict })).toMatch(/^not_representable.*locktime/);
    expect(toVersion0({ ...psbt, inputs: conflict.slice(0, 1) }).unsigned.locktime).toBe(5);
  });

  it('is refused where version 2 is wanted, with the way there', () => {
    expect(() => requireV2(toVersion0(made()))).toThrow('/api/psbt/migrate');
  });
});
