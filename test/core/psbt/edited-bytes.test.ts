/** Bytes that somebody changed: refused by a PsbtError or taken and given back as they are, at a cost that grows with their number. */
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { txid } from '../../../src/core/outpoint.ts';
import { spentOutput } from '../../../src/core/psbt/codec/input-fields.ts';
import { KeyValueCursor } from '../../../src/core/psbt/codec/key-value.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { combinePsbts } from '../../../src/core/psbt/construction/combine-psbts.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { joinPsbts } from '../../../src/core/psbt/construction/join-psbts.ts';
import { toVersion0, toVersion2 } from '../../../src/core/psbt/construction/migrate.ts';
import { modifyPsbt } from '../../../src/core/psbt/construction/modify-psbt.ts';
import { updatePsbt } from '../../../src/core/psbt/construction/update-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { PsbtError } from '../../../src/core/psbt/psbt-error.ts';
import { PsbtMap } from '../../../src/core/psbt/psbt-map.ts';
import { requireV2 } from '../../../src/core/psbt/require-v2.ts';
import { uniqueId, unsignedTxid } from '../../../src/core/psbt/transaction-of.ts';
import { arbitraryPsbt } from './arbitrary-psbt.ts';
import { parsing } from './psbt-vectors.ts';

const bases = fc.oneof(
  arbitraryPsbt().map((psbt) => serializePsbt(psbt)),
  arbitraryPsbt()
    .filter((psbt) => unsignedTxid(psbt) !== null)
    .map((psbt) => serializePsbt(toVersion0(psbt))),
  fc.constantFrom(...parsing).map(({ b64 }) => Buffer.from(b64, 'base64')),
);

type Edit = (bytes: Buffer) => Buffer;
/** What parsers stumble over: markers of longer compact sizes, ends of maps, types of fields. */
const piece = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 9 }),
  fc.constantFrom([0], [0xff], [0xfe, 0xff, 0xff, 0xff, 0xff], [0xfd, 0xff, 0xff], [0, 0], [1, 0], [1, 0xfb]),
  fc.constant(Array.from({ length: 9 }, () => 0xff)),
);
const edit: fc.Arbitrary<Edit> = fc
  .tuple(fc.constantFrom('replace', 'insert', 'remove', 'repeat', 'cut'), fc.nat(), fc.nat(40), piece)
  .map(([kind, place, length, bytes]) => (before) => {
    const at = before.length === 0 ? 0 : place % before.length;
    const [head, tail] = [before.subarray(0, at), before.subarray(at)];
    const given = Buffer.from(bytes);
    if (kind === 'replace') return Buffer.concat([head, given, tail.subarray(given.length)]);
    if (kind === 'insert') return Buffer.concat([head, given, tail]);
    if (kind === 'remove') return Buffer.concat([head, tail.subarray(length + 1)]);
    if (kind === 'repeat') return Buffer.concat([head, tail.subarray(0, length), tail]);
    return Buffer.from(head);
  });

