import { readUint32 } from '../../blocks/byte-cursor.ts';
import type { ParsedInput } from '../../blocks/transaction.ts';
import { displayHash, internalHash } from '../../outpoint.ts';
import type { Psbt } from '../psbt.ts';
import { PsbtError, type PsbtPlace } from '../psbt-error.ts';
import type { PsbtMap } from '../psbt-map.ts';
import { readCount } from './field-shapes.ts';
import type { PsbtVersion } from './fields.ts';
import { previousVout, requiredValue, witnessUtxo } from './input-fields.ts';
import { GLOBAL, INPUT, MODIFIABLE, OUTPUT } from './key-types.ts';
import { type FieldBudget, KeyValueCursor, MAX_FIELDS } from './key-value.ts';
import { ABOVE_ALL_MONEY, aboveAllMoney } from './money-range.ts';
import { outputAmount } from './output-fields.ts';
import { outputOfPrevious } from './previous-transaction.ts';
import { readMap } from './read-map.ts';
import { readUnsignedTransaction } from './unsigned-transaction.ts';

/** "psbt", then 0xff (BIP174). */
export const MAGIC: Uint8Array = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff);

/**
 * The outermost layer: a whole PSBT of version 0 (BIP174) or 2 (BIP370), every field checked. The maps are views of `bytes`, which must
 * not be changed afterwards. `budget` is one for PSBTs that are read together. Throws PsbtError, which names the problem, the map and the field.
 */
export function parsePsbt(bytes: Uint8Array, budget: FieldBudget = { left: MAX_FIELDS }): Psbt {
  for (let at = 0; at < MAGIC.length; at++)
    if (bytes[at] !== MAGIC[at])
      throw new PsbtError('bad_magic', 'a PSBT begins with the bytes 70 73 62 74 ff ("psbt" and ff)');
  const version = versionOf(bytes, { ...budget });
  const cursor = new KeyValueCursor(bytes, MAGIC.length, budget);
  const { map: global } = readMap(cursor, version);
  if (version === 0) {
    const unsigned = readUnsignedTransaction(global.get(GLOBAL.UNSIGNED_TX) as Uint8Array);
    const inputs = readMaps(cursor, 'input', unsigned.inputs.length, 0, 'PSBT_GLOBAL_UNSIGNED_TX');
    const outputs = readMaps(cursor, 'output', unsigned.outputs.length, 0, 'PSBT_GLOBAL_UNSIGNED_TX');
    refuseTrailing(cursor);
    const spent = inputs.maps.map((map, index) => {
      const { txid, vout } = (unsigned.inputs[index] as ParsedInput).prev;
      return checkPrevious(map, index, internalHash(txid), vout);
    });
    checkSpent(spent, inputs.maps);
    const paid = aboveAllMoney(unsigned.outputs.map((output) => output.amountSats));
    if (paid !== null) throw aboveAll({ map: 'output', index: paid }, 'PSBT_GLOBAL_UNSIGNED_TX');
    return { version, global, unsigned, inputs: inputs.maps, outputs: outputs.maps };
  }
  const inputs = readMaps(cursor, 'input', countOf(global, GLOBAL.INPUT_COUNT), 2, 'PSBT_GLOBAL_INPUT_COUNT');
  const outputs = readMaps(cursor, 'output', countOf(global, GLOBAL.OUTPUT_COUNT), 2, 'PSBT_GLOBAL_OUTPUT_COUNT');
  refuseTrailing(cursor);
  const spent = inputs.maps.map((map, index) =>
    checkPrevious(map, index, requiredValue(map, INPUT.PREVIOUS_TXID), previousVout(map)),
  );
  checkSpent(spent, inputs.maps);
  const paid = aboveAllMoney(outputs.maps.map(outputAmount));
  if (paid !== null) throw aboveAll({ map: 'output', index: paid }, 'PSBT_OUT_AMOUNT');
  if (outputs.computedSilentPayment) refuseModifiable(global);
  return { version, global, inputs: inputs.maps, outputs: outputs.maps };
}

