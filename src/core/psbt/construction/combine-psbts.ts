import { DomainError } from '../../errors.ts';
import { setCounts } from '../codec/global-fields.ts';
import { isSigned, sequenceOf } from '../codec/input-fields.ts';
import { GLOBAL, MODIFIABLE } from '../codec/key-types.ts';
import type { PsbtV2 } from '../psbt.ts';
import { keyText, type PsbtEntry, PsbtMap } from '../psbt-map.ts';
import { uniqueId } from '../transaction-of.ts';

/**
 * BIP174's combiner: all fields of PSBTs of one transaction, sorted by key. Of two values of one key the greater one stays, as bytes, and
 * what may still be changed is what every one of them lets change; so the order in which PSBTs come, and come in groups, does not matter.
 * Throws `psbt_mismatch` where they are not of one transaction, or sequences differ that somebody has signed.
 */
export function combinePsbts(psbts: readonly [PsbtV2, ...PsbtV2[]]): PsbtV2 {
  const [first] = psbts;
  const id = uniqueId(first);
  for (const [index, psbt] of psbts.entries())
    if (psbt !== first && uniqueId(psbt) !== id)
      throw new DomainError('psbt_mismatch', `psbts[${index}] is of another transaction than psbts[0]`, {
        field: `psbts[${index}]`,
      });
  refuseOtherSequences(psbts);
  const global = unionOf(psbts.map((psbt) => psbt.global));
  setCommonFlags(global, psbts);
  setCounts(global, first.inputs.length, first.outputs.length);
  return {
    version: 2,
    global,
    inputs: first.inputs.map((_, index) => unionOf(psbts.map(({ inputs }) => inputs[index] as PsbtMap))),
    outputs: first.outputs.map((_, index) => unionOf(psbts.map(({ outputs }) => outputs[index] as PsbtMap))),
  };
}

/** Every entry of the maps, sorted by key; of two values of one key the greater one, as bytes. */
export function unionOf(maps: readonly PsbtMap[]): PsbtMap {
  const byKey = new Map<string, PsbtEntry>();
  for (const map of maps)
    for (const entry of map.pairs()) {
      const key = keyText(entry);
      const other = byKey.get(key);
      if (other === undefined || Buffer.compare(entry.value, other.value) > 0) byKey.set(key, entry);
    }
  // Keys of one type are as their texts are, which compare several times faster than bytes.
  const sorted = [...byKey].sort(([a, { type }], [b, other]) => type - other.type || (a < b ? -1 : 1));
  return new PsbtMap(sorted.map(([, entry]) => entry));
}

/** Inputs and outputs are modifiable where all say so (absent: they are not); any other bit is set where one sets it. */
export function setCommonFlags(global: PsbtMap, psbts: readonly PsbtV2[]): void {
  if (!global.has(GLOBAL.TX_MODIFIABLE)) return;
  const common = MODIFIABLE.INPUTS | MODIFIABLE.OUTPUTS;
  let [every, any] = [common as number, 0];
  for (const psbt of psbts) {
    const flags = psbt.global.get(GLOBAL.TX_MODIFIABLE)?.[0] ?? 0;
    every &= flags;
    any |= flags;
  }
  global.set(GLOBAL.TX_MODIFIABLE, Uint8Array.of(every | (any & ~common)));
}

/** Updaters may set sequences, which are no part of the unique id; a signature holds for the one it was made with. */
function refuseOtherSequences(psbts: readonly PsbtV2[]): void {
  const [first] = psbts as [PsbtV2];
  if (!psbts.some(({ inputs }) => inputs.some(isSigned))) return;
  for (const [index, input] of first.inputs.entries()) {
    const sequence = sequenceOf(input);
    const other = psbts.findIndex(({ inputs }) => sequenceOf(inputs[index] as PsbtMap) !== sequence);
    if (other < 0) continue;
    throw new DomainError(
      'psbt_mismatch',
      `input ${index} has another sequence in psbts[${other}] than in psbts[0], and there are signatures, which cover it`,
      { field: `psbts[${other}]` },
    );
  }
}
