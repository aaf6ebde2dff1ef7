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

/** An id of ours: what it is of is part of its type, so that it is not taken for another's where two stand side by side. */
export type Id<P extends string> = `${P}_${string}`;
export type AccountId = Id<'acc'>;
export type WalletId = Id<'wal'>;
export type ContractId = Id<'ctr'>;
export type ApprovalId = Id<'apr'>;
export type OracleId = Id<'ora'>;
export type ProposalId = Id<'prp'>;
/** What a caller names an oracle by: its id, or the word for the account's own. */
export type OracleName = OracleId | 'local';

/** `<prefix>_<22 base62 characters>` from 32 random bytes: 131 bits. */
export function newId<P extends string>(prefix: P, randomBytes: (size: number) => Uint8Array): Id<P> {
  return `${prefix}_${base62(randomBytes(32), 22)}`;
}

/** Base62 characters of a time: they last for 6,900 years. */
const TIME_LENGTH = 8;

/**
 * The same with a time (epoch milliseconds) in the place of its first 8 characters, and 83 random bits: ids of rows that are written one after
 * the other stand side by side in their index.
 */
export function newOrderedId<P extends string>(
  prefix: P,
  time: number,
  randomBytes: (size: number) => Uint8Array,
): Id<P> {
  let rest = time;
  let text = '';
  for (; text.length < TIME_LENGTH; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return `${prefix}_${text}${base62(randomBytes(18), 14)}`;
}
