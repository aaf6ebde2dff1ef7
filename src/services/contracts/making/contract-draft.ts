/** What a contract that is made comes to before its parties sign: the offer, the accepter's part as it is committed to, the record. */

import type { AcceptMessage, ContractParty, OfferMessage } from '../../../core/dlc/dlc-messages.ts';
import { MAX_MESSAGE_BYTES } from '../../../core/dlc/messages/message-size.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId, ContractId } from '../../../core/ids.ts';
import type { WalletRecord } from '../../../store/records.ts';
import type { ContractRecord, ContractRole, ContractSide } from '../../../store/repositories/contract-rows.ts';
import type { ContractRequest } from '../contract-service.ts';
import { NEW_CONTRACT_FIELDS } from '../new-contract-fields.ts';
import type { StoredAnnouncement } from '../terms/contract-events.ts';
import type { Locktimes } from '../terms/locktimes.ts';
import { contractInfo, type ResolvedTerms } from '../terms/resolve-terms.ts';

const NOTHING = new Uint8Array(0);
/** dlcspecs' tlvs, signatures that are still to be made. */
const NO_SIGNATURE = new Uint8Array(64);

export interface Plan extends Locktimes {
  /** Epoch milliseconds. */
  readonly askedAt: number;
  readonly request: ContractRequest;
  readonly accountId: AccountId;
  readonly role: ContractRole;
  readonly terms: ResolvedTerms;
  readonly feeRateSatVb: bigint;
  readonly tipHeight: number;
  readonly wallets: { readonly offer: WalletRecord; readonly accept: WalletRecord | null };
}

/** Nobody could take it. Most of it is the terms, or the transactions that made the coins. */
export function refuseOversized({ length }: Uint8Array, { fundingInputs }: ContractParty): void {
  if (length <= MAX_MESSAGE_BYTES) return;
  const coinBytes = fundingInputs.reduce((sum, { previousTransaction }) => sum + previousTransaction.length, 0);
  const [field, why] =
    coinBytes > length / 2
      ? ['wallet_id', 'the transactions that made its coins are large: consolidate the wallet first']
      : ['oracles', 'its outcomes and announcements are long: take fewer or shorter ones'];
  throw new DomainError(
    'too_large',
    `the offer message would have ${length} bytes, and ${MAX_MESSAGE_BYTES} are taken at most; ${why}`,
    { field },
  );
}

interface OfferParts {
  readonly party: ContractParty;
  readonly temporary: Uint8Array;
  readonly chainHash: Uint8Array;
  readonly fundOutputSerialId: bigint;
  readonly tlvs: Uint8Array;
}

export function offerOf(
  { terms, feeRateSatVb, cetLocktime, refundLocktime }: Plan,
  announced: readonly StoredAnnouncement[],
  { party, temporary, chainHash, fundOutputSerialId, tlvs }: OfferParts,
): OfferMessage {
  return {
    protocolVersion: 1,
    contractFlags: 0,
    chainHash,
    temporaryContractId: temporary,
    contractInfo: contractInfo(
      terms,
      announced.map(({ announcement }) => announcement),
    ),
    party,
    fundOutputSerialId,
    feeRateSatVb,
    cetLocktime,
    refundLocktime,
    tlvs,
  };
}

/** The accepter's part as it is committed to; its signatures are still to be made. */
export function draftAccept(offer: OfferMessage, party: ContractParty): AcceptMessage {
  return {
    protocolVersion: 1,
    temporaryContractId: offer.temporaryContractId,
    party,
    cetAdaptorSignatures: NOTHING,
    refundSignature: NO_SIGNATURE,
    negotiationFields: null,
    tlvs: NOTHING,
  };
}

export function recordOf(
  { request, accountId, role, terms, feeRateSatVb, cetLocktime, refundLocktime }: Plan,
  announced: readonly StoredAnnouncement[],
  parts: {
    contractId: ContractId;
    offerId: string;
    oracleProof: ContractRecord['oracleProof'];
    temporaryContractId: string;
    offerSide: ContractSide;
    acceptSide: ContractSide | null;
    waiting: Pick<ContractRecord, 'status' | 'approvalId'> | null;
    now: number;
  },
): ContractRecord {
  const { contractId, offerId, oracleProof, temporaryContractId, offerSide, acceptSide, waiting, now } = parts;
  const remote = request.counterparty && 'mode' in request.counterparty ? request.counterparty : null;
  return {
    contractId,
    accountId,
    externalId: request.externalId ?? null,
    status: 'offered',
    role,
    dialect: terms.dialect,
    oracleIds: announced.map(({ event }) => event.oracleId),
    eventIds: announced.map(({ event }) => event.eventId),
    threshold: terms.threshold,
    ...terms.written,
    collateralSats: terms.collateralSats,
    offerCollateralSats: terms.offerCollateralSats,
    feeRateSatVb,
    cetLocktime,
    refundLocktime,
    offerSide,
    acceptSide,
    offerId,
    oracleProof,
    temporaryContractId,
    ...NEW_CONTRACT_FIELDS,
    ...waiting,
    expiresAt: remote?.expiresAt ?? null,
    createdAt: now,
    updatedAt: now,
  };
}
