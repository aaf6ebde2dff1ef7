/**
 * The id of a contract (dlcspecs Protocol.md, "Definition of `contract_id`"): the funding transaction's id XOR the temporary contract id,
 * the last two bytes XOR the funding output's index too. `fundingTxid`: display hex, whose order is the one that counts here.
 */
export function contractIdOf(fundingTxid: string, vout: number, temporaryContractId: Uint8Array): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(fundingTxid)) throw new TypeError('A transaction id is 64 hex digits');
  if (temporaryContractId.length !== 32) throw new TypeError('A temporary contract id is 32 bytes');
  if (!Number.isInteger(vout) || vout < 0 || vout > 0xffff) throw new TypeError('An output index is a u16 here');
  const id = Uint8Array.from(Buffer.from(fundingTxid, 'hex'));
  for (let i = 0; i < 32; i++) id[i] = (id[i] as number) ^ (temporaryContractId[i] as number);
  id[30] = (id[30] as number) ^ (vout >> 8);
  id[31] = (id[31] as number) ^ (vout & 0xff);
  return id;
}
