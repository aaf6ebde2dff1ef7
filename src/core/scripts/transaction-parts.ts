import { ByteWriter } from '../blocks/byte-writer.ts';

export const OUTPOINT_SIZE = 36;

/**
 * A transaction laid out for hashing: outpoints and sequences of all inputs one after the other as they stand on the wire, outputs
 * serialized. Filled by index, once; then read by the three kinds of signature hash.
 */
export interface TransactionParts {
  readonly version: number;
  readonly locktime: number;
  readonly inputCount: number;
  /** 36 bytes each. */
  readonly outpoints: Buffer;
  /** 4 bytes each. */
  readonly sequences: Buffer;
  /** Each serialized: amount, length, script. */
  readonly outputs: readonly Buffer[];
  /** What the inputs spend; null where nobody said. */
  readonly spent: readonly (SpentPart | null)[];
  /** `txid` in internal order. */
  setInput(index: number, txid: Uint8Array, vout: number, sequence: number): void;
  setSpent(index: number, spent: SpentPart): void;
  setOutput(index: number, amount: Uint8Array, script: Uint8Array): void;
}

export interface SpentPart {
  /** 8 bytes, little-endian */
  readonly amount: Buffer;
  readonly script: Uint8Array;
}

export function createTransactionParts(
  version: number,
  locktime: number,
  inputCount: number,
  outputCount: number,
): TransactionParts {
  const outpoints = Buffer.allocUnsafe(inputCount * OUTPOINT_SIZE);
  const sequences = Buffer.allocUnsafe(inputCount * 4);
  const outputs = new Array<Buffer>(outputCount);
  const spent = new Array<SpentPart | null>(inputCount).fill(null);
  return {
    version,
    locktime,
    inputCount,
    outpoints,
    sequences,
    outputs,
    spent,
    setInput(index, txid, vout, sequence) {
      outpoints.set(txid, index * OUTPOINT_SIZE);
      outpoints.writeUInt32LE(vout, index * OUTPOINT_SIZE + 32);
      sequences.writeUInt32LE(sequence, index * 4);
    },
    setSpent(index, part) {
      spent[index] = part;
    },
    setOutput(index, amount, script) {
      outputs[index] = new ByteWriter(script.length + 17).bytes(amount).prefixed(script).done();
    },
  };
}

/** An amount as it stands on the wire. */
export function amountBytes(amountSats: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64LE(amountSats);
  return bytes;
}

/** The value, made when first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
