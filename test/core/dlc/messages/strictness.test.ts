import { describe, expect, it, vi } from 'vitest';
import { binaryFraction } from '../../../../src/core/dlc/messages/binary-fraction.ts';
import { contractIdOf } from '../../../../src/core/dlc/messages/contract-id.ts';
import { describeMessage } from '../../../../src/core/dlc/messages/describe-message.ts';
import { DlcMessageError } from '../../../../src/core/dlc/messages/message-error.ts';
import { MessageReader } from '../../../../src/core/dlc/messages/message-reader.ts';
import { readMessageType } from '../../../../src/core/dlc/messages/message-type.ts';
import { textProblem } from '../../../../src/core/dlc/messages/wire-text.ts';
import { DomainError } from '../../../../src/core/errors.ts';
import { coinTossInfo, priceInfo, testContract } from '../../../builders/dlc-messages.ts';
import { digitsEvent, enumEvent, testOracle } from '../../../builders/dlc-oracle.ts';
import { ACCEPT, ANNOUNCEMENT, ATTESTATION, OFFER, SIGN } from './codecs.ts';

const { offer, accept, sign } = testContract({ info: coinTossInfo(100_000n) });
const oracle = testOracle('strict');
const announcement = oracle.announce(enumEvent('yes', 'no'));
const numericAnnouncement = oracle.announce(digitsEvent(3));
const attestation = oracle.attest(announcement, ['yes']);

const offerBytes = OFFER.serialize(offer, 'tagged');
const acceptBytes = ACCEPT.serialize(accept, 'tagged');
const signBytes = SIGN.serialize(sign, 'tagged');
const announcementBytes = ANNOUNCEMENT.serialize(announcement);
const numericBytes = ANNOUNCEMENT.serialize(numericAnnouncement);
const attestationBytes = ATTESTATION.serialize(attestation);

const fromHex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The hex of one thing in the message replaced by another's; it is there once. */
function edited(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const parts = toHex(bytes).split(from);
  expect(parts).toHaveLength(2);
  return fromHex(parts.join(to));
}

const text = (value: string): string => Buffer.from(value).toString('hex');

function refusal(parse: () => unknown): { path: string; offset: number; message: string } {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(DlcMessageError);
    const { path, offset, message, code } = error as DlcMessageError;
    expect(code).toBe('invalid_message');
    return { path, offset, message };
  }
  throw new Error('the bytes were read');
}

const offerRefusal = (bytes: Uint8Array) => refusal(() => OFFER.parse(bytes, 'tagged'));
const outcomes = `0003${'05'}${text('heads')}${'05'}${text('tails')}${'04'}${text('edge')}`;
/** Behind the record's header (4), the signature (64), the key (32) and the event's header (4). */
const EVENT = 104;

