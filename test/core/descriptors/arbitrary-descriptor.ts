/** Random descriptors for properties: every function at every place it may stand, keys of every form. */
import fc from 'fast-check';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { networkParameters } from '../../../src/core/network.ts';
import { bip32 } from '../../../src/core/wallets/hd-key.ts';

const scalar = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => ecc.isPrivate(bytes));

const hex = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('hex');

const step = fc.integer({ min: 0, max: 0x7fffffff });
const path = (hardened: boolean) =>
  fc
    .array(fc.tuple(step, fc.boolean()), { maxLength: 3 })
    .map((steps) => steps.map(([number, hard]) => `/${number}${hard && hardened ? 'h' : ''}`).join(''));
const origin = fc.option(
  fc
    .tuple(fc.uint8Array({ minLength: 4, maxLength: 4 }), path(true))
    .map(([print, steps]) => `[${hex(print)}${steps}]`),
  { nil: '' },
);

const extended = fc
  .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), path(false), fc.boolean())
  .map(([seed, steps, ranged]) => {
    const node = bip32.fromSeed(seed, networkParameters('regtest')).neutered();
    return `${node.toBase58()}${steps}${ranged ? '/*' : ''}`;
  });
const compressed = scalar.map((key) => hex(ecc.pointFromScalar(key, true)));
const uncompressed = scalar.map((key) => hex(ecc.pointFromScalar(key, false)));
const xOnly = compressed.map((key) => key.slice(2));

const withOrigin = (key: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(origin, key).map(([from, body]) => `${from}${body}`);
const KEYS = {
  any: withOrigin(fc.oneof(extended, compressed, uncompressed)),
  segwit: withOrigin(fc.oneof(extended, compressed)),
  tr: withOrigin(fc.oneof(extended, compressed, xOnly)),
} as const;

const call = (name: string, ...inside: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...inside).map((parts) => `${name}(${parts.join(',')})`);

const multi = (names: string[], key: fc.Arbitrary<string>, most: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...names), fc.array(key, { minLength: 1, maxLength: most }), fc.nat())
    .map(([name, keys, number]) => `${name}(${[(number % keys.length) + 1, ...keys].join(',')})`);

const digest = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(hex);

/** Fragments whose types fit, sane or not. */
function miniscript(key: fc.Arbitrary<string>, multiName: 'multi' | 'multi_a'): fc.Arbitrary<string> {
  const older = fc.integer({ min: 1, max: 0xffff }).map((blocks) => `older(${blocks})`);
  const after = fc.integer({ min: 1, max: 499_999_999 }).map((height) => `after(${height})`);
  const { B } = fc.letrec<{ B: string; E: string; V: string; W: string }>((tie) => ({
    // E: B that can be dissatisfied and leaves exactly one or zero.
    E: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      call('pk', key),
      call('pkh', key),
      multi([multiName], key, 3),
      call('or_d', tie('E'), tie('E')),
      call('or_i', tie('E'), fc.constant('0')),
      fc.tuple(tie('E'), tie('W'), tie('W')).map(([a, b, c]) => `thresh(2,${a},${b},${c})`),
      call('and_b', tie('E'), tie('W')),
    ),
    W: fc.oneof(
      call('s:pk', key),
      tie('E').map((one) => `a:${/^[a-z]+:/.test(one) ? `${one}` : one}`),
    ),
    V: fc.oneof(
      call('v:pk', key),
      call('v:pkh', key),
      older.map((one) => `v:${one}`),
      digest(32).map((hash) => `v:sha256(${hash})`),
      digest(20).map((hash) => `v:hash160(${hash})`),
      fc.tuple(tie('E'), tie('V')).map(([one, other]) => `or_c(${one},${other})`),
      tie('E').map((one) => `v:${one}`),
    ),
    B: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      call('pk', key),
      tie('E'),
      call('and_v', tie('V'), tie('B')),
      call('andor', tie('E'), tie('B'), tie('B')),
      call('or_d', tie('E'), tie('B')),
      call('or_i', tie('B'), tie('B')),
      call('and_v', tie('V'), older),
      call('and_v', tie('V'), after),
    ),
  }));
  return B;
}

const inWsh = fc.oneof(
  call('pk', KEYS.segwit),
  call('pkh', KEYS.segwit),
  multi(['multi', 'sortedmulti'], KEYS.segwit, 20),
  miniscript(KEYS.segwit, 'multi'),
);
const leaf = fc.oneof(
  call('pk', KEYS.tr),
  multi(['multi_a', 'sortedmulti_a'], KEYS.tr, 5),
  miniscript(KEYS.tr, 'multi_a'),
);
const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `{${a},${b}}`),
  ),
}));

/** Without checksum or multipath, for regtest. */
export const arbitraryDescriptor: fc.Arbitrary<string> = fc.oneof(
  call('pk', KEYS.any),
  call('pkh', KEYS.any),
  call('wpkh', KEYS.segwit),
  call('combo', KEYS.any),
  multi(['multi', 'sortedmulti'], KEYS.any, 3),
  fc.oneof(call('pk', KEYS.any), call('pkh', KEYS.any), call('wpkh', KEYS.segwit)).map((inner) => `sh(${inner})`),
  multi(['multi', 'sortedmulti'], KEYS.any, 7).map((inner) => `sh(${inner})`),
  inWsh.map((inner) => `wsh(${inner})`),
  inWsh.map((inner) => `sh(wsh(${inner}))`),
  call('tr', KEYS.tr),
  call('tr', KEYS.tr, tree),
  call('rawtr', KEYS.tr),
  digest(33).map((script) => `raw(${script})`),
);

/** Scripts of the forms that outputs have, and of random opcodes and bytes. */
export const arbitraryScript: fc.Arbitrary<Buffer> = fc
  .oneof(
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
    fc
      .array(fc.oneof(fc.integer({ min: 0x4f, max: 0xba }), fc.uint8Array({ maxLength: 75 })), { maxLength: 12 })
      .map((parts) =>
        Buffer.concat(
          parts.map((part) =>
            typeof part === 'number' ? Buffer.of(part) : Buffer.concat([Buffer.of(part.length), part]),
          ),
        ),
      ),
    fc
      .tuple(fc.constantFrom(20, 32, 2, 40), fc.constantFrom(0, 0x51, 0x60))
      .chain(([length, version]) =>
        fc
          .uint8Array({ minLength: length, maxLength: length })
          .map((program) => Buffer.concat([Buffer.of(version, length), program])),
      ),
    fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((hash) => Buffer.concat([Buffer.from('76a914', 'hex'), hash, Buffer.from('88ac', 'hex')])),
    fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((hash) => Buffer.concat([Buffer.from('a914', 'hex'), hash, Buffer.of(0x87)])),
    fc.uint8Array({ maxLength: 70 }).map((data) => Buffer.concat([Buffer.of(0x6a, data.length), data])),
    fc
      .tuple(fc.array(compressed, { minLength: 1, maxLength: 4 }), fc.nat())
      .map(([keys, number]) =>
        Buffer.concat([
          Buffer.of(0x51 + (number % keys.length)),
          ...keys.map((key) => Buffer.from(`21${key}`, 'hex')),
          Buffer.of(0x50 + keys.length, 0xae),
        ]),
      ),
  )
  .filter((script) => script.length > 0);
