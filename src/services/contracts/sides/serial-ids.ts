/** A random u64, which orders inputs and outputs of a contract (dlcspecs Transactions.md). */
export const randomSerialId = (randomBytes: (size: number) => Uint8Array): bigint =>
  Buffer.from(randomBytes(8)).readBigUInt64BE();
