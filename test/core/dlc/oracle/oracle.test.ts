import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decryptSignature } from '../../../../src/core/dlc/adaptor-signatures/decrypt-signature.ts';
import { encryptSign } from '../../../../src/core/dlc/adaptor-signatures/encrypt-sign.ts';
import { DIALECTS } from '../../../../src/core/dlc/dialect.ts';
import { signAnnouncement, verifyAnnouncement } from '../../../../src/core/dlc/oracle/announcements.ts';
import {
  attestationPoint,
  attestationProblem,
  attestationScalar,
  equivocation,
  signAttestation,
  sumPoints,
  sumScalars,
  verifyAttestation,
  verifyAttestationSignature,
} from '../../../../src/core/dlc/oracle/attestations.ts';
import { announcementHash, attestationHash } from '../../../../src/core/dlc/oracle/message-hash.ts';
import { signaturePoint, signWithNonce, verifySignature } from '../../../../src/core/dlc/oracle/schnorr.ts';
import type { OracleAnnouncement, OracleAttestation } from '../../../../src/core/dlc/oracle-event.ts';
import { scalarBytes } from '../../../../src/core/keys/scalars.ts';
import { bytes, vectorRows } from '../../../vectors/rows.ts';
import { arbitraryHash, arbitraryScalar, CURVES } from '../curves.ts';
import { hex } from '../hex.ts';
import { contractVectors } from '../messages/contract-vectors.ts';

const randomBytes = (size: number): Uint8Array => new Uint8Array(size).fill(5);

describe('signatures of dlcspecs', () => {
  it.each(CURVES)('are made, and their points foretold (%s)', (_, ecc) => {
    for (const row of vectorRows('dlc-oracle-signatures')) {
      const [secret = '', nonce = '', message = '', publicKey = '', publicNonce = '', signature, point] = row;
      const hash = bytes(message);
      expect(hex(ecc.xOnlyPointFromScalar(bytes(secret)))).toBe(publicKey);
      const made = signWithNonce(hash, bytes(secret), bytes(nonce), { ecc, randomBytes });
      expect(hex(made)).toBe(signature);
      expect(verifySignature(hash, bytes(publicKey), made, ecc)).toBe(true);
      expect(hex(signaturePoint(hash, bytes(publicKey), bytes(publicNonce), ecc))).toBe(point);
      expect(hex(ecc.pointFromScalar(attestationScalar(made)))).toBe(point);
    }
  });
});

describe('texts of dlcspecs', () => {
  it('are hashed alike in every form', () => {
    for (const [normalized = '', hash, ...forms] of vectorRows('dlc-texts')) {
      const texts = forms.map((form) => Buffer.from(form, 'hex').toString());
      for (const text of texts) {
        expect(Buffer.from(text.normalize('NFC')).toString('hex')).toBe(normalized);
        expect(hex(attestationHash(text, 'dlcspecs-vectors'))).toBe(hash);
      }
      const tag = createHash('sha256').update('DLC/oracle/attestation/v0').digest();
      const tagged = createHash('sha256').update(tag).update(tag).update(Buffer.from(normalized, 'hex')).digest('hex');
      expect(hex(attestationHash(texts[0] as string, 'tagged'))).toBe(tagged);
    }
  });
});

describe('announcements of the full contract vectors', () => {
  it.each(contractVectors())('$name', ({ offer }) => {
    const events = eventsWithin(bytes(offer.serialized));
    expect(events.length).toBeGreaterThan(0);
    for (const { signature, publicKey, event } of events) {
      expect(verifyAnnouncement(signature, publicKey, event, 'dlcspecs-vectors')).toBe(true);
      expect(verifyAnnouncement(signature, publicKey, event, 'tagged')).toBe(false);
      const edited = Uint8Array.from(event);
      edited[edited.length - 1]! ^= 1;
      expect(verifyAnnouncement(signature, publicKey, edited, 'dlcspecs-vectors')).toBe(false);
    }
  });
});

/** Announcement TLVs (55332 = fdd824) wherever they stand: signature, key and the event's TLV (55330) follow. */
function eventsWithin(message: Uint8Array) {
  const found: { signature: Uint8Array; publicKey: Uint8Array; event: Uint8Array }[] = [];
  const text = Buffer.from(message);
  for (let at = text.indexOf('fdd824', 0, 'hex'); at !== -1; at = text.indexOf('fdd824', at + 3, 'hex')) {
    const start = at + (text[at + 3] === 0xfd ? 6 : 4);
    const event = start + 96;
    if (text.subarray(event, event + 3).toString('hex') !== 'fdd822') continue;
    const long = text[event + 3] === 0xfd;
    const end = event + (long ? 6 + text.readUInt16BE(event + 4) : 4 + (text[event + 3] as number));
    found.push({
      signature: message.slice(start, start + 64),
      publicKey: message.slice(start + 64, event),
      event: message.slice(event, end),
    });
  }
  return found;
}

