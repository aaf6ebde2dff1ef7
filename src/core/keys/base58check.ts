import { hash256 } from '../hashes.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const CHECKSUM_SIZE = 4;

/**
 * The bytes of a base58check text without their checksum; null where it is none of exactly `size` bytes. Made for private keys: the
 * bytes are in one buffer, which the caller overwrites.
 */
export function decodeBase58Check(text: string, size: number): Buffer | null {
  const total = size + CHECKSUM_SIZE;
  if (text.length > total * 2) return null;
  const bytes = Buffer.alloc(total);
  if (readDigits(text, bytes)) {
    const payload = bytes.subarray(0, size);
    if (hash256(payload).compare(bytes, size, total, 0, CHECKSUM_SIZE) === 0) return payload;
  }
  bytes.fill(0);
  return null;
}

/** The number that the digits are, big-endian into all of `bytes`; false where it is longer, shorter or holds another character. */
function readDigits(text: string, bytes: Buffer): boolean {
  for (const character of text) {
    let carry = ALPHABET.indexOf(character);
    if (carry < 0) return false;
    for (let at = bytes.length - 1; at >= 0; at--) {
      carry += (bytes[at] as number) * 58;
      bytes[at] = carry & 0xff;
      carry >>= 8;
    }
    if (carry > 0) return false;
  }
  // Every leading zero byte is written as a 1.
  let ones = 0;
  while (text[ones] === '1') ones++;
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  return ones === zeros;
}
