/** An oracle that announces last: its nonce cancels out what an honest one will attest of an outcome. */
import { serializeOracleEvent } from '../../src/core/dlc/messages/announcement.ts';
import { signAnnouncement } from '../../src/core/dlc/oracle/announcements.ts';
import { attestationPoint } from '../../src/core/dlc/oracle/attestations.ts';
import { attestationHash } from '../../src/core/dlc/oracle/message-hash.ts';
import type { OracleAnnouncement } from '../../src/core/dlc/oracle-event.ts';
import { taggedHash } from '../../src/core/hashes.ts';
import { ecc } from '../../src/core/keys/ecc.ts';
import { enumEvent, fixedBytes, secretOf } from './dlc-oracle.ts';

const ONE = Uint8Array.from([...new Uint8Array(31), 1]);

export interface RogueOracle {
  readonly announcement: OracleAnnouncement;
  /** Of the sum of both oracles' points of the outcome: opens the CET without either. */
  readonly scalar: Uint8Array;
  /** That the nonce would be of, were it not for the other oracle. */
  readonly secret: Uint8Array;
}

/** Of the honest oracle's event, for one of its outcomes. */
export function rogueOracle(honest: OracleAnnouncement, outcomes: readonly string[], outcome: string): RogueOracle {
  const key = evenOf('rogue key');
  const publicKey = ecc.xOnlyPointFromScalar(key);
  const theirs = attestationPoint(honest.publicKey, honest.event.nonces[0]!, outcome, 'tagged');
  const cancelling = ecc.pointMultiply(theirs, ecc.privateNegate(ONE), true)!;
  for (let attempt = 0; ; attempt++) {
    const secret = secretOf(`rogue nonce ${attempt}`);
    const nonce = ecc.pointAddScalar(cancelling, secret, true)!;
    if (nonce[0] !== 2) continue;
    const event = {
      nonces: [nonce.subarray(1)],
      maturityEpoch: honest.event.maturityEpoch,
      descriptor: enumEvent(...outcomes),
      eventId: 'rogue',
    };
    const signature = signAnnouncement(key, serializeOracleEvent(event), 'tagged', { randomBytes: fixedBytes });
    const challenge = taggedHash('BIP0340/challenge')(event.nonces[0]!, publicKey, attestationHash(outcome, 'tagged'));
    const scalar = ecc.privateAdd(secret, ecc.privateMultiply(key, challenge, fixedBytes))!;
    return { announcement: { signature, publicKey, event }, scalar, secret };
  }
}

/** A private key whose point has an even y. */
function evenOf(seed: string): Uint8Array {
  const key = secretOf(seed);
  return ecc.pointFromScalar(key, true)![0] === 2 ? key : ecc.privateNegate(key);
}
