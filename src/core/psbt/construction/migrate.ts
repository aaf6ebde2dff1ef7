/** From version 0 (BIP174) to version 2 (BIP370) and back. */
import { compactSize } from '../../blocks/compact-size.ts';
import { DomainError } from '../../errors.ts';
import { internalHash } from '../../outpoint.ts';
import { FIELDS } from '../codec/fields.ts';
import { modifiableFlags } from '../codec/global-fields.ts';
import { uint32Value } from '../codec/input-fields.ts';
import { GLOBAL, INPUT, MODIFIABLE, OUTPUT } from '../codec/key-types.ts';
import { amountValue } from '../codec/output-fields.ts';
import { writeUnsignedTransaction } from '../codec/unsigned-transaction.ts';
import type { Psbt, PsbtV0, PsbtV2 } from '../psbt.ts';
import { describePlace, type PsbtPlace } from '../psbt-error.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';
import { requireUsualSize } from '../psbt-size.ts';
import { unsignedTransaction } from '../transaction-of.ts';

const NO_KEY_DATA = new Uint8Array(0);

const field = (type: number, value: Uint8Array): PsbtEntry => ({ type, keyData: NO_KEY_DATA, value });

/** Of either version. Throws `too_large`. */
export function asVersion2(read: Psbt): PsbtV2 {
  const psbt = read.version === 0 ? toVersion2(read) : read;
  requireUsualSize(psbt);
  return psbt;
}

/** The transaction is taken apart, everything else stays. Nothing is modifiable afterwards, as nothing was before. */
export function toVersion2({ global, unsigned, inputs, outputs }: PsbtV0): PsbtV2 {
  return {
    version: 2,
    global: withFields(
      global,
      [GLOBAL.UNSIGNED_TX],
      [
        field(GLOBAL.TX_VERSION, uint32Value(unsigned.version)),
        field(GLOBAL.FALLBACK_LOCKTIME, uint32Value(unsigned.locktime)),
        field(GLOBAL.INPUT_COUNT, compactSize(inputs.length)),
        field(GLOBAL.OUTPUT_COUNT, compactSize(outputs.length)),
        field(GLOBAL.VERSION, uint32Value(2)),
      ],
    ),
    inputs: unsigned.inputs.map(({ prev, sequence }, index) =>
      withFields(
        inputs[index] as PsbtMap,
        [],
        [
          field(INPUT.PREVIOUS_TXID, internalHash(prev.txid)),
          field(INPUT.OUTPUT_INDEX, uint32Value(prev.vout)),
          field(INPUT.SEQUENCE, uint32Value(sequence)),
        ],
      ),
    ),
    outputs: unsigned.outputs.map(({ amountSats, scriptPubKey }, index) =>
      withFields(
        outputs[index] as PsbtMap,
        [],
        [field(OUTPUT.AMOUNT, amountValue(amountSats)), field(OUTPUT.SCRIPT, Buffer.from(scriptPubKey, 'hex'))],
      ),
    ),
  };
}

/** What of version 2 becomes part of the unsigned transaction, or means nothing where no transaction can change. */
const TAKEN_UP = {
  global: [
    GLOBAL.TX_VERSION,
    GLOBAL.FALLBACK_LOCKTIME,
    GLOBAL.INPUT_COUNT,
    GLOBAL.OUTPUT_COUNT,
    GLOBAL.TX_MODIFIABLE,
    GLOBAL.VERSION,
  ],
  input: [
    INPUT.PREVIOUS_TXID,
    INPUT.OUTPUT_INDEX,
    INPUT.SEQUENCE,
    INPUT.REQUIRED_TIME_LOCKTIME,
    INPUT.REQUIRED_HEIGHT_LOCKTIME,
  ],
  output: [OUTPUT.AMOUNT, OUTPUT.SCRIPT],
} as const;

/**
 * The transaction is put together and fixed. Throws `not_representable` for fields that version 0 excludes and that are no part of the
 * transaction (silent payments), for flags of PSBT_GLOBAL_TX_MODIFIABLE that no BIP defines, and where there is no such transaction yet.
 */
export function toVersion0(psbt: PsbtV2): PsbtV0 {
  const defined = MODIFIABLE.INPUTS | MODIFIABLE.OUTPUTS | MODIFIABLE.HAS_SIGHASH_SINGLE;
  if ((modifiableFlags(psbt) & ~defined) !== 0)
    throw notRepresentable('flags of PSBT_GLOBAL_TX_MODIFIABLE that no BIP defines', { map: 'global' });
  refuseExcluded(psbt.global, { map: 'global' });
  for (const [index, map] of psbt.inputs.entries()) refuseExcluded(map, { map: 'input', index });
  for (const [index, map] of psbt.outputs.entries()) refuseExcluded(map, { map: 'output', index });
  const unsigned = transactionOf(psbt);
  const transaction = field(GLOBAL.UNSIGNED_TX, writeUnsignedTransaction(unsigned));
  return {
    version: 0,
    global: withFields(psbt.global, TAKEN_UP.global, [transaction]),
    unsigned,
    inputs: psbt.inputs.map((map) => withFields(map, TAKEN_UP.input, [])),
    outputs: psbt.outputs.map((map) => withFields(map, TAKEN_UP.output, [])),
  };
}

function transactionOf(psbt: PsbtV2) {
  try {
    return unsignedTransaction(psbt);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new DomainError('not_representable', `version 0 holds the whole transaction: ${error.message}`, {
      field: 'psbt',
    });
  }
}

function refuseExcluded(map: PsbtMap, place: PsbtPlace): void {
  const takenUp: readonly number[] = TAKEN_UP[place.map];
  for (const { type } of map.pairs()) {
    const known = FIELDS[place.map][type];
    if (known?.excludedFrom.includes(0) && !takenUp.includes(type)) throw notRepresentable(known.name, place);
  }
}

const notRepresentable = (what: string, place: PsbtPlace): DomainError =>
  new DomainError('not_representable', `version 0 cannot carry ${what} (${describePlace(place)})`, { field: 'psbt' });

function withFields(map: PsbtMap, removed: readonly number[], added: readonly PsbtEntry[]): PsbtMap {
  const changed = map.clone();
  changed.keep(({ type }) => !removed.includes(type));
  changed.setAll(added);
  return changed;
}
