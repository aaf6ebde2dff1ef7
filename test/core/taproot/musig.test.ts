/** Sessions whose other signers are @scure/btc-signer's own; the final signatures must hold under BIP340. */
import { IndividualPubkey, nonceAggregate, nonceGen, Session } from '@scure/btc-signer/musig2.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { schnorrProblem } from '../../../src/core/taproot/bip340.ts';
import { type AggregatedKeys, aggregateKeys } from '../../../src/core/taproot/musig/aggregate-keys.ts';
import { isPublicNonce, openSigningRound, signLast } from '../../../src/core/taproot/musig/signing-session.ts';
import { tweakPublicKey } from '../../../src/core/taproot/tweak.ts';

const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((value) => Uint8Array.from(value));
const privateKeys = fc.uniqueArray(
  bytes32.filter((key) => ecc.isPrivate(key)),
  { minLength: 2, maxLength: 4, selector: (key) => hex(ecc.xOnlyPointFromScalar(key)) },
);
const tweaks = fc.array(fc.record({ tweak: bytes32.filter((one) => ecc.isPrivate(one)), xOnly: fc.boolean() }), {
  maxLength: 2,
});
const taproot = fc.option(fc.record({ merkleRoot: fc.option(bytes32) }));

const sessionOf = (keys: AggregatedKeys, nonces: Uint8Array[], message: Uint8Array): Session =>
  new Session(
    nonceAggregate(nonces),
    keys.publicKeys.map((key) => Uint8Array.from(key)),
    message,
    keys.tweaks.map(({ tweak }) => tweak),
    keys.tweaks.map(({ xOnly }) => xOnly),
  );

describe('MuSig2', () => {
  it('signs so that BIP340 verifies, whatever the tweaks, with a signer that comes last', () => {
    const plan = fc.record({ keys: privateKeys, sort: fc.boolean(), tweaks, taproot, message: bytes32, rand: bytes32 });
    fc.assert(
      fc.property(plan, fc.nat(), ({ keys, message, rand, ...given }, choice) => {
        const aggregated = aggregateKeys({ ...given, publicKeys: keys.map((key) => IndividualPubkey(key)) });
        const inOrder = aggregated.publicKeys.map(
          (publicKey) => keys.find((key) => hex(IndividualPubkey(key)) === hex(publicKey)) as Uint8Array,
        );
        const last = choice % inOrder.length;
        const made = inOrder.map((key) => nonceGen(IndividualPubkey(key), key, aggregated.aggregateKey, message));
        const others = made.map((nonce) => nonce.public).filter((_, signer) => signer !== last);
        const signing = { ...aggregated, message };
        const own = signLast(signing, others, inOrder[last] as Uint8Array, rand);
        const nonces = made.map((nonce, signer) => (signer === last ? own.publicNonce : nonce.public));
        const partials = made.map((nonce, signer) =>
          signer === last
            ? own.partialSignature
            : sessionOf(aggregated, nonces, message).sign(nonce.secret, inOrder[signer] as Uint8Array),
        );
        const round = openSigningRound(signing, nonces);
        partials.forEach((partial, signer) => {
          expect(round.verifyPartial(signer, partial)).toBe(true);
          expect(round.verifyPartial((signer + 1) % partials.length, partial)).toBe(false);
        });
        const signature = round.finalSignature(partials);
        expect(schnorrProblem(message, aggregated.aggregateKey, signature)).toBeNull();
        if (given.taproot !== null) {
          const { outputKey } = tweakPublicKey(aggregated.internalKey as Buffer, given.taproot.merkleRoot);
          expect(hex(aggregated.aggregateKey)).toBe(hex(outputKey));
        }
      }),
      { numRuns: 6 },
    );
  });

  const keys = [1, 2, 3].map((value) => new Uint8Array(32).fill(value));
  const publicKeys = keys.map((key) => IndividualPubkey(key));
  const plain = { sort: false, tweaks: [], taproot: null };
  const message = new Uint8Array(32).fill(7);
  const nonce = (signer: number) => nonceGen(publicKeys[signer] as Uint8Array, keys[signer]).public;

  it('makes another nonce wherever anything of the session is another', () => {
    const others = [nonce(1), nonce(2)];
    const rand = new Uint8Array(32);
    const signing = { ...aggregateKeys({ ...plain, publicKeys }), message };
    const nonceOf = (plan: typeof signing, given: Uint8Array[], randomness = rand) =>
      hex(signLast(plan, given, keys[0] as Uint8Array, randomness).publicNonce);
    const first = nonceOf(signing, others);
    expect(nonceOf(signing, others)).toBe(first);
    const changed = [
      nonceOf({ ...signing, message: new Uint8Array(32).fill(8) }, others),
      nonceOf(signing, [nonce(1), others[1] as Uint8Array]),
      nonceOf({ ...aggregateKeys({ ...plain, publicKeys, taproot: { merkleRoot: null } }), message }, others),
      nonceOf(signing, others, new Uint8Array(32).fill(1)),
    ];
    expect(new Set([first, ...changed]).size).toBe(5);
  });

  it('sorts keys only where asked to', () => {
    const reversed = [...publicKeys].reverse();
    const keyOf = (given: Uint8Array[], sort: boolean) =>
      hex(aggregateKeys({ ...plain, publicKeys: given, sort }).aggregateKey);
    expect(keyOf(publicKeys, true)).toBe(keyOf(reversed, true));
    expect(keyOf(publicKeys, false)).not.toBe(keyOf(reversed, false));
  });

  it('refuses what it cannot aggregate or sign with', () => {
    const tooLarge = { tweak: new Uint8Array(32).fill(255), xOnly: true };
    expect(() => aggregateKeys({ ...plain, publicKeys, tweaks: [tooLarge] })).toThrow(/a tweak is below the order/);
    const offCurve = Uint8Array.of(2, ...new Uint8Array(31), 5);
    expect(() => aggregateKeys({ ...plain, publicKeys: [publicKeys[0] as Uint8Array, offCurve] })).toThrow(
      /public key 1 is not a point/,
    );
    const [first] = publicKeys as [Uint8Array];
    const negated = Uint8Array.from(first);
    negated[0] = (negated[0] as number) ^ 1;
    expect(aggregateKeys({ ...plain, publicKeys: [first, negated] }).aggregateKey).toHaveLength(32);
    const signing = { ...aggregateKeys({ ...plain, publicKeys }), message };
    const others = [nonce(1), nonce(2)];
    expect(() => signLast(signing, others, new Uint8Array(32).fill(9), new Uint8Array(32))).toThrow(/none of the part/);
    expect(() => signLast(signing, others, new Uint8Array(32), new Uint8Array(32))).toThrow(/not a private key/);
  });

  it('knows public nonces', () => {
    expect(isPublicNonce(nonce(0))).toBe(true);
    expect(
      [new Uint8Array(66), nonce(0).subarray(1), Uint8Array.of(...nonce(0).subarray(0, 65))].some(isPublicNonce),
    ).toBe(false);
  });
});
