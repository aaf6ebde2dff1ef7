/** What the global map of a PSBT of version 2 says, and how it is said. */

import { compactSize } from '../../blocks/compact-size.ts';
import type { PsbtV2 } from '../psbt.ts';
import type { PsbtMap } from '../psbt-map.ts';
import { GLOBAL, MODIFIABLE } from './key-types.ts';

/** All eight bits of PSBT_GLOBAL_TX_MODIFIABLE; 0 where it is absent. */
export const modifiableFlags = ({ global }: Pick<PsbtV2, 'global'>): number =>
  global.get(GLOBAL.TX_MODIFIABLE)?.[0] ?? 0;

export const inputsModifiable = (psbt: PsbtV2): boolean => (modifiableFlags(psbt) & MODIFIABLE.INPUTS) !== 0;
export const outputsModifiable = (psbt: PsbtV2): boolean => (modifiableFlags(psbt) & MODIFIABLE.OUTPUTS) !== 0;
export const hasSighashSingle = (psbt: PsbtV2): boolean =>
  (modifiableFlags(psbt) & MODIFIABLE.HAS_SIGHASH_SINGLE) !== 0;

/** The PSBT with these maps, counted in the global one. */
export function withMaps(psbt: PsbtV2, inputs: readonly PsbtMap[], outputs: readonly PsbtMap[]): PsbtV2 {
  const global = psbt.global.clone();
  setCounts(global, inputs.length, outputs.length);
  return { version: 2, global, inputs, outputs };
}

export function setCounts(global: PsbtMap, inputs: number, outputs: number): void {
  global.set(GLOBAL.INPUT_COUNT, compactSize(inputs));
  global.set(GLOBAL.OUTPUT_COUNT, compactSize(outputs));
}
