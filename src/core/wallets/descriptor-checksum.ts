/** BIP380's checksum: 8 characters after '#', a BCH code over the descriptor's text. */
import { DomainError } from '../errors.ts';

const INPUT_CHARSET =
  '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ ';
const CHECKSUM_CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn];

function polymod(checksum: bigint, value: number): bigint {
  const top = checksum >> 35n;
  let next = ((checksum & 0x7ffffffffn) << 5n) ^ BigInt(value);
  for (let bit = 0; bit < 5; bit++) if ((top >> BigInt(bit)) & 1n) next ^= GENERATOR[bit]!;
  return next;
}

/** The checksum of a descriptor without one. Throws `invalid_descriptor` on a character that descriptors can't have. */
export function descriptorChecksum(descriptor: string): string {
  let checksum = 1n;
  let group = 0;
  let inGroup = 0;
  for (const character of descriptor) {
    const position = INPUT_CHARSET.indexOf(character);
    if (position === -1) {
      throw new DomainError('invalid_descriptor', 'the descriptor has a character that descriptors cannot contain');
    }
    checksum = polymod(checksum, position & 31);
    group = group * 3 + (position >> 5);
    if (++inGroup === 3) {
      checksum = polymod(checksum, group);
      group = 0;
      inGroup = 0;
    }
  }
  if (inGroup > 0) checksum = polymod(checksum, group);
  for (let i = 0; i < 8; i++) checksum = polymod(checksum, 0);
  checksum ^= 1n;
  let text = '';
  for (let i = 7; i >= 0; i--) text += CHECKSUM_CHARSET[Number((checksum >> BigInt(5 * i)) & 31n)];
  return text;
}

/** `descriptor#checksum` of a descriptor without one. */
export const withChecksum = (descriptor: string): string => `${descriptor}#${descriptorChecksum(descriptor)}`;

/**
 * The descriptor without its checksum. A missing checksum is accepted; a wrong one throws `invalid_descriptor` naming the right one.
 */
export function withoutChecksum(text: string): string {
  const at = text.indexOf('#');
  if (at === -1) return text;
  const descriptor = text.slice(0, at);
  const right = descriptorChecksum(descriptor);
  if (text.slice(at + 1) !== right) {
    throw new DomainError(
      'invalid_descriptor',
      `the descriptor's checksum is wrong: for this text it would be #${right}; compare the descriptor with its source`,
    );
  }
  return descriptor;
}
