/** Between a column's bigint or 0/1 and a record's value. */
export const numberOrNull = (value: bigint | null): number | null => (value === null ? null : Number(value));
export const bigintOrNull = (value: number | null): bigint | null => (value === null ? null : BigInt(value));
export const flag = (value: boolean): bigint => (value ? 1n : 0n);
