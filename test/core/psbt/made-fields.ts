/** Values of the right form, for tests in which nobody verifies them. */

export const SCHNORR = Buffer.alloc(64, 7);
