const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `random` bytes (at least 17 for 22 characters) as `length` base62 characters, without modulo bias worth naming: one big number in base 62. */
export function base62(random: Uint8Array, length: number): string {
  let rest = BigInt(`0x${Buffer.from(random).toString('hex')}`);
  let text = '';
  for (let i = 0; i < length; i++) {
    text = BASE62[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
}

/** `<prefix>_<22 base62 characters>` from 32 random bytes: 131 bits. */
export function newId(prefix: string, randomBytes: (size: number) => Uint8Array): string {
  return `${prefix}_${base62(randomBytes(32), 22)}`;
}
