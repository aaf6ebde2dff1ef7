/** A contract's messages, read from the database, and what they come to. */
import { contractOf } from '../../core/dlc/contract/contract-of.ts';
import type { DlcContract } from '../../core/dlc/contract/dlc-contract.ts';
import type { AcceptMessage, OfferMessage, SignMessage } from '../../core/dlc/dlc-messages.ts';
import { parseAccept } from '../../core/dlc/messages/accept.ts';
import { parseOffer } from '../../core/dlc/messages/offer.ts';
import { parseSign } from '../../core/dlc/messages/sign.ts';
import type { Side } from '../../core/dlc/transactions/funding-coins.ts';
import type { ContractRecord } from '../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../store/store.ts';

export interface LoadedContract {
  readonly record: ContractRecord;
  readonly offer: OfferMessage;
  /** Without signatures (an empty list and zeros) as long as they are being made. */
  readonly accept: AcceptMessage;
  readonly contract: DlcContract;
}

type Reading = Pick<Repositories, 'contracts'>;

async function loadOffer(read: Reading, record: ContractRecord): Promise<OfferMessage> {
  return parseOffer(await messageOf(read, record, 'offer'), record.dialect);
}

/** Of a contract that both sides' parts are known of. */
export async function loadContract(read: Reading, record: ContractRecord): Promise<LoadedContract> {
  const offer = await loadOffer(read, record);
  const accept = parseAccept(await messageOf(read, record, 'accept'), record.dialect);
  return { record, offer, accept, contract: contractOf(offer, accept.party, record.dialect) };
}

async function loadSign(read: Reading, record: ContractRecord): Promise<SignMessage> {
  return parseSign(await messageOf(read, record, 'sign'), record.dialect);
}

/** As it is kept. */
export const offerBytes = (
  read: Reading,
  contract: Pick<ContractRecord, 'accountId' | 'contractId'>,
): Promise<Uint8Array> => messageOf(read, contract, 'offer');

/** Offer and accept as they are kept. */
export async function messageBytes(
  read: Reading,
  contract: Pick<ContractRecord, 'accountId' | 'contractId'>,
): Promise<{ offer: Uint8Array; accept: Uint8Array }> {
  return { offer: await messageOf(read, contract, 'offer'), accept: await messageOf(read, contract, 'accept') };
}

/** All three as they are kept, signatures and all. */
export async function signedMessageBytes(
  read: Reading,
  contract: Pick<ContractRecord, 'accountId' | 'contractId'>,
): Promise<{ offer: Uint8Array; accept: Uint8Array; sign: Uint8Array }> {
  return { ...(await messageBytes(read, contract)), sign: await messageOf(read, contract, 'sign') };
}

export interface SideSignatures {
  readonly cetAdaptorSignatures: Uint8Array;
  readonly refundSignature: Uint8Array;
}

/** What a side signed: the accepter in its accept message, the offerer in its sign message. */
export async function signaturesOf(read: Reading, loaded: LoadedContract, side: Side): Promise<SideSignatures> {
  return side === 'accept' ? loaded.accept : loadSign(read, loaded.record);
}

async function messageOf(
  read: Reading,
  { accountId, contractId }: Pick<ContractRecord, 'accountId' | 'contractId'>,
  type: 'offer' | 'accept' | 'sign',
): Promise<Uint8Array> {
  const message = await read.contracts.message(accountId, contractId, type);
  if (message === null) throw new Error(`the ${type} message of contract ${contractId} is missing`);
  return message;
}
