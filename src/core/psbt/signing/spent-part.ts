import { MAX_SATS } from '../../amount.ts';
import { ByteCursor, readUint32 } from '../../blocks/byte-cursor.ts';
import { idHash } from '../../blocks/transaction.ts';
import { emptyLayout, walkTransaction } from '../../blocks/transaction-layout.ts';
import type { SpentPart } from '../../scripts/transaction-parts.ts';
import { requiredValue } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
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
  const output = outputOfPrevious(input, previous);
  if (witnessUtxo === null || isObstacle(output)) return output;
  const other = outputOn(witnessUtxo);
  if (isObstacle(other)) return other;
  return Buffer.compare(other.amount, output.amount) === 0 && Buffer.compare(other.script, output.script) === 0
    ? output
    : unsafe('its witness UTXO is not the output of its previous transaction');
}

/** An output as it stands on the wire. */
function outputOn(value: Uint8Array): SpentPart | Obstacle {
  return spentPart(value, 0, 8 + sizeOfPrefix(value[8] as number), value.length);
}

function outputOfPrevious(input: PsbtMap, previous: Uint8Array): SpentPart | Obstacle {
  const vout = readUint32(requiredValue(input, INPUT.OUTPUT_INDEX), 0);
  const layout = emptyLayout();
  let at = 0;
  let [start, end] = [-1, -1];
  walkTransaction(
    new ByteCursor(previous),
    {
      input: () => false,
      output: (_, from, to) => {
        if (at++ === vout) [start, end] = [from, to];
        return false;
      },
    },
    layout,
  );
  const txid = requiredValue(input, INPUT.PREVIOUS_TXID);
  if (Buffer.compare(idHash(previous, layout), txid) !== 0)
    return unsafe('its previous transaction (non-witness UTXO) is not the one that its outpoint names');
  if (start < 0) return unsafe(`its previous transaction has no output ${vout}`);
  return spentPart(previous, start - prefixSize(end - start) - 8, start, end);
}

function spentPart(bytes: Uint8Array, amountAt: number, start: number, end: number): SpentPart | Obstacle {
  const amount = Buffer.from(bytes.buffer, bytes.byteOffset + amountAt, 8);
  const sats = amount.readBigInt64LE();
  if (sats < 0n || sats > MAX_SATS) return unsafe('the amount of its UTXO is out of range');
  return { amount, script: bytes.subarray(start, end) };
}

/** Bytes of a compact size by its first byte; by the value it holds. */
const sizeOfPrefix = (first: number): number => (first < 0xfd ? 1 : first === 0xfd ? 3 : first === 0xfe ? 5 : 9);
const prefixSize = (value: number): number => (value < 0xfd ? 1 : value <= 0xffff ? 3 : 5);