describe('announcements', () => {
  it('hold in their own dialect alone', () => {
    const key = scalarBytes(21n);
    const event = Uint8Array.of(0xfd, 0xd8, 0x22, 3, 1, 2, 3);
    const publicKey = CURVES[0]![1].xOnlyPointFromScalar(key);
    for (const dialect of DIALECTS) {
      const signature = signAnnouncement(key, event, dialect, { randomBytes });
      for (const other of DIALECTS) {
        expect(verifyAnnouncement(signature, publicKey, event, other)).toBe(dialect === other);
      }
      expect(verifyAnnouncement(signature.subarray(1), publicKey, event, dialect)).toBe(false);
    }
  });

  it('are hashed with type and length, or without, however long the length is written', () => {
    const body = new Uint8Array(300).fill(4);
    const long = Uint8Array.of(0xfd, 0xd8, 0x22, 0xfd, 1, 44, ...body);
    const plain = createHash('sha256').update(body).digest('hex');
    expect(hex(announcementHash(long, 'dlcspecs-vectors'))).toBe(plain);
    expect(hex(announcementHash(long, 'tagged'))).not.toBe(plain);
  });
});

describe.each(CURVES)('attestations (%s)', (_, ecc) => {
  const outcome = fc.string({ unit: 'grapheme', minLength: 0, maxLength: 12 });

  it('have the point that was foretold, and open what is encrypted under the sum of such points', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(arbitraryScalar, arbitraryScalar, outcome), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...DIALECTS),
        arbitraryScalar,
        arbitraryHash,
        (oracles, dialect, key, hash) => {
          const made = oracles.map(([secret, nonce, text]) => {
            const [publicKey, publicNonce] = [ecc.xOnlyPointFromScalar(secret), ecc.xOnlyPointFromScalar(nonce)];
            const signature = signAttestation(secret, nonce, text, dialect, { ecc, randomBytes });
            expect(hex(signature.subarray(0, 32))).toBe(hex(publicNonce));
            expect(verifyAttestationSignature(signature, publicKey, text, dialect)).toBe(true);
            expect(verifyAttestationSignature(signature, publicKey, `${text}x`, dialect)).toBe(false);
            const point = attestationPoint(publicKey, publicNonce, text, dialect, ecc);
            expect(hex(ecc.pointFromScalar(attestationScalar(signature)))).toBe(hex(point));
            return { signature, point };
          });
          const point = sumPoints(
            made.map((one) => one.point),
            ecc,
          );
          const scalar = sumScalars(
            made.map((one) => attestationScalar(one.signature)),
            ecc,
          );
          expect(hex(ecc.pointFromScalar(scalar))).toBe(hex(point));
          const encrypted = encryptSign(hash, key, point, { ecc, randomBytes });
          const publicKey = ecc.pointFromScalar(key) as Uint8Array;
          expect(ecc.verifyEcdsa(hash, publicKey, decryptSignature(encrypted, scalar))).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('an attestation of an announced event', () => {
  const [, ecc] = CURVES[0]!;
  const tools = { randomBytes };
  const key = scalarBytes(1001n);
  const nonces = [2001n, 2002n, 2003n].map(scalarBytes);
  const publicKey = ecc.xOnlyPointFromScalar(key);
  const announcement: OracleAnnouncement = {
    signature: new Uint8Array(64),
    publicKey,
    event: {
      nonces: nonces.map((nonce) => ecc.xOnlyPointFromScalar(nonce)),
      maturityEpoch: 1,
      descriptor: { kind: 'digits', base: 2, signed: true, unit: 'usd', precision: 0, digits: 2 },
      eventId: 'price',
    },
  };
  const attest = (outcomes: readonly string[], by = key): OracleAttestation => ({
    eventId: 'price',
    publicKey: ecc.xOnlyPointFromScalar(by),
    outcomes,
    signatures: outcomes.map((text, at) => signAttestation(by, nonces[at] as Uint8Array, text, 'tagged', tools)),
  });
  const good = attest(['+', '1', '0']);

  it('is told from every other', () => {
    const problem = (attestation: OracleAttestation) => attestationProblem(attestation, announcement, 'tagged');
    expect(problem(good)).toBeNull();
    expect(problem({ ...good, eventId: '' })).toBeNull();
    expect(verifyAttestation(good, announcement, 'tagged')).toBe(true);
    expect(verifyAttestation(good, announcement, 'dlcspecs-vectors')).toBe(false);
    expect(problem(attest(['+', '1', '0'], scalarBytes(1002n)))).toBe('other_oracle');
    expect(problem({ ...good, eventId: 'weather' })).toBe('other_event');
    expect(problem(attest(['+', '1']))).toBe('signature_count');
    expect(problem({ ...good, outcomes: ['+', '1'] })).toBe('signature_count');
    for (const outcomes of [
      ['0', '1', '0'],
      ['+', '2', '0'],
      ['+', '01', '0'],
      ['+', '+', '0'],
      ['+', '', '0'],
    ]) {
      expect(problem(attest(outcomes))).toBe('no_such_outcome');
    }
    const [first, second, third] = good.signatures as [Uint8Array, Uint8Array, Uint8Array];
    expect(problem({ ...good, signatures: [first, third, second] })).toBe('other_nonce');
    expect(problem({ ...good, outcomes: ['-', '1', '0'] })).toBe('invalid_signature');
  });

  it('is proof with another that says otherwise', () => {
    expect(equivocation(good, attest(['+', '0', '0']))).toEqual([1]);
    expect(equivocation(good, attest(['-', '1', '1']))).toEqual([0, 2]);
    expect(equivocation(good, good)).toEqual([]);
    expect(equivocation(good, { ...attest(['-', '1', '1']), publicKey: new Uint8Array(32) })).toEqual([]);
  });
});