describe('a message is refused by field and byte', () => {
  it('another type, another version', () => {
    expect(refusal(() => ACCEPT.parse(offerBytes, 'tagged'))).toEqual({
      path: 'type',
      offset: 0,
      message: 'accept: type (byte 0): is 42778, and must be 42780',
    });
    expect(offerRefusal(edited(offerBytes, 'a71a00000001', 'a71a00000002'))).toMatchObject({
      path: 'protocol_version',
      offset: 2,
    });
    expect(refusal(() => OFFER.parse(new Uint8Array(0), 'tagged'))).toMatchObject({ path: 'type', offset: 0 });
  });

  it('bytes behind the end that are no records', () => {
    const at = offerBytes.length;
    const withTail = (tail: string) => offerRefusal(fromHex(toHex(offerBytes) + tail));
    expect(withTail('00')).toMatchObject({ path: 'tlvs', offset: at, message: expect.stringContaining('even') });
    expect(withTail('01')).toMatchObject({ path: 'tlvs', offset: at + 1 });
    expect(withTail('0105ff')).toMatchObject({ path: 'tlvs', offset: at + 1 });
    expect(withTail('03000100')).toMatchObject({
      path: 'tlvs',
      offset: at + 2,
      message: expect.stringContaining('ascend'),
    });
    expect(withTail('01000100')).toMatchObject({ path: 'tlvs', offset: at + 2 });
    expect(withTail('fd000100')).toMatchObject({ message: expect.stringContaining('shortest form') });
    expect(refusal(() => ANNOUNCEMENT.parse(fromHex(`${toHex(announcementBytes)}0100`)))).toMatchObject({
      path: '',
      offset: announcementBytes.length,
    });
    expect(OFFER.parse(fromHex(`${toHex(offerBytes)}0101ff`), 'tagged').tlvs).toEqual(fromHex('0101ff'));
  });

  it('keys that are no points, and x coordinates of none', () => {
    const key = toHex(offer.party.fundingPublicKey);
    const at = toHex(offerBytes).indexOf(key) / 2;
    for (const bad of [`05${key.slice(2)}`, `02${'00'.repeat(31)}05`, `02${'ff'.repeat(32)}`, '00'.repeat(33)])
      expect(offerRefusal(edited(offerBytes, key, bad))).toMatchObject({ path: 'funding_pubkey', offset: at });
    const notOnCurve = `${'00'.repeat(31)}05`;
    expect(
      refusal(() => ANNOUNCEMENT.parse(edited(announcementBytes, toHex(announcement.publicKey), notOnCurve))),
    ).toMatchObject({ path: 'public_key', offset: 68 });
    const [first, second] = numericAnnouncement.event.nonces as [Uint8Array, Uint8Array];
    expect(refusal(() => ANNOUNCEMENT.parse(edited(numericBytes, toHex(second), notOnCurve)))).toMatchObject({
      path: 'event.nonces[1]',
      offset: EVENT + 2 + first.length,
    });
  });

  it('strings that are not UTF-8, or not in normalization form C', () => {
    const renamed = (hex: string) => {
      const bytes = edited(announcementBytes, `03${text('yes')}`, hex);
      // Two bytes longer or none: the records' lengths stand in single bytes.
      const grown = bytes.length - announcementBytes.length;
      for (const at of [3, EVENT - 1, EVENT + 2 + 32 + 4 + 3]) bytes[at] = (bytes[at] as number) + grown;
      return refusal(() => ANNOUNCEMENT.parse(bytes));
    };
    expect(renamed('03ff6573')).toMatchObject({ path: 'event.descriptor.outcomes[0]' });
    expect(renamed('03eda080')).toMatchObject({ message: expect.stringContaining('UTF-8') });
    expect(renamed(`05${text('yé'.normalize('NFD'))}73`)).toMatchObject({ message: expect.stringContaining('NFC') });
    expect(textProblem(`e${'\u0301'.repeat(31)}`)).toMatch(/31|30/);
    expect(textProblem('\ud800')).toMatch(/surrogate/);
    // A byte order mark is a character like others.
    expect(textProblem('\ufeffa')).toBeNull();
  });

  it('booleans that are neither 0 nor 1, sizes that could be shorter', () => {
    expect(
      refusal(() =>
        ACCEPT.parse(
          edited(acceptBytes, `${toHex(accept.refundSignature)}00`, `${toHex(accept.refundSignature)}02`),
          'tagged',
        ),
      ),
    ).toMatchObject({
      path: 'negotiation_fields',
      offset: acceptBytes.length - 1,
    });
    const digits = edited(numericBytes, 'fdd80a0d0002000355534400000000', 'fdd80a0d0002020355534400000000');
    expect(refusal(() => ANNOUNCEMENT.parse(digits))).toMatchObject({ path: 'event.descriptor.is_signed' });
    expect(
      offerRefusal(
        edited(
          offerBytes,
          `03${'05'}${text('heads')}${'00000000000186a0'}`,
          `fd0003${'05'}${text('heads')}${'00000000000186a0'}`,
        ),
      ),
    ).toMatchObject({
      path: 'contract_info.cases[0].descriptor.payouts',
      message: expect.stringContaining('shortest form'),
    });
    for (const size of ['fdfc00', 'fe0000ffff', 'ff00000000ffffffff'])
      expect(offerRefusal(fromHex(`${toHex(offerBytes)}${size}`))).toMatchObject({ path: 'tlvs' });
  });

  it('counts that the bytes cannot hold, before anything is made of them', () => {
    const payouts = `03${'05'}${text('heads')}${'00000000000186a0'}`;
    for (const count of ['fe00ffffff', 'ffffffffffffffffff', 'fdffff'])
      expect(offerRefusal(edited(offerBytes, payouts, `${count}${payouts.slice(2)}`))).toMatchObject({
        path: 'contract_info.cases[0].descriptor.payouts',
        message: expect.stringContaining('follow'),
      });
    expect(offerRefusal(edited(offerBytes, outcomes, `ffff${outcomes.slice(4)}`))).toMatchObject({
      path: 'contract_info.cases[0].oracle_info.announcement.event.descriptor.outcomes',
    });
    const signatures = toHex(accept.cetAdaptorSignatures);
    expect(
      refusal(() => ACCEPT.parse(edited(acceptBytes, `03${signatures}`, `04${signatures}`), 'tagged')),
    ).toMatchObject({
      path: 'cet_adaptor_signatures',
    });
  });

  it('records that are shorter or longer than their fields', () => {
    const shorter = Uint8Array.from(announcementBytes);
    shorter[3] = (shorter[3] as number) - 1;
    expect(refusal(() => ANNOUNCEMENT.parse(shorter)).message).toMatch(/follow/);
    const longer = fromHex(`${toHex(announcementBytes)}00`);
    longer[3] = (longer[3] as number) + 1;
    expect(refusal(() => ANNOUNCEMENT.parse(longer))).toMatchObject({
      message: expect.stringContaining('1 bytes more'),
    });
  });

  it('as many nonces as the event has signatures', () => {
    const nonces = numericAnnouncement.event.nonces.map(toHex);
    const bytes = edited(numericBytes, `0003${nonces.join('')}`, `0002${nonces.slice(0, 2).join('')}`);
    for (const at of [3, EVENT - 1]) bytes[at] = (bytes[at] as number) - 32;
    expect(refusal(() => ANNOUNCEMENT.parse(bytes))).toMatchObject({
      path: 'event.nonces',
      message: expect.stringContaining('attested by 3 signatures'),
    });
  });

  it('an input that is another contract’s funding output', () => {
    const { redeemScript, previousVout, sequence, maxWitnessLength } = offer.party.fundingInputs[0]!;
    expect(redeemScript).toHaveLength(0);
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
    const tail = `${hex(previousVout, 8)}${hex(sequence, 8)}${hex(maxWitnessLength, 4)}0000`;
    const contractInput = `01${toHex(offer.party.fundingPublicKey)}${toHex(accept.party.fundingPublicKey)}${'11'.repeat(32)}`;
    expect(offerRefusal(edited(offerBytes, `${tail}00`, `${tail}${contractInput}`))).toMatchObject({
      path: 'funding_inputs[0].dlc_input',
      message: expect.stringContaining('not supported'),
    });
  });

  it('negotiation fields within negotiation fields within negotiation fields', () => {
    const deep = (levels: number) => fromHex(`${toHex(acceptBytes).slice(0, -2)}01${'0101'.repeat(levels)}0000`);
    expect(ACCEPT.parse(deep(1), 'tagged').negotiationFields).toEqual({
      kind: 'disjoint',
      fields: [{ kind: 'single', roundingIntervals: [] }],
    });
    expect(refusal(() => ACCEPT.parse(deep(2), 'tagged')).path).toBe('negotiation_fields.fields[0].type');
    expect(refusal(() => ACCEPT.parse(deep(500_000), 'tagged')).path).toBe('negotiation_fields.fields[0].type');
  });

  it('what is no message at all', () => {
    for (const bytes of [
      new Uint8Array(0),
      fromHex('a7'),
      fromHex('a7f8'),
      fromHex('fdd825'),
      fromHex('d824'),
      fromHex('fd'),
    ])
      expect(refusal(() => readMessageType(bytes)).path).toBe('type');
    expect(refusal(() => describeMessage(announcementBytes.subarray(EVENT - 4), 'tagged')).message).toMatch(
      /oracle event/,
    );
  });
});

