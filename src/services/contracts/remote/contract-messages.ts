/** The messages of a contract as they are stored, read. What we are still signing is a draft there, and no message of anybody's yet. */

import { sameBytes } from '../../../core/bytes.ts';
import type { AcceptMessage, OfferMessage, SignMessage } from '../../../core/dlc/dlc-messages.ts';
import { parseAccept } from '../../../core/dlc/messages/accept.ts';
import { parseOffer } from '../../../core/dlc/messages/offer.ts';
import { offerIdOf, temporaryIdOf } from '../../../core/dlc/messages/offer-id.ts';
import { parseSign } from '../../../core/dlc/messages/sign.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId, ContractId } from '../../../core/ids.ts';
import type { ContractMessageType, ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../store/store.ts';
import { compromisedOraclesOf } from '../compromised-oracles.ts';
import type { ContractView } from '../contract-service.ts';
import { stageOf } from '../contract-states.ts';

type Reading = Pick<Repositories, 'contracts'>;
type Stored = Pick<ContractRecord, 'accountId' | 'contractId' | 'dialect' | 'dlcContractId'>;

export interface StoredMessage<T> {
  readonly bytes: Uint8Array;
  readonly message: T;
}

const MESSAGE_ORDER: readonly ContractMessageType[] = ['offer', 'accept', 'sign', 'close'];

/** Throws where there is none: every contract has an offer. */
export async function storedOffer(read: Reading, contract: Stored): Promise<StoredMessage<OfferMessage>> {
  const bytes = await read.contracts.message(contract.accountId, contract.contractId, 'offer');
  if (bytes === null) throw new Error(`contract ${contract.contractId} has no offer`);
  return { bytes, message: parseOffer(bytes, contract.dialect) };
}

/** A draft, too: without adaptor signatures, while ours are made. Null where the accepter's side is not known. */
export async function storedAccept(read: Reading, contract: Stored): Promise<StoredMessage<AcceptMessage> | null> {
  const bytes = await read.contracts.message(contract.accountId, contract.contractId, 'accept');
  return bytes && { bytes, message: parseAccept(bytes, contract.dialect) };
}

export async function storedSign(read: Reading, contract: Stored): Promise<StoredMessage<SignMessage> | null> {
  const bytes = await read.contracts.message(contract.accountId, contract.contractId, 'sign');
  return bytes && { bytes, message: parseSign(bytes, contract.dialect) };
}

/** The account's contract in this role that was made of this very offer; null where there is none. */
export async function madeOf(
  read: Reading,
  { accountId, role, offer, dialect }: Pick<ContractRecord, 'accountId' | 'role' | 'dialect'> & { offer: Uint8Array },
): Promise<ContractRecord | null> {
  // Those that were kept before offers had such ids are known by their temporary one.
  const found = await read.contracts.byOfferIds(accountId, [offerIdOf(offer, dialect), temporaryIdOf(offer)]);
  for (const contract of found) {
    if (contract.role !== role || contract.dialect !== dialect) continue;
    const bytes = await read.contracts.message(accountId, contract.contractId, 'offer');
    if (bytes !== null && sameBytes(bytes, offer)) return contract;
  }
  return null;
}

/**
 * Those that were made or taken. The contract's id follows from the accept message, and is there as soon as that is. An offer of ours that
 * waits for approval is nobody's yet.
 */
export async function messagesOf(read: Reading, contract: ContractRecord): Promise<ContractView['messages']> {
  if (contract.status === 'awaiting_approval' && contract.role !== 'accepter') return {};
  const messages: Partial<Record<ContractMessageType, Uint8Array>> = {};
  for (const type of MESSAGE_ORDER) {
    if (type !== 'offer' && contract.dlcContractId === null) break;
    const bytes = await read.contracts.message(contract.accountId, contract.contractId, type);
    if (bytes !== null) messages[type] = bytes;
  }
  return messages;
}

/** A record with its messages, where somebody elsewhere needs them, and with why it waits. */
export async function viewOf(
  read: Pick<Repositories, 'contracts' | 'transactions' | 'oracles'>,
  contract: ContractRecord,
): Promise<ContractView> {
  const messages = contract.role === 'both' ? {} : await messagesOf(read, contract);
  const [markedOracles = []] = await compromisedOraclesOf(read, contract.accountId, [contract]);
  return { ...contract, messages, markedOracles, reason: contract.reason ?? (await whyUnsent(read, contract)) };
}

/** What the node said of the transaction that is to close it; null where that is not what the contract waits for. */
async function whyUnsent(
  read: Pick<Repositories, 'transactions'>,
  { accountId, closingTxid, status }: ContractRecord,
): Promise<string | null> {
  if (closingTxid === null || stageOf({ status, closingTxid }) !== 'closing') return null;
  return (await read.transactions.find(accountId, closingTxid))?.reason ?? null;
}

/** Throws `not_found`. */
export async function requireContract(
  read: Reading,
  accountId: AccountId,
  contractId: ContractId,
): Promise<ContractRecord> {
  const contract = await read.contracts.find(accountId, contractId);
  if (contract) return contract;
  throw new DomainError('not_found', `there is no contract ${contractId} in this account`, { field: 'contract_id' });
}

/** Another message than the one that was taken before. */
export const anotherMessage = (type: ContractMessageType): DomainError =>
  new DomainError(
    'state_conflict',
    `another ${type} message of this contract was taken before, and that one stands: send the same bytes, or none`,
    { field: 'message' },
  );
