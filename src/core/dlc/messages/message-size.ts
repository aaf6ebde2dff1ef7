/** Messages go in hex through doors that take 10 MiB: what is larger, or is answered by what is larger, can be exchanged with nobody. */

/** Of a message, with some room for the JSON that it stands in. */
export const MAX_MESSAGE_BYTES = 5 * 1024 * 1024 - 1024;

/** Adaptor signatures (162 bytes each) of an accept or sign message; a fifteenth is left to what stands beside them, coins above all. */
export const MAX_EXCHANGED_CASES = 30_000;