describe('attestations', () => {
  it('are read with and without the count of outcomes that dlcspecs does not have', () => {
    const uncounted = ATTESTATION.serialize(attestation, 'dlcspecs-vectors');
    expect(uncounted).toHaveLength(attestationBytes.length - 2);
    for (const bytes of [uncounted, attestationBytes])
      for (const dialect of ['tagged', 'dlcspecs-vectors'] as const)
        expect(ATTESTATION.parse(bytes, dialect)).toEqual(attestation);
  });

  it('have an outcome for each signature', () => {
    expect(() => ATTESTATION.serialize({ ...attestation, outcomes: [] })).toThrow(/outcomes/);
    const bytes = edited(attestationBytes, `0001${'03'}${text('yes')}`, `0002${'03'}${text('yes')}`);
    expect(refusal(() => ATTESTATION.parse(bytes))).toMatchObject({ path: 'outcomes' });
  });
});

describe('what does not fit a field is refused by name, never cut', () => {
  it.each([
    ['fee_rate_per_vb', { ...offer, feeRateSatVb: 1n << 64n }],
    ['fund_output_serial_id', { ...offer, fundOutputSerialId: -1n }],
    ['cet_locktime', { ...offer, cetLocktime: 2 ** 32 }],
    ['refund_locktime', { ...offer, refundLocktime: 1.5 }],
    ['contract_flags', { ...offer, contractFlags: 256 }],
    ['chain_hash', { ...offer, chainHash: new Uint8Array(31) }],
    ['payout_spk', { ...offer, party: { ...offer.party, payoutScript: new Uint8Array(65_536) } }],
  ])('%s', (field, wrong) => {
    expect(() => OFFER.serialize(wrong, 'tagged')).toThrow(
      expect.objectContaining({ code: 'invalid_value', details: expect.objectContaining({ field }) }),
    );
  });

  it('signatures that are not whole, strings that are not normal', () => {
    expect(() => ACCEPT.serialize({ ...accept, cetAdaptorSignatures: new Uint8Array(161) }, 'tagged')).toThrow(
      DomainError,
    );
    const event = { ...announcement.event, eventId: 'e\u0301' };
    expect(() => ANNOUNCEMENT.serialize({ ...announcement, event })).toThrow(/event_id: is not in Unicode/);
  });

  it('hyperbola parameters that are no doubles, or need more than 16 bits behind the point', () => {
    const withA = (a: { negative: boolean; magnitude: bigint; fractionBits: number }) => {
      const zero = { negative: false, magnitude: 0n, fractionBits: 0 };
      const info = priceInfo(100_000n, 3);
      const [only] = info.cases;
      if (only?.descriptor.kind !== 'numeric') throw new TypeError('a price is numeric');
      const { payoutFunction } = only.descriptor;
      const curve = {
        kind: 'hyperbola' as const,
        usePositivePiece: true,
        translateOutcome: zero,
        translatePayout: zero,
        a,
        b: zero,
        c: zero,
        d: zero,
      };
      const pieces = payoutFunction.pieces.map((piece) => ({ ...piece, curve }));
      const descriptor = { ...only.descriptor, payoutFunction: { ...payoutFunction, pieces } };
      return { ...offer, contractInfo: { ...info, cases: [{ ...only, descriptor }] } };
    };
    const third = withA({ negative: false, magnitude: (1n << 54n) + 1n, fractionBits: 16 });
    expect(() => OFFER.serialize(third, 'tagged')).toThrow(/not exactly a double/);
    expect(OFFER.serialize(third, 'dlcspecs-vectors')).toHaveLength(
      OFFER.serialize(withA(binaryFraction(-2.5)), 'tagged').length + 6 * 3 - offer.party.fundingInputs.length,
    );
    const tenth = withA(binaryFraction(0.1));
    expect(OFFER.parse(OFFER.serialize(tenth, 'tagged'), 'tagged')).toEqual(tenth);
    expect(() => OFFER.serialize(tenth, 'dlcspecs-vectors')).toThrow(/16 bits/);
    for (const value of [
      '7ff0000000000000',
      '7ff8000000000001',
      '0000000000000001',
      '7fefffffffffffff',
      '4800000000000000',
    ])
      expect(
        offerRefusal(edited(OFFER.serialize(withA(binaryFraction(-2.5)), 'tagged'), 'c004000000000000', value)),
      ).toMatchObject({ path: 'contract_info.cases[0].descriptor.payout_function.pieces[0].curve.a' });
  });

  it('contract ids of what is none', () => {
    const id = new Uint8Array(32);
    expect(() => contractIdOf('00', 0, id)).toThrow(TypeError);
    expect(() => contractIdOf('00'.repeat(32), 65_536, id)).toThrow(TypeError);
    expect(() => contractIdOf('00'.repeat(32), 0, id.subarray(1))).toThrow(TypeError);
    expect(toHex(contractIdOf('ff'.repeat(32), 0x0102, id))).toBe(`${'ff'.repeat(30)}fefd`);
  });
});

