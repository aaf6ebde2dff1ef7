/** What is read off a PSBT once, and then used by view and checks. */

import { readUint32 } from '../../blocks/byte-cursor.ts';
import { type SignatureHashes, signatureHashesOf } from '../../scripts/signature-hash.ts';
import { createTransactionParts, once } from '../../scripts/transaction-parts.ts';
import { isFinalized, requiredValue, sequenceOf } from '../codec/input-fields.ts';
import { INPUT, OUTPUT } from '../codec/key-types.ts';
import { outputAmount, outputScript } from '../codec/output-fields.ts';
import type { PsbtV2 } from '../psbt.ts';
import type { PsbtMap } from '../psbt-map.ts';
import { inputSpend } from '../signing/input-spend.ts';
import { isObstacle, spentPartOf } from '../signing/spent-part.ts';
import { locktimeOf, transactionVersion } from '../transaction-of.ts';

export function psbtFacts(psbt: PsbtV2) {
  const inputs = psbt.inputs.map(inputFacts);
  const locktime = locktimeOf(psbt);
  const inputSats = inputs.every(({ amountSats }) => amountSats !== null)
    ? inputs.reduce((sum, { amountSats }) => sum + (amountSats as bigint), 0n)
    : null;
  const outputSats = psbt.outputs.reduce((sum, output) => sum + outputAmount(output), 0n);
  return {
    psbt,
    inputs,
    locktime,
    inputSats,
    outputSats,
    feeSats: inputSats === null || inputs.length === 0 ? null : inputSats - outputSats,
    /** What signatures sign. Its functions throw RangeError where an output that is spent is needed and not known. */
    hashes: once(() => hashesOf(psbt, inputs, locktime ?? 0)),
  };
}

export type PsbtFacts = ReturnType<typeof psbtFacts>;

function inputFacts(map: PsbtMap, index: number) {
  const spent = spentPartOf(map);
  const known = !isObstacle(spent);
  return {
    index,
    map,
    spent,
    amountSats: known ? spent.amount.readBigInt64LE() : null,
    /** The whole previous transaction is there, and is the one that the outpoint names. */
    verified: known && map.has(INPUT.NON_WITNESS_UTXO),
    /** How it is spent; an obstacle where it is final already and the scripts are gone. */
    spend: inputSpend(map, spent),
    finalized: isFinalized(map),
  };
}

export type InputFacts = ReturnType<typeof inputFacts>;

function hashesOf(psbt: PsbtV2, inputs: readonly InputFacts[], locktime: number): SignatureHashes {
  const parts = createTransactionParts(transactionVersion(psbt), locktime, inputs.length, psbt.outputs.length);
  for (const { index, map, spent } of inputs) {
    const vout = readUint32(requiredValue(map, INPUT.OUTPUT_INDEX), 0);
    parts.setInput(index, requiredValue(map, INPUT.PREVIOUS_TXID), vout, sequenceOf(map));
    if (!isObstacle(spent)) parts.setSpent(index, spent);
  }
  for (const [index, output] of psbt.outputs.entries())
    parts.setOutput(index, requiredValue(output, OUTPUT.AMOUNT), outputScript(output));
  return signatureHashesOf(parts);
}
