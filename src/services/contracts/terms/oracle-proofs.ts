/** What is known of several oracles that decide together: do they prove their nonces, were they known before (docs/decisions/1215)? */
import { decidingTogether, judgeOracles } from '../../../core/dlc/contract/oracle-proof.ts';
import type { ContractInfo } from '../../../core/dlc/contract-info.ts';
import type { OfferMessage } from '../../../core/dlc/dlc-messages.ts';
import { isSameEvent } from '../../../core/dlc/messages/announcement.ts';
import {
  type NonceProofs,
  nonceProofsIn,
  parseNonceProofs,
  serializeNonceProofs,
} from '../../../core/dlc/messages/nonce-proofs.ts';
import { nonceProofs } from '../../../core/dlc/oracle/nonce-proofs.ts';
import type { OracleAnnouncement } from '../../../core/dlc/oracle-event.ts';
import type { AccountId } from '../../../core/ids.ts';
import { inSlices } from '../../../scheduling/in-slices.ts';
import type { OracleEventRecord } from '../../../store/repositories/oracle-events.ts';
import type { Repositories } from '../../../store/store.ts';
import { announcementOf, SIGNATURES_AT_ONCE } from '../../oracles/stored-announcement.ts';
import type { StoredAnnouncement } from './contract-events.ts';

export interface OracleProofs {
  readonly judged: ReturnType<typeof judgeOracles>;
  /** Those that hold, by position among the announcements of the contract info. */
  readonly proofs: NonceProofs;
}

type Reading = Pick<Repositories, 'oracles' | 'oracleEvents'>;

/** Of an offer from elsewhere: by the proofs that it brings, and by what the account knows, where one asks. The offer has passed its checks. */
export async function proofsOfOffer(
  { contractInfo, tlvs }: OfferMessage,
  account: { readonly read: Reading; readonly accountId: AccountId } | null,
): Promise<OracleProofs> {
  const together = decidingTogether(contractInfo);
  const [proofs, known] = [new Map<number, readonly Uint8Array[]>(), new Set<number>()];
  const given: NonceProofs = together.length > 0 ? nonceProofsIn(tlvs) : new Map();
  for (const { position, announcement } of together) {
    const event = account && (await knownEvent(account, announcement));
    const proof = given.get(position) ?? proofOf(event);
    const holds = proof !== null && (await inSlices(nonceProofs(announcement, proof), SIGNATURES_AT_ONCE));
    if (holds) proofs.set(position, proof);
    if (event && event.knownAt !== null) known.add(position);
  }
  return { judged: judgeOracles(together, { proven: new Set(proofs.keys()), known }), proofs };
}

/** Of events that the account has, for a contract that it asked for at `askedAt` (epoch milliseconds). */
export function proofsOfEvents(
  info: ContractInfo,
  announced: readonly StoredAnnouncement[],
  askedAt: number,
): OracleProofs {
  const together = decidingTogether(info);
  const [proofs, known] = [new Map<number, readonly Uint8Array[]>(), new Set<number>()];
  for (const { position } of together) {
    const { event } = announced[position] as StoredAnnouncement;
    const proof = proofOf(event);
    if (proof !== null) proofs.set(position, proof);
    if (event.knownAt !== null && event.knownAt <= askedAt) known.add(position);
  }
  return { judged: judgeOracles(together, { proven: new Set(proofs.keys()), known }), proofs };
}

/** As an event keeps it. */
export const keptProof = (proofs: NonceProofs, position: number): string | null => {
  const proof = proofs.get(position);
  return proof === undefined ? null : Buffer.from(serializeNonceProofs(new Map([[0, proof]]))).toString('hex');
};

/** The TLV stream of an offer. */
export const proofsRecord = (proofs: NonceProofs): Uint8Array =>
  proofs.size === 0 ? new Uint8Array(0) : serializeNonceProofs(proofs);

const proofOf = (event: OracleEventRecord | null): readonly Uint8Array[] | null =>
  event?.proof ? (parseNonceProofs(Buffer.from(event.proof, 'hex')).get(0) ?? null) : null;

async function knownEvent(
  { read, accountId }: { readonly read: Reading; readonly accountId: AccountId },
  announcement: OracleAnnouncement,
): Promise<OracleEventRecord | null> {
  const oracle = await read.oracles.findByPublicKey(accountId, Buffer.from(announcement.publicKey).toString('hex'));
  const event = oracle && (await read.oracleEvents.find(accountId, oracle.oracleId, announcement.event.eventId));
  return event && isSameEvent(announcementOf(event), announcement) ? event : null;
}