describe('large messages', () => {
  it('keep 30,000 adaptor signatures as one view of the bytes', () => {
    const cetAdaptorSignatures = new Uint8Array(30_000 * 162).fill(3);
    const bytes = SIGN.serialize({ ...sign, cetAdaptorSignatures }, 'tagged');
    const parsed = SIGN.parse(bytes, 'tagged');
    expect(parsed.cetAdaptorSignatures.buffer).toBe(bytes.buffer);
    expect(parsed.cetAdaptorSignatures).toHaveLength(cetAdaptorSignatures.length);
    expect(toHex(SIGN.serialize(parsed, 'tagged'))).toBe(toHex(bytes));
  });

  it('cost work that grows as they do', () => {
    const work = (outcomes: number): number => {
      const names = Array.from({ length: outcomes }, (_, at) => `outcome ${String(at).padStart(5, '0')}`);
      const many = { ...announcement, event: { ...announcement.event, descriptor: enumEvent(...names) } };
      const bytes = ANNOUNCEMENT.serialize(many);
      const spies = (['u8', 'u16', 'u32', 'u64', 'take', 'bigSize', 'text', 'within', 'xOnlyPoint'] as const).map(
        (name) => vi.spyOn(MessageReader.prototype, name),
      );
      expect(ANNOUNCEMENT.parse(bytes)).toEqual(many);
      const calls = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      vi.restoreAllMocks();
      return calls;
    };
    const [one, two, four] = [work(2_000), work(4_000), work(8_000)];
    expect(two - one).toBeGreaterThan(2_000);
    expect(four - two).toBe(2 * (two - one));
  });

  it('do not sort marks for long', () => {
    // Marks of falling classes, which normalization would sort: quadratic where a thousand stand in a row.
    const marks = `a${'\u0301'.repeat(1000)}${'\u0323'.repeat(1000)}`;
    const normalize = vi.spyOn(String.prototype, 'normalize');
    expect(textProblem(marks)).toMatch(/combining marks/);
    expect(normalize).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('hold a bounded number of elements and of points', () => {
    const manyElements = { ...sign, fundingSignatures: [Array.from({ length: 150_001 }, () => new Uint8Array(0))] };
    expect(refusal(() => SIGN.parse(SIGN.serialize(manyElements, 'tagged'), 'tagged'))).toMatchObject({
      path: 'funding_signatures[0].witness',
      message: expect.stringContaining('150000'),
    });
    const nonce = announcement.event.nonces[0]!;
    const manyPoints = {
      ...announcement,
      event: {
        ...announcement.event,
        descriptor: digitsEvent(10_000),
        nonces: Array.from({ length: 10_000 }, () => nonce),
      },
    };
    expect(refusal(() => ANNOUNCEMENT.parse(ANNOUNCEMENT.serialize(manyPoints)))).toMatchObject({
      path: 'event.nonces[9999]',
      message: expect.stringContaining('10000 points'),
    });
  });

  it('are read from the middle of a larger buffer as from their own', () => {
    const around = new Uint8Array(signBytes.length + 20);
    around.set(signBytes, 7);
    expect(SIGN.parse(around.subarray(7, 7 + signBytes.length), 'tagged')).toEqual(sign);
  });
});
