/** The transaction that a PSBT of version 2 stands for (BIP370). */
import { readUint32 } from '../blocks/byte-cursor.ts';
import { ByteWriter } from '../blocks/byte-writer.ts';
import { DomainError } from '../errors.ts';
import { hash256 } from '../hashes.ts';
import { displayHash, type Txid } from '../outpoint.ts';
import {
  previousOutpoint,
  requiredHeightLocktime,
  requiredTimeLocktime,
  requiredValue,
  sequenceOf,
} from './codec/input-fields.ts';
import { GLOBAL, INPUT, OUTPUT } from './codec/key-types.ts';
import { hasScript, outputAmount, outputScript, silentPaymentKeys } from './codec/output-fields.ts';
import { writeUnsignedTransaction } from './codec/unsigned-transaction.ts';
import type { PsbtV2, UnsignedTransactionForm } from './psbt.ts';
import type { PsbtMap } from './psbt-map.ts';

/** As 32 bits without sign, as a parsed transaction has it. */
export const transactionVersion = ({ global }: PsbtV2): number =>
  readUint32(requiredValue(global, GLOBAL.TX_VERSION), 0);

export const fallbackLocktime = ({ global }: PsbtV2): number | null => {
  const value = global.get(GLOBAL.FALLBACK_LOCKTIME);
  return value === null ? null : readUint32(value, 0);
};

/**
 * BIP370: the greatest of the required heights where every input that requires anything requires a height, else of the times, if it is
 * they; the fallback, or 0, where no input requires anything. null where one input needs a height and another a time.
 */
export const locktimeOf = (psbt: PsbtV2): number | null => locktimeAmong(psbt.inputs, fallbackLocktime(psbt) ?? 0);

export function locktimeAmong(inputs: readonly PsbtMap[], fallback: number): number | null {
  let height: number | null = 0;
  let time: number | null = 0;
  let any = false;
  for (const input of inputs) {
    const ofHeight = requiredHeightLocktime(input);
    const ofTime = requiredTimeLocktime(input);
    if (ofHeight === null && ofTime === null) continue;
    any = true;
    height = height === null || ofHeight === null ? null : Math.max(height, ofHeight);
    time = time === null || ofTime === null ? null : Math.max(time, ofTime);
  }
  return any ? (height ?? time) : fallback;
}

/** Throws `psbt_incomplete` where no locktime suits every input, and where a silent payment's script is not computed yet. */
export function unsignedTransaction(psbt: PsbtV2): UnsignedTransactionForm {
  const locktime = locktimeOf(psbt);
  if (locktime === null)
    throw new DomainError(
      'psbt_incomplete',
      'one input requires a block height as locktime and another a time, so that no transaction can have them both',
      { field: 'psbt' },
    );
  const unknown = psbt.outputs.findIndex((output) => !hasScript(output));
  if (unknown >= 0)
    throw new DomainError(
      'psbt_incomplete',
      `output ${unknown} is a silent payment whose script (PSBT_OUT_SCRIPT) must be computed first`,
      { field: 'psbt' },
    );
  return transactionWith(psbt, locktime);
}

/** null where `unsignedTransaction` throws. */
export function unsignedTxid(psbt: PsbtV2): Txid | null {
  const bytes = unsignedBytes(psbt);
  return bytes && (displayHash(hash256(bytes)) as Txid);
}

/** Serialized, without witnesses; null where `unsignedTransaction` throws. One without inputs is not to be read again (BIP144). */
export function unsignedBytes(psbt: PsbtV2): Buffer | null {
  const locktime = locktimeOf(psbt);
  if (locktime === null || !psbt.outputs.every(hasScript)) return null;
  return writeUnsignedTransaction(transactionWith(psbt, locktime));
}

const NOTHING = new Uint8Array(0);

function transactionWith(psbt: PsbtV2, locktime: number): UnsignedTransactionForm {
  return {
    version: transactionVersion(psbt),
    locktime,
    inputs: psbt.inputs.map((input) => ({
      prev: previousOutpoint(input),
      sequence: sequenceOf(input),
      scriptSig: NOTHING,
      witness: [],
    })),
    outputs: psbt.outputs.map((output) => ({
      amountSats: outputAmount(output),
      scriptPubKey: Buffer.from(outputScript(output)).toString('hex'),
    })),
  };
}

/**
 * What stays the same while roles work on a PSBT: the txid it would have with every sequence 0 and, in place of each silent payment's
 * script, a zero byte and its keys (BIP370, BIP375). Conflicting locktimes count as 0.
 */
export function uniqueId(psbt: PsbtV2): Txid {
  const writer = new ByteWriter(20 + psbt.inputs.length * 41 + psbt.outputs.length * 44);
  writer.uint32(transactionVersion(psbt)).compactSize(psbt.inputs.length);
  for (const input of psbt.inputs) {
    writer.bytes(requiredValue(input, INPUT.PREVIOUS_TXID)).bytes(requiredValue(input, INPUT.OUTPUT_INDEX));
    writer.uint8(0).uint32(0);
  }
  writer.compactSize(psbt.outputs.length);
  for (const output of psbt.outputs) {
    writer.bytes(requiredValue(output, OUTPUT.AMOUNT));
    const keys = silentPaymentKeys(output);
    if (keys === null) writer.prefixed(outputScript(output));
    else
      writer
        .compactSize(1 + keys.length)
        .uint8(0)
        .bytes(keys);
  }
  return displayHash(hash256(writer.uint32(locktimeOf(psbt) ?? 0).done())) as Txid;
}
