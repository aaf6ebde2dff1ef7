/** `2 <key> <key> 2 OP_CHECKMULTISIG` with the lesser key first (BIP67; dlcspecs Transactions.md, Funding Output). */
export function fundingScript(oneKey: Uint8Array, otherKey: Uint8Array): Uint8Array {
  const keys = Buffer.compare(oneKey, otherKey) <= 0 ? [oneKey, otherKey] : [otherKey, oneKey];
  return Buffer.concat([Buffer.of(0x52), ...keys.flatMap((key) => [Buffer.of(33), key]), Buffer.of(0x52, 0xae)]);
}
