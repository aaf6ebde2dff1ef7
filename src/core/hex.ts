/** Whole bytes in hex, or nothing. A group that remembers what it matched would exhaust the stack over megabytes. */
export const HEX = /^(?:[0-9a-fA-F]{2})*$/;
