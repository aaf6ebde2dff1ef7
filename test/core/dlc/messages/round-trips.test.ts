import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIALECTS, type Dialect } from '../../../../src/core/dlc/dialect.ts';
import { describeMessage } from '../../../../src/core/dlc/messages/describe-message.ts';
import { DlcMessageError } from '../../../../src/core/dlc/messages/message-error.ts';
import { readMessageType } from '../../../../src/core/dlc/messages/message-type.ts';
import { coinTossInfo, priceInfo, testContract } from '../../../builders/dlc-messages.ts';
import { digitsEvent, digitsOf, enumEvent, testOracle } from '../../../builders/dlc-oracle.ts';
import {
  arbitraryAccept,
  arbitraryAnnouncement,
  arbitraryAttestation,
  arbitraryOffer,
  arbitrarySign,
} from './arbitrary-messages.ts';
import { ACCEPT, ANNOUNCEMENT, ATTESTATION, type Codec, OFFER, SIGN } from './codecs.ts';

const RUNS = { seed: 42780, numRuns: 100 };

describe.each(DIALECTS)('random messages, %s', (dialect) => {
  const cases: [string, fc.Arbitrary<unknown>, Codec<unknown>][] = [
    ['offer', arbitraryOffer(dialect), OFFER],
    ['accept', arbitraryAccept, ACCEPT],
    ['sign', arbitrarySign, SIGN],
    ['announcement', arbitraryAnnouncement, ANNOUNCEMENT],
    ['attestation', arbitraryAttestation, ATTESTATION],
  ];

  it.each(cases)('%s: come back as they were, and say what they are', (name, arbitrary, { parse, serialize }) => {
    fc.assert(
      fc.property(arbitrary, (message) => {
        const bytes = serialize(message, dialect);
        expect(parse(bytes, dialect)).toEqual(message);
        expect(Buffer.compare(serialize(parse(bytes, dialect), dialect), bytes)).toBe(0);
        expect(readMessageType(bytes)).toBe(name);
      }),
      RUNS,
    );
  });

  it.each(cases)('%s: the description is JSON without loss', (name, arbitrary, { serialize }) => {
    fc.assert(
      fc.property(arbitrary, (message) => {
        const described = describeMessage(serialize(message, dialect), dialect);
        expect(described.type).toBe(name);
        expect(JSON.parse(JSON.stringify(described))).toStrictEqual(described);
      }),
      { ...RUNS, numRuns: 30 },
    );
  });

  it.each(cases)('%s: every truncation is refused with the place', (_name, arbitrary, { parse, serialize }) => {
    fc.assert(
      fc.property(arbitrary, fc.double({ min: 0, max: 0.999, noNaN: true }), (message, share) => {
        const bytes = serialize(message, dialect);
        const cut = Math.floor(bytes.length * share);
        // Records behind the fields may be left out, one by one.
        const tlvs = (message as { tlvs?: Uint8Array }).tlvs?.length ?? 0;
        fc.pre(cut < bytes.length - tlvs);
        const error = refusalOf(() => parse(bytes.subarray(0, cut), dialect));
        expect(error.offset).toBeLessThanOrEqual(cut);
      }),
      RUNS,
    );
  });
});

/** What messages of real contracts look like, with good signatures. */
const real = (dialect: Dialect): [string, Uint8Array, Codec<unknown>][] => {
  const oracle = testOracle('real', dialect);
  const toss = oracle.announce(enumEvent('yes', 'no', 'è'), 'toss');
  const price = oracle.announce(digitsEvent(6, true), 'price');
  return [coinTossInfo(100_000n, dialect), priceInfo(100_000n, 4, 10_000n, dialect)].flatMap((info, at) => {
    const { offer, accept, sign } = testContract({ info, dialect });
    const announcement = at === 0 ? toss : price;
    const attestation = at === 0 ? oracle.attest(toss, ['è']) : oracle.attest(price, digitsOf(-5n, 6, true));
    return [
      [`offer ${at}`, OFFER.serialize(offer, dialect), OFFER],
      [`accept ${at}`, ACCEPT.serialize(accept, dialect), ACCEPT],
      [`sign ${at}`, SIGN.serialize(sign, dialect), SIGN],
      [`announcement ${at}`, ANNOUNCEMENT.serialize(announcement), ANNOUNCEMENT],
      [`attestation ${at}`, ATTESTATION.serialize(attestation, dialect), ATTESTATION],
    ] satisfies [string, Uint8Array, Codec<unknown>][];
  });
};

describe.each(DIALECTS)('edited messages of real contracts, %s', (dialect) => {
  it.each(real(dialect))('%s: are refused in order, or come back byte for byte', (_name, bytes, {
    parse,
    serialize,
  }) => {
    const seen = { refused: 0, read: 0 };
    const edit = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) }),
      fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) }),
      fc.record({ kind: fc.constant('remove' as const), at: fc.nat(), value: fc.integer({ min: 1, max: 9 }) }),
    );
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const changed = [...bytes];
        for (const { kind, at, value } of edits) {
          const place = at % changed.length;
          if (kind === 'set') changed[place] = value;
          else changed.splice(place, kind === 'remove' ? value : 0, ...(kind === 'insert' ? [value] : []));
        }
        const edited = Uint8Array.from(changed);
        let message: unknown;
        try {
          message = parse(edited, dialect);
        } catch (error) {
          expect(error).toBeInstanceOf(DlcMessageError);
          expect((error as DlcMessageError).offset).toBeLessThanOrEqual(edited.length);
          seen.refused++;
          return;
        }
        seen.read++;
        expect(Buffer.compare(serialize(message, dialect), edited)).toBe(0);
      }),
      { seed: 42778, numRuns: 500 },
    );
    // Neither kind of answer is all there is: signatures and ids are any bytes, counts and types are not.
    expect(seen.refused).toBeGreaterThan(50);
    expect(seen.read).toBeGreaterThan(5);
  });
});

function refusalOf(parse: () => unknown): DlcMessageError {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(DlcMessageError);
    return error as DlcMessageError;
  }
  throw new Error('the bytes were read');
}
