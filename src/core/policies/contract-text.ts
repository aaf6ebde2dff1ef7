/** The text of a contract's approval: its messages, byte for byte, and what they say in words. */
import { hex } from '../bytes.ts';
import { contractOf } from '../dlc/contract/contract-of.ts';
import type { Dialect } from '../dlc/dialect.ts';
import { parseAccept } from '../dlc/messages/accept.ts';
import { describeMessage } from '../dlc/messages/describe-message.ts';
import { parseOffer } from '../dlc/messages/offer.ts';

/** Messages in hex; their descriptions have dlcspecs' names, amounts in BTC. */
export interface ContractText {
  readonly kind: 'contract';
  readonly contract_id: string;
  /** The account's wallets by the side that each funds. */
  readonly wallets: { readonly offer: string | null; readonly accept: string | null };
  /** How long to wait for the other side after approval; null: the default for a contract of these terms. */
  readonly expires_at: string | null;
  readonly dialect: Dialect;
  /** Message 42778. */
  readonly offer_message: string;
  /** Message 42780 without its signatures; null if somebody else makes it. */
  readonly accept_message: string | null;
  /** Where it is approved to be signed: unsigned, hex. It follows from both messages, as all CETs and the refund do. */
  readonly funding_transaction?: string;
  readonly offer: unknown;
  readonly accept: unknown;
}

/** Limit of both messages together, so that people can read the text. */
export const MAX_APPROVED_BYTES = 256 * 1024;

export type ContractMessages = Pick<ContractText, 'dialect' | 'offer_message' | 'accept_message'>;

/** Throws DlcMessageError. */
export function contractText(given: Omit<ContractText, 'kind' | 'offer' | 'accept'>): ContractText {
  const { dialect, offer_message, accept_message } = given;
  return { kind: 'contract', ...given, ...saidBy({ dialect, offer_message, accept_message }) };
}

/** The funding transaction of both messages, unsigned, hex. Throws DlcMessageError. */
export function fundingOf({ dialect, offer_message, accept_message }: ContractMessages): string {
  const offer = parseOffer(Buffer.from(offer_message, 'hex'), dialect);
  const { party } = parseAccept(Buffer.from(accept_message ?? '', 'hex'), dialect);
  return hex(contractOf(offer, party, dialect).fundingTransaction.raw);
}

/** The part of the text that follows from the messages. Throws DlcMessageError. */
export function saidBy({ dialect, offer_message, accept_message }: ContractMessages) {
  const described = (message: string) => describeMessage(Buffer.from(message, 'hex'), dialect);
  const offer = described(offer_message);
  const accept = accept_message === null ? null : described(accept_message);
  if (offer.type !== 'offer' || (accept !== null && accept.type !== 'accept'))
    throw new TypeError('these are not the messages of an offer and its acceptance');
  return { offer: offer.offer, accept: accept?.accept ?? null };
}
