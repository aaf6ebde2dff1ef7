/** Reading of a file as a function from plain data to plain data, so that it runs in any thread (src/engines/computing). */
import type { Network } from '../network.ts';
import { parseAddressBook } from './csv.ts';

export interface AddressBookParams {
  readonly text: string;
}

const SLICE = 200;

/** JSON arrays of so many CsvEntry that each is written within milliseconds; text crosses between threads at once. */
function readAddressBook({ text }: AddressBookParams, { network }: { readonly network: Network }): string[] {
  const entries = parseAddressBook(text, network);
  const slices: string[] = [];
  for (let at = 0; at < entries.length; at += SLICE) slices.push(JSON.stringify(entries.slice(at, at + SLICE)));
  return slices;
}

export const addressBookJobs = { 'address-book.read': readAddressBook };
export type AddressBookJobs = typeof addressBookJobs;

/** Read within a few milliseconds. */
export const isShortAddressBook = ({ text }: AddressBookParams): boolean => text.length <= 8_192;
