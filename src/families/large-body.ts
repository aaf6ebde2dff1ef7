/** What may be in a body of so many bytes is computed within a few milliseconds; what is longer is worked on in a worker thread. */
const LIGHT_BYTES = 2_048;

export const isLargeBody = (bytes: number): boolean => bytes > LIGHT_BYTES;
