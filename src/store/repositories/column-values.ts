/** Between a column's bigint, 0/1 or JSON text and a record's value. */
export const numberOrNull = (value: bigint | null): number | null => (value === null ? null : Number(value));
export const bigintOrNull = (value: number | null): bigint | null => (value === null ? null : BigInt(value));
export const flag = (value: boolean): bigint => (value ? 1n : 0n);
export const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
export const parsedOrNull = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));
/** undefined stays, so that a patch leaves the column alone. */
export const ifGiven = <T, R>(value: T | undefined, convert: (value: T) => R): R | undefined =>
  value === undefined ? undefined : convert(value);
