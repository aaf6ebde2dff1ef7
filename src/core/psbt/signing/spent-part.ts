import { MAX_SATS } from '../../amount.ts';
import { compactSizeLengthFrom } from '../../blocks/compact-size.ts';
import type { SpentPart } from '../../scripts/transaction-parts.ts';
import { previousVout, requiredValue } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import { outputOfPrevious } from '../codec/previous-transaction.ts';
import type { PsbtMap } from '../psbt-map.ts';

/** Why something cannot be signed or finalized. `unsafe`: the PSBT contradicts itself, which BIP174 tells a signer to refuse. */
export interface Obstacle {
  readonly unsafe: boolean;
  readonly reason: string;
}

export const lacking = (reason: string): Obstacle => ({ unsafe: false, reason });
export const unsafe = (reason: string): Obstacle => ({ unsafe: true, reason });
export const isObstacle = (value: object): value is Obstacle => 'reason' in value;

/**
 * The output that an input spends, after BIP174's checks: the previous transaction is the one that the outpoint names, and a witness UTXO
 * beside it says the same. No script is looked at.
 */
export function spentPartOf(input: PsbtMap): SpentPart | Obstacle {
  const witnessUtxo = input.get(INPUT.WITNESS_UTXO);
  const previous = input.get(INPUT.NON_WITNESS_UTXO);
  if (previous === null) return witnessUtxo === null ? lacking('its UTXO is missing') : outputOn(witnessUtxo);
  const output = previousOutput(input, previous);
  if (witnessUtxo === null || isObstacle(output)) return output;
  const other = outputOn(witnessUtxo);
  if (isObstacle(other)) return other;
  return Buffer.compare(other.amount, output.amount) === 0 && Buffer.compare(other.script, output.script) === 0
    ? output
    : unsafe('its witness UTXO is not the output of its previous transaction');
}

function previousOutput(input: PsbtMap, previous: Uint8Array): SpentPart | Obstacle {
  const vout = previousVout(input);
  const place = outputOfPrevious(previous, requiredValue(input, INPUT.PREVIOUS_TXID), vout);
  if (place === 'another transaction')
    return unsafe('its previous transaction (non-witness UTXO) is not the one that its outpoint names');
  if (place === 'no such output') return unsafe(`its previous transaction has no output ${vout}`);
  return spentPart(previous, place.amountAt, place.start, place.end);
}

/** An output as it stands on the wire. */
function outputOn(value: Uint8Array): SpentPart | Obstacle {
  return spentPart(value, 0, 8 + compactSizeLengthFrom(value[8] as number), value.length);
}

function spentPart(bytes: Uint8Array, amountAt: number, start: number, end: number): SpentPart | Obstacle {
  const amount = Buffer.from(bytes.buffer, bytes.byteOffset + amountAt, 8);
  const sats = amount.readBigInt64LE();
  if (sats < 0n || sats > MAX_SATS) return unsafe('the amount of its UTXO is out of range');
  return { amount, script: bytes.subarray(start, end) };
}
