/** Oracles that others run, as far as a service sees them. */
import { createHash, randomBytes } from 'node:crypto';
import { serializeAnnouncement, serializeOracleEvent } from '../../src/core/dlc/messages/announcement.ts';
import { serializeAttestation } from '../../src/core/dlc/messages/attestation.ts';
import { signAnnouncement } from '../../src/core/dlc/oracle/announcements.ts';
import { signAttestation } from '../../src/core/dlc/oracle/attestations.ts';
import type { EventDescriptor, OracleEvent } from '../../src/core/dlc/oracle-event.ts';
import { ecc } from '../../src/core/keys/ecc.ts';

/** An oracle elsewhere, who keeps to nothing. */
export interface ForeignOracle {
  readonly publicKey: string;
  announce(descriptor: EventDescriptor, eventId?: string, maturityEpoch?: number): ForeignEvent;
}
export interface ForeignEvent {
  readonly event: OracleEvent;
  /** TLV. */
  readonly announcement: Uint8Array;
  readonly announcementSignature: Uint8Array;
  attest(...outcomes: string[]): Uint8Array;
  signatures(...outcomes: string[]): Uint8Array[];
}

let made = 0;
/** Of this process alone: a database that outlives it knows none of them. */
const run = randomBytes(16).toString('hex');
const scalar = (): Uint8Array => Uint8Array.from(createHash('sha256').update(`foreign ${run} ${made++}`).digest());
const tools = { randomBytes };

export function foreignOracle(): ForeignOracle {
  const key = scalar();
  const publicKey = ecc.xOnlyPointFromScalar(key);
  return {
    publicKey: Buffer.from(publicKey).toString('hex'),
    announce(descriptor, eventId = `event ${made}`, maturityEpoch = 1_000) {
      const count = descriptor.kind === 'enum' ? 1 : descriptor.digits + (descriptor.signed ? 1 : 0);
      const nonces = Array.from({ length: count }, scalar);
      const event = { nonces: nonces.map((one) => ecc.xOnlyPointFromScalar(one)), maturityEpoch, descriptor, eventId };
      const signature = signAnnouncement(key, serializeOracleEvent(event), 'tagged', tools);
      const signatures = (...outcomes: string[]) =>
        outcomes.map((outcome, at) => signAttestation(key, nonces[at] as Uint8Array, outcome, 'tagged', tools));
      return {
        event,
        announcement: serializeAnnouncement({ signature, publicKey, event }),
        announcementSignature: signature,
        signatures,
        attest: (...outcomes) =>
          serializeAttestation({ eventId, publicKey, signatures: signatures(...outcomes), outcomes }),
      };
    },
  };
}