/** The version must be known before any field can be judged by it. */
function versionOf(bytes: Uint8Array, budget: FieldBudget): PsbtVersion {
  const cursor = new KeyValueCursor(bytes, MAGIC.length, budget);
  while (cursor.next()) {
    const { type, keyDataStart, keyEnd, valueStart, valueEnd } = cursor;
    if (type !== GLOBAL.VERSION || keyDataStart !== keyEnd || valueEnd - valueStart !== 4) continue;
    const version = readUint32(bytes, valueStart);
    if (version === 0 || version === 2) return version;
    throw new PsbtError('unsupported_version', `PSBT_GLOBAL_VERSION must be 0 or 2, not ${version}`, {
      place: { map: 'global' },
      fieldName: 'PSBT_GLOBAL_VERSION',
    });
  }
  return 0;
}

const countOf = (global: PsbtMap, type: number): number => {
  const value = global.get(type) as Uint8Array;
  return readCount(value, 0, value.length) as number;
};

const SILENT_PAYMENT = (1 << OUTPUT.SP_V0_INFO) | (1 << OUTPUT.SCRIPT);

function readMaps(
  cursor: KeyValueCursor,
  map: 'input' | 'output',
  count: number,
  version: PsbtVersion,
  counter: string,
) {
  cursor.map = map;
  const maps: PsbtMap[] = [];
  let computedSilentPayment = false;
  for (let index = 0; index < count; index++) {
    cursor.index = index;
    // A count is only believed as far as there are bytes.
    if (cursor.offset === cursor.bytes.length)
      throw new PsbtError(
        'map_count',
        `${counter} says that there are ${count} ${map}s, but the bytes end after the maps of ${index}`,
        { fieldName: counter },
      );
    const { map: read, seen } = readMap(cursor, version);
    if (map === 'output' && (seen & SILENT_PAYMENT) === SILENT_PAYMENT) computedSilentPayment = true;
    maps.push(read);
  }
  return {
    maps,
    /** Some output has both a silent payment's keys and its script. */
    computedSilentPayment,
  };
}

/**
 * What is beside an outpoint must be what it names (BIP174: "must match"), as Bitcoin Core asks on reading: amounts are believed by it.
 * Answers the amount; null where nothing is beside it.
 */
function checkPrevious(map: PsbtMap, index: number, txid: Uint8Array, vout: number): bigint | null {
  const previous = map.get(INPUT.NON_WITNESS_UTXO);
  if (previous === null) return witnessUtxo(map)?.amountSats ?? null;
  const found = outputOfPrevious(previous, txid, vout);
  if (typeof found === 'object')
    return Buffer.from(previous.buffer, previous.byteOffset + found.amountAt).readBigUInt64LE();
  const said =
    found === 'no such output'
      ? `PSBT_IN_NON_WITNESS_UTXO has no output ${vout}, which the input spends`
      : `PSBT_IN_NON_WITNESS_UTXO is another transaction than the one that the input spends from, ${displayHash(txid)}`;
  throw new PsbtError('invalid_value', said, {
    place: { map: 'input', index },
    fieldName: 'PSBT_IN_NON_WITNESS_UTXO',
  });
}

function checkSpent(spent: readonly (bigint | null)[], maps: readonly PsbtMap[]): void {
  const index = aboveAllMoney(spent);
  if (index === null) return;
  const previous = maps[index]?.has(INPUT.NON_WITNESS_UTXO);
  throw aboveAll({ map: 'input', index }, previous ? 'PSBT_IN_NON_WITNESS_UTXO' : 'PSBT_IN_WITNESS_UTXO');
}

const aboveAll = (place: PsbtPlace, fieldName: string): PsbtError =>
  new PsbtError('invalid_value', `${fieldName}: ${ABOVE_ALL_MONEY}`, { place, fieldName });

function refuseTrailing({ bytes, offset }: KeyValueCursor): void {
  if (offset < bytes.length)
    throw new PsbtError(
      'trailing_bytes',
      `a PSBT ends with its last output's map; ${bytes.length - offset} bytes follow it, from byte ${offset} on`,
    );
}

/** BIP375: a silent payment's script is computed over all inputs and outputs, so that none may come or go afterwards. */
function refuseModifiable(global: PsbtMap): void {
  const flags = global.get(GLOBAL.TX_MODIFIABLE)?.[0] ?? 0;
  if ((flags & (MODIFIABLE.INPUTS | MODIFIABLE.OUTPUTS)) === 0) return;
  throw new PsbtError(
    'invalid_value',
    'PSBT_GLOBAL_TX_MODIFIABLE must not let inputs or outputs change once the script of a silent payment is computed (BIP375)',
    { place: { map: 'global' }, fieldName: 'PSBT_GLOBAL_TX_MODIFIABLE' },
  );
}
