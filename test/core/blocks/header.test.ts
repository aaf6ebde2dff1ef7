import { Block } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { medianTimePast, meetsTarget, parseHeader, targetOf } from '../../../src/core/blocks/header.ts';
import { MalformedDataError } from '../../../src/core/blocks/malformed-data-error.ts';
import { displayHash } from '../../../src/core/outpoint.ts';
import { GENESIS_BLOCK } from './arbitrary-transaction.ts';

describe('parseHeader', () => {
  it('reads what bitcoinjs-lib reads', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 80, maxLength: 80 }), (bytes) => {
        const block = Block.fromBuffer(bytes);
        expect(parseHeader(bytes)).toEqual({
          version: block.version,
          prevHash: displayHash(block.prevHash!),
          merkleRoot: displayHash(block.merkleRoot!),
          time: block.timestamp,
          bits: block.bits,
          nonce: block.nonce,
          hash: block.getId(),
        });
      }),
    );
  });

  it('refuses fewer than 80 bytes', () => {
    expect(() => parseHeader(new Uint8Array(79))).toThrow(MalformedDataError);
  });
});

describe('proof of work', () => {
  const genesis = parseHeader(Buffer.from(GENESIS_BLOCK, 'hex'));

  it("holds for Bitcoin's first block and not with another nonce", () => {
    expect(genesis.hash).toBe('000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f');
    expect(meetsTarget(genesis)).toBe(true);
    const other = Buffer.from(GENESIS_BLOCK, 'hex');
    other.writeUInt32LE(1, 76);
    expect(meetsTarget(parseHeader(other))).toBe(false);
  });

  // Cases of Bitcoin Core's arith_uint256 tests.
  it.each([
    [0x00000000, null],
    [0x00123456, null],
    [0x01003456, null],
    [0x01123456, 0x12n],
    [0x02008000, 0x80n],
    [0x05009234, 0x92340000n],
    [0x04923456, null],
    [0x04123456, 0x12345600n],
    [0x20123456, 0x1234560000000000000000000000000000000000000000000000000000000000n],
    [0xff123456, null],
    [0x207fffff, 0x7fffff0000000000000000000000000000000000000000000000000000000000n],
  ])('compact target %d is %s', (bits, target) => {
    expect(targetOf(bits)).toBe(target);
  });

  it('is met by a hash equal to the target and by none above it', () => {
    const at = (hash: bigint) => meetsTarget({ hash: hash.toString(16).padStart(64, '0') as never, bits: 0x1d00ffff });
    const target = targetOf(0x1d00ffff)!;
    expect(at(target)).toBe(true);
    expect(at(target + 1n)).toBe(false);
  });
});

describe('medianTimePast (BIP113)', () => {
  it('is the middle of the last eleven, whatever their order', () => {
    expect(medianTimePast([5])).toBe(5);
    expect(medianTimePast([1, 2])).toBe(2);
    expect(medianTimePast([900, 800, 11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6])).toBe(6);
  });
});
