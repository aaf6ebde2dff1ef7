import { compactSize } from '../../blocks/compact-size.ts';
import { DomainError } from '../../errors.ts';
import { outpointKey } from '../../outpoint.ts';
import { uint32Value } from '../codec/input-fields.ts';
import { GLOBAL, MODIFIABLE } from '../codec/key-types.ts';
import { refuseAboveAllMoney } from '../codec/money-range.ts';
import type { PsbtV2 } from '../psbt.ts';
import { type PsbtEntry, PsbtMap } from '../psbt-map.ts';
import { locktimeAmong } from '../transaction-of.ts';
import { checked, inputMap, outputMap } from './draft-maps.ts';
import type { PsbtDraft, PsbtInputDraft } from './psbt-draft.ts';

const NO_KEY_DATA = new Uint8Array(0);

/**
 * BIP370's creator and constructor in one: a PSBT of version 2 with the inputs and outputs that are given; there may be none of either.
 * Throws `invalid_value` and `invalid_transaction`, which name the draft's field.
 */
export function createPsbt(draft: PsbtDraft): PsbtV2 {
  const { version = 2, inputs, outputs, fallbackLocktime, modifiable } = draft;
  const flags = (modifiable?.inputs ? MODIFIABLE.INPUTS : 0) | (modifiable?.outputs ? MODIFIABLE.OUTPUTS : 0);
  if (flags !== 0 && version < 2)
    throw new DomainError(
      'invalid_value',
      'a PSBT that others may add to must be of transaction version 2 at least (BIP370)',
      { field: 'version' },
    );
  refuseSharedOutpoints(inputs);
  const entries: PsbtEntry[] = [];
  const add = (type: number, value: Uint8Array) => entries.push({ type, keyData: NO_KEY_DATA, value });
  add(GLOBAL.TX_VERSION, uint32Value(version));
  if (fallbackLocktime !== undefined) add(GLOBAL.FALLBACK_LOCKTIME, uint32Value(fallbackLocktime));
  add(GLOBAL.INPUT_COUNT, compactSize(inputs.length));
  add(GLOBAL.OUTPUT_COUNT, compactSize(outputs.length));
  if (modifiable !== undefined) add(GLOBAL.TX_MODIFIABLE, Uint8Array.of(flags));
  add(GLOBAL.VERSION, uint32Value(2));
  const global = new PsbtMap(entries);
  global.setAll(furtherFields(draft));
  const inputMaps = inputs.map((input, index) => inputMap(input, `inputs[${index}]`));
  if (locktimeAmong(inputMaps, 0) === null)
    throw new DomainError(
      'invalid_value',
      'one input requires a block height as locktime and another a time, so that no transaction can have them both',
      { field: 'inputs' },
    );
  const outputMaps = outputs.map((output, index) => outputMap(output, `outputs[${index}]`));
  const psbt: PsbtV2 = { version: 2, global, inputs: inputMaps, outputs: outputMaps };
  refuseAboveAllMoney(psbt);
  return psbt;
}

const OWN: ReadonlySet<number> = new Set([
  GLOBAL.TX_VERSION,
  GLOBAL.FALLBACK_LOCKTIME,
  GLOBAL.INPUT_COUNT,
  GLOBAL.OUTPUT_COUNT,
  GLOBAL.TX_MODIFIABLE,
  GLOBAL.VERSION,
]);

const furtherFields = ({ fields = [] }: PsbtDraft): PsbtEntry[] =>
  fields.map((entry) => {
    if (OWN.has(entry.type))
      throw new DomainError('invalid_value', 'fields must not repeat what the draft says by name', { field: 'fields' });
    return checked('global', entry, 'fields');
  });

function refuseSharedOutpoints(inputs: readonly PsbtInputDraft[]): void {
  const seen = new Map<string, number>();
  for (const [index, { outpoint }] of inputs.entries()) {
    const key = outpointKey(outpoint);
    const earlier = seen.get(key);
    if (earlier !== undefined)
      throw new DomainError('invalid_value', `inputs[${index}] spends ${key}, as inputs[${earlier}] does already`, {
        field: `inputs[${index}]`,
      });
    seen.set(key, index);
  }
}