describe('edited bytes', () => {
  it('are refused with a PsbtError or come out as they went in', () => {
    const outcomes = { refused: 0, taken: 0 };
    fc.assert(
      fc.property(bases, fc.array(edit, { minLength: 1, maxLength: 3 }), (base, edits) => {
        const bytes = edits.reduce((before, apply) => apply(before), base);
        try {
          const psbt = parsePsbt(bytes);
          outcomes.taken++;
          expect(serializePsbt(psbt).equals(bytes)).toBe(true);
          for (const map of [psbt.global, ...psbt.inputs, ...psbt.outputs]) map.keep(() => true);
          expect(serializePsbt(psbt).equals(bytes)).toBe(true);
          if (psbt.version === 2) for (const read of [unsignedTxid, uniqueId]) read(psbt);
          if (psbt.version === 2) for (const input of psbt.inputs) spentOutput(input);
        } catch (error) {
          if (!(error instanceof PsbtError)) throw error;
          outcomes.refused++;
          expect(error.message.length).toBeGreaterThan(20);
        }
      }),
      { numRuns: 4_000 },
    );
    // Neither all of one nor all of the other, or the edits would show nothing.
    expect(outcomes.refused).toBeGreaterThan(1_000);
    expect(outcomes.taken).toBeGreaterThan(100);
  });

  it('random bytes behind the magic are refused with a PsbtError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        try {
          parsePsbt(Buffer.concat([Buffer.from('70736274ff', 'hex'), noise]));
        } catch (error) {
          if (!(error instanceof PsbtError)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the number of steps', () => {
  afterEach(() => void vi.restoreAllMocks());

  const psbtOf = (count: number): PsbtV2 =>
    createPsbt({
      inputs: Array.from({ length: count }, (_, index) => ({
        outpoint: { txid: txid(index.toString(16).padStart(64, '0')), vout: 0 },
        witnessUtxo: { amountSats: 1_000n, script: Buffer.from(`0014${'11'.repeat(20)}`, 'hex') },
        sequence: 0xfffffffd,
      })),
      outputs: Array.from({ length: count }, (_, index) => ({
        amountSats: BigInt(index),
        script: Buffer.from('51', 'hex'),
      })),
      modifiable: { inputs: true, outputs: true },
    });

  /** Pairs stepped over, and entries read, compared or written: everything that a role does with maps. */
  function stepsOf(act: () => unknown): number {
    let steps = 0;
    const { next } = KeyValueCursor.prototype;
    vi.spyOn(KeyValueCursor.prototype, 'next').mockImplementation(function (this: KeyValueCursor) {
      steps++;
      return next.call(this);
    });
    for (const name of ['get', 'has', 'all', 'set', 'setAll', 'keep', 'write', 'clone'] as const) {
      const original = PsbtMap.prototype[name] as (...values: unknown[]) => unknown;
      vi.spyOn(PsbtMap.prototype, name).mockImplementation(function (this: PsbtMap, ...values: unknown[]) {
        steps++;
        return original.apply(this, values) as never;
      });
    }
    act();
    vi.restoreAllMocks();
    return steps;
  }

  const other = { amountSats: 5n, script: Buffer.from('52', 'hex') };
  const updateless = createPsbt({ inputs: [], outputs: [other], modifiable: { inputs: true, outputs: true } });
  const DESCRIPTOR = 'wpkh(02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5)';
  const acts: Readonly<Record<string, (psbt: PsbtV2, bytes: Buffer) => unknown>> = {
    parse: (_, bytes) => parsePsbt(bytes),
    serialize: (psbt) => serializePsbt(psbt),
    'unsigned txid': (psbt) => unsignedTxid(psbt),
    'unique id': (psbt) => uniqueId(psbt),
    'migrate there and back': (psbt) => toVersion2(toVersion0(psbt)),
    combine: (psbt) => combinePsbts([psbt, psbt, psbt]),
    'combine with other sequences': (psbt) =>
      combinePsbts([psbt, updatePsbt(psbt, { inputs: psbt.inputs.map((_, index) => ({ index, sequence: 1 })) })]),
    join: (psbt) => joinPsbts([psbt, updateless]),
    'from descriptors': (psbt) =>
      updatePsbt(psbt, { descriptors: { network: 'regtest', descriptors: [DESCRIPTOR], range: [0, 0] } }),
    'add one': (psbt) => modifyPsbt(psbt, { addOutputs: [other] }),
    'add as many': (psbt) => modifyPsbt(psbt, { addOutputs: psbt.outputs.map(() => other) }),
    'remove half': (psbt) =>
      modifyPsbt(psbt, { removeInputs: psbt.inputs.map((_, index) => index).filter((index) => index % 2) }),
    'update each': (psbt) =>
      updatePsbt(psbt, { inputs: psbt.inputs.map((_, index) => ({ index, sighashType: 1, sequence: 1 })) }),
  };

  it.each(Object.keys(acts))('of "%s" grows with the inputs, not with their square', (name) => {
    const steps = [1_000, 10_000].map((count) => {
      const bytes = serializePsbt(psbtOf(count));
      const psbt = requireV2(parsePsbt(bytes));
      return stepsOf(() => acts[name]?.(psbt, bytes));
    }) as [number, number];
    expect(steps[0]).toBeGreaterThan(1_000);
    expect(steps[1] / steps[0]).toBeLessThan(10.1);
  });

  it('of many fields set into one map at once grows with the fields', () => {
    const compared = [1_000, 10_000].map((count) => {
      const map = new PsbtMap();
      const fields = Array.from({ length: count }, (_, index) => {
        const keyData = Buffer.alloc(4);
        keyData.writeUInt32BE((index * 7_919) % count);
        return { type: 0x77, keyData, value: Buffer.of(1) };
      });
      let comparisons = 0;
      const { compare } = Buffer;
      vi.spyOn(Buffer, 'compare').mockImplementation((a, b) => {
        comparisons++;
        return compare(a, b);
      });
      map.setAll(fields);
      map.setAll(fields);
      vi.restoreAllMocks();
      expect(map.entries).toHaveLength(count);
      return comparisons;
    }) as [number, number];
    // n log n
    expect(compared[1] / compared[0]).toBeLessThan(15);
  });

  it('a map of very many fields can be taken apart and written again', () => {
    const map = new PsbtMap(
      Array.from({ length: 300_000 }, (_, index) => ({
        type: 0x10000 + index,
        keyData: Buffer.alloc(0),
        value: Buffer.alloc(0),
      })),
    );
    map.remove(0x10000);
    expect(map.entries).toHaveLength(299_999);
    map.setAll([
      { type: 0x10000, keyData: Buffer.alloc(0), value: Buffer.alloc(0) },
      { type: 1, keyData: Buffer.alloc(0), value: Buffer.alloc(0) },
    ]);
    expect(map.entries).toHaveLength(300_001);
  });
});
