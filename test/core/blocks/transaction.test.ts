import { Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedDataError } from '../../../src/core/blocks/malformed-data-error.ts';
import { parseTransaction, scanTransaction } from '../../../src/core/blocks/transaction.ts';
import { displayHash } from '../../../src/core/outpoint.ts';
import { arbitraryTransaction } from './arbitrary-transaction.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

// One input, one output, empty scripts, in the form without witnesses.
const PLAIN = `01000000${'01'}${'11'.repeat(32)}0000000000ffffffff01e80300000000000000${'00000000'}`;

describe('parseTransaction', () => {
  it('reads what bitcoinjs-lib reads, in every field', () => {
    fc.assert(
      fc.property(arbitraryTransaction, (tx) => {
        const raw = tx.toBuffer();
        const parsed = parseTransaction(raw);
        expect(parsed.txid).toBe(tx.getId());
        expect(parsed.version).toBe(tx.version);
        expect(parsed.locktime).toBe(tx.locktime);
        expect(parsed.weight).toBe(tx.weight());
        expect(parsed.vsize).toBe(tx.virtualSize());
        expect(Buffer.from(parsed.raw)).toEqual(Buffer.from(raw));
        expect(
          parsed.inputs.map((input) => ({
            ...input.prev,
            sequence: input.sequence,
            scriptSig: Buffer.from(input.scriptSig).toString('hex'),
            witness: input.witness.map((item) => Buffer.from(item).toString('hex')),
          })),
        ).toEqual(
          tx.ins.map((input) => ({
            txid: displayHash(input.hash),
            vout: input.index,
            sequence: input.sequence,
            scriptSig: Buffer.from(input.script).toString('hex'),
            witness: input.witness.map((item) => Buffer.from(item).toString('hex')),
          })),
        );
        expect(parsed.outputs).toEqual(
          tx.outs.map((output) => ({
            amountSats: output.value,
            scriptPubKey: Buffer.from(output.script).toString('hex'),
          })),
        );
      }),
    );
  });

  it('refuses every truncation and any trailing byte', () => {
    fc.assert(
      fc.property(arbitraryTransaction, fc.nat(), (tx, cut) => {
        const raw = tx.toBuffer();
        expect(() => parseTransaction(raw.subarray(0, cut % raw.length))).toThrow(MalformedDataError);
        expect(() => parseTransaction(Buffer.concat([raw, hex('00')]))).toThrow(MalformedDataError);
      }),
      { numRuns: 200 },
    );
  });

  it('fails with the declared error alone, and then on nothing that bitcoinjs-lib writes back unchanged', () => {
    fc.assert(
      fc.property(arbitraryTransaction, fc.nat(), fc.integer({ min: 1, max: 255 }), (tx, at, change) => {
        const raw = Buffer.from(tx.toBuffer());
        raw[at % raw.length]! ^= change;
        let refused = false;
        try {
          parseTransaction(raw);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedDataError);
          refused = true;
        }
        if (refused) return;
        expect(Transaction.fromBuffer(raw).toHex()).toBe(raw.toString('hex'));
      }),
      { numRuns: 500 },
    );
  });

  it('fails with the declared error alone on arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
        try {
          parseTransaction(raw);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedDataError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['an input count beyond the bytes there are', PLAIN.replace('0100000001', '01000000fe00000002')],
    ['an input count of 2^64 - 1', `01000000ffffffffffffffffff${'11'.repeat(60)}`],
    ['a count that is not in its shortest form', PLAIN.replace('0100000001', '01000000fd0100')],
    ['a four-byte count that is not in its shortest form', PLAIN.replace('0100000001', '01000000fe01000000')],
    ['an unknown witness flag', PLAIN.replace('0100000001', '01000000000201')],
    [
      'a witness section with nothing in it',
      PLAIN.replace('0100000001', '01000000000101').replace(/00000000$/, '0000000000'),
    ],
    ['no inputs', '01000000' + '0001' + '00' + '01e80300000000000000' + '00' + '00000000'],
    ['no outputs', `0100000001${'11'.repeat(32)}0000000000ffffffff0000000000`],
    ['nothing', ''],
  ])('refuses %s', (_what, raw) => {
    expect(() => parseTransaction(hex(raw))).toThrow(MalformedDataError);
  });

  it('accepts the transaction those malformed ones are made from', () => {
    expect(parseTransaction(hex(PLAIN)).outputs).toEqual([{ amountSats: 1000n, scriptPubKey: '' }]);
  });

  it('copies its bytes, so that it keeps nothing larger alive', () => {
    const source = hex(PLAIN);
    const parsed = parseTransaction(source);
    source.fill(0);
    expect(Buffer.from(parsed.raw).toString('hex')).toBe(PLAIN);
  });

  it('knows a coinbase by its null outpoint', () => {
    const coinbase = PLAIN.replace(`${'11'.repeat(32)}00000000`, `${'00'.repeat(32)}ffffffff`);
    expect(parseTransaction(hex(coinbase)).coinbase).toBe(true);
    expect(parseTransaction(hex(PLAIN)).coinbase).toBe(false);
    expect(parseTransaction(hex(coinbase.replace('ffffffff00ffffffff', '0000000000ffffffff'))).coinbase).toBe(false);
  });
});

describe('scanTransaction', () => {
  it('shows every outpoint and scriptPubKey, and answers nothing where none is wanted', () => {
    fc.assert(
      fc.property(arbitraryTransaction, (tx) => {
        const outpoints: string[] = [];
        const scripts: string[] = [];
        const raw = Buffer.concat([hex('aabbcc'), tx.toBuffer(), hex('dd')]);
        const { end, transaction } = scanTransaction(raw, 3, {
          input: (bytes, start) => {
            outpoints.push(Buffer.from(bytes.subarray(start, start + 36)).toString('hex'));
            return false;
          },
          output: (bytes, start, stop) => {
            scripts.push(Buffer.from(bytes.subarray(start, stop)).toString('hex'));
            return false;
          },
        });
        expect(end).toBe(raw.length - 1);
        expect(transaction).toBeNull();
        expect(outpoints).toEqual(
          tx.ins.map((input) => {
            const vout = Buffer.alloc(4);
            vout.writeUInt32LE(input.index);
            return Buffer.concat([input.hash, vout]).toString('hex');
          }),
        );
        expect(scripts).toEqual(tx.outs.map((output) => Buffer.from(output.script).toString('hex')));
      }),
    );
  });

  it('parses whole at an offset what the visitor wants, asking no further', () => {
    fc.assert(
      fc.property(arbitraryTransaction, (tx) => {
        let asked = 0;
        const { transaction } = scanTransaction(Buffer.concat([hex('00ff'), tx.toBuffer()]), 2, {
          input: () => false,
          output: () => {
            asked++;
            return true;
          },
        });
        expect(asked).toBe(1);
        expect(transaction).toEqual(parseTransaction(tx.toBuffer()));
      }),
      { numRuns: 50 },
    );
  });
});
