/** Nothing that is sent costs out of proportion: the largest descriptors of each shape are read or refused, none runs away. */
import { describe, expect, it } from 'vitest';
import { describeDescriptor } from '../../../src/core/descriptors/describe-descriptor.ts';
import { MAX_DESCRIPTOR_CHARACTERS } from '../../../src/core/descriptors/parse-descriptor.ts';
import { DomainError } from '../../../src/core/errors.ts';
import { networkParameters } from '../../../src/core/network.ts';
import { bip32 } from '../../../src/core/wallets/hd-key.ts';

const KEY = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const TPUB = bip32.fromSeed(new Uint8Array(32).fill(7), networkParameters('regtest')).neutered().toBase58();

const many = (piece: string, around: (inside: string) => string): string => {
  const room = MAX_DESCRIPTOR_CHARACTERS - around('').length;
  return around(piece.repeat(Math.floor(room / piece.length)));
};

describe('descriptors of the largest size', () => {
  it.each([
    [
      'keys with many steps on many paths',
      many(`,${TPUB}${'/1'.repeat(30)}/<0;1;2;3;4;5;6;7>/*`, (x) => `tr(${KEY},multi_a(1${x}))`),
    ],
    ['a threshold of many keys', many(`,s:pk(02${KEY})`, (x) => `wsh(thresh(1,pk(02${KEY})${x}))`)],
    ['wrappers', many('n:', (x) => `wsh(${x}pk(02${KEY}))`)],
    ['wrappers in one run', many('n', (x) => `wsh(${x}:pk(02${KEY}))`)],
    ['conjunctions within each other', many('and_v(v:1,', (x) => `wsh(${x}1)`)],
    ['alternatives within each other', many('or_i(0,', (x) => `wsh(${x}1${')'.repeat(700)})`)],
    ['branches', many('{', (x) => `tr(${KEY},${x})`)],
    ['brackets', many('(', (x) => `wsh${x}`)],
    ['multipath steps', many('/<0;1>', (x) => `wpkh(${TPUB}${x})`)],
    ['steps', many('/1', (x) => `wpkh(${TPUB}${x})`)],
    ['origins', many('/1', (x) => `wpkh([00000000${x}]${TPUB})`)],
    ['commas', many(',', (x) => `wsh(multi(1${x}))`)],
  ])('%s', (_, text) => {
    expect(text.length).toBeGreaterThan(MAX_DESCRIPTOR_CHARACTERS / 2);
    let outcome: unknown;
    try {
      outcome = describeDescriptor(text, 'regtest').type;
    } catch (error) {
      outcome = error;
    }
    expect(typeof outcome === 'string' || outcome instanceof DomainError, String(outcome)).toBe(true);
  });
});
