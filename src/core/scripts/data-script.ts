const OP_RETURN = 0x6a;
/** The most that one opcode pushes by its own value. Every node relays that (Bitcoin Core's -datacarriersize was 83 bytes of script). */
const MAX_PUSH = 75;

/** The script of an output that carries data and no value: OP_RETURN and one push. Hex. Throws RangeError unless 1 to 75 bytes. */
export function dataScript(data: Uint8Array): string {
  if (data.length === 0 || data.length > MAX_PUSH) throw new RangeError(`a data output has 1 to ${MAX_PUSH} bytes`);
  return Buffer.concat([Buffer.from([OP_RETURN, data.length]), data]).toString('hex');
}
