/** What an entry of an address book holds, however it comes. */
import type { AccountId } from '../ids.ts';
import type { Network } from '../network.ts';
import { decodeAddress } from '../relay-policy/address.ts';

export const MAX_NAME = 100;
export const MAX_EXTERNAL_ID = 128;
export const MAX_TAGS = 20;
const TAG = /^[^\s,;"\p{Cc}](?:[^,;"\p{Cc}]{0,48}[^\s,;"\p{Cc}])?$/u;

/** What an entry is of. */
export interface Place {
  /** In the network's form: bech32 in lower case. */
  readonly address: string;
  /** Hex. */
  readonly scriptPubKey: string;
}

/** Throws as decodeAddress does. */
export function placeOf(address: string, network: Network): Place {
  const { scriptPubKey } = decodeAddress(address, network);
  return { address: foldAddress(address), scriptPubKey };
}

/** One form for an address however it was typed. Base58 is never all upper case by form; bech32 is, or all lower. */
export const foldAddress = (address: string): string =>
  /^(bc|tb|bcrt)1/i.test(address) ? address.toLowerCase() : address;

/** Why a text is no tag; null where it is one. */
export const tagProblem = (tag: string): string | null =>
  TAG.test(tag)
    ? null
    : 'a tag has 1 to 50 characters, no comma, semicolon or quotation mark, and no blank at its ends';

/** The text that the owner of an address signs (BIP322), to the letter. */
export const proofMessage = (address: string, accountId: AccountId): string =>
  `I control ${address}, for the address book of ${accountId}`;
