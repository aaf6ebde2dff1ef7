/** An oracle for tests: announces events and attests their outcomes, with keys and nonces out of its name. */
import { hash } from 'node:crypto';
import type { Dialect } from '../../src/core/dlc/dialect.ts';
import { noncesOf, serializeOracleEvent } from '../../src/core/dlc/messages/announcement.ts';
import { signAnnouncement } from '../../src/core/dlc/oracle/announcements.ts';
import { signAttestation } from '../../src/core/dlc/oracle/attestations.ts';
import type { EventDescriptor, OracleAnnouncement, OracleAttestation } from '../../src/core/dlc/oracle-event.ts';
import { ecc } from '../../src/core/keys/ecc.ts';
import { noteSecret } from '../secrets/collected.ts';

/** 32 bytes that `seed` always gives, noted as a secret. */
export function secretOf(seed: string): Uint8Array {
  const secret = Uint8Array.from(hash('sha256', `dlc test secret: ${seed}`, 'buffer'));
  noteSecret(`dlc key: ${seed}`, Buffer.from(secret).toString('hex'));
  return secret;
}

/** The same bytes as often as they are asked for: tests of messages want equal bytes, not unpredictable ones. */
export const fixedBytes = (length: number): Uint8Array => new Uint8Array(length).fill(7);

export const enumEvent = (...outcomes: string[]): EventDescriptor => ({ kind: 'enum', outcomes });

export const digitsEvent = (digits: number, signed = false): EventDescriptor => ({
  kind: 'digits',
  base: 2,
  signed,
  unit: 'USD',
  precision: 0,
  digits,
});

export interface TestOracle {
  /** x-only */
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
  /** Matures in 2023 unless said; the event's id is `eventId`. */
  announce(descriptor: EventDescriptor, eventId?: string, maturityEpoch?: number): OracleAnnouncement;
  /** An outcome for each nonce of an event that it announced: the outcome, or the digits (the sign first). */
  attest(announcement: OracleAnnouncement, outcomes: readonly string[]): OracleAttestation;
}

export function testOracle(name: string, dialect: Dialect = 'tagged'): TestOracle {
  const privateKey = secretOf(`oracle ${name}`);
  const publicKey = ecc.xOnlyPointFromScalar(privateKey);
  const nonceOf = (eventId: string, at: number) => secretOf(`oracle ${name}, ${eventId}, nonce ${at}`);
  return {
    publicKey,
    privateKey,
    announce(descriptor, eventId = 'event', maturityEpoch = 1_700_000_000) {
      const nonces = Array.from({ length: noncesOf(descriptor) }, (_, at) =>
        ecc.xOnlyPointFromScalar(nonceOf(eventId, at)),
      );
      const event = { nonces, maturityEpoch, descriptor, eventId };
      const tools = { randomBytes: fixedBytes };
      return { signature: signAnnouncement(privateKey, serializeOracleEvent(event), dialect, tools), publicKey, event };
    },
    attest({ event }, outcomes) {
      const signatures = outcomes.map((outcome, at) =>
        signAttestation(privateKey, nonceOf(event.eventId, at), outcome, dialect, { randomBytes: fixedBytes }),
      );
      return { eventId: event.eventId, publicKey, signatures, outcomes };
    },
  };
}

/** The digits, base 2, that stand for `value`; behind the sign where the event is signed. */
export function digitsOf(value: bigint, digits: number, signed = false): string[] {
  const magnitude = value < 0n ? -value : value;
  const binary = [...magnitude.toString(2).padStart(digits, '0')];
  return signed ? [value < 0n ? '-' : '+', ...binary] : binary;
}
