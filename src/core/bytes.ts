/** Whole bytes in hex, or nothing. A group that remembers what it matched would exhaust the stack over megabytes. */
export const HEX = /^(?:[0-9a-fA-F]{2})*$/;

export const HEX_PROBLEM = 'must be hex: digits 0-9 and a-f, two for each byte, without 0x';

export const hex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');

export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
