/** The text of an attestation's approval: everything that the oracle signs, and what the announcement says about it. */
import { hex } from '../bytes.ts';
import { parseAnnouncement, serializeOracleEvent } from '../dlc/messages/announcement.ts';
import { describeAnnouncement } from '../dlc/messages/describe-oracle.ts';
import { verifyAnnouncement } from '../dlc/oracle/announcements.ts';
import { attestedOutcome, outcomesToAttest } from '../dlc/oracle/attested-outcomes.ts';
import { attestationHash } from '../dlc/oracle/message-hash.ts';

interface Attested {
  readonly oracle_id: string;
  /** TLV 55332, hex. */
  readonly announcement: string;
  readonly outcome: string;
}

/** `outcome` as it is attested: a number beyond the event's range is the nearest in it. Throws for an invalid announcement or outcome. */
export function attestationText({ oracle_id, announcement, outcome }: Attested) {
  const announced = parseAnnouncement(Buffer.from(announcement, 'hex'));
  const { signature, publicKey, event } = announced;
  if (!verifyAnnouncement(signature, publicKey, serializeOracleEvent(event), 'tagged'))
    throw new TypeError('the announcement is not signed by its oracle');
  const { oracle_public_key, event_id, maturity } = describeAnnouncement(announced);
  const outcomes = outcomesToAttest(event.descriptor, outcome);
  return {
    ...{ kind: 'attestation' as const, oracle_id, oracle_public_key, event_id, maturity, announcement },
    outcome: attestedOutcome(event.descriptor, outcomes),
    /** One for each nonce, x-only; `digest` is what is signed with it. */
    signatures: outcomes.map((text, at) => ({
      ...{ nonce: hex(event.nonces[at]!), outcome: text, digest: hex(attestationHash(text, 'tagged')) },
    })),
  };
}
