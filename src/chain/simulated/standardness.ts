import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { dustOutputs } from '../../core/relay-policy/dust.ts';
import { MAX_STANDARD_WEIGHT, MIN_STANDARD_NON_WITNESS_SIZE } from '../../core/relay-policy/limits.ts';
import { outputKind } from '../../core/relay-policy/standard-scripts.ts';
import { multisigOf, pushesOf } from '../../core/scripts/script-elements.ts';
import { never } from './refusal.ts';

const MAX_SCRIPT_SIG = 1650;
const MAX_DATA_CARRIER = 100_000;
/** Of a transaction without a fee, whose child spends it. */
const MAX_DUST_OUTPUTS = 1;

/** Relay policy that concerns the transaction by itself (Bitcoin Core's IsStandardTx). Throws Refusal. */
export function checkStandard(tx: ParsedTransaction): void {
  if (tx.version < 1 || tx.version > 3) throw never('version');
  if (tx.weight > MAX_STANDARD_WEIGHT) throw never('tx-size');
  if ((tx.weight - tx.raw.length) / 3 < MIN_STANDARD_NON_WITNESS_SIZE) throw never('tx-size-small');
  for (const { scriptSig } of tx.inputs) {
    if (scriptSig.length > MAX_SCRIPT_SIG) throw never('scriptsig-size');
    if (!pushesOf(scriptSig)) throw never('scriptsig-not-pushonly');
  }
  let carried = 0;
  for (const { scriptPubKey } of tx.outputs) {
    const script = Buffer.from(scriptPubKey, 'hex');
    const kind = outputKind(script);
    if (kind === 'nonstandard') throw never('scriptpubkey');
    if (kind === 'multisig' && (multisigOf(script)?.keys.length ?? 0) > 3) throw never('scriptpubkey');
    if (kind === 'null-data') carried += script.length;
  }
  if (carried > MAX_DATA_CARRIER) throw never('datacarrier');
  if (dustOutputs(tx.outputs).length > MAX_DUST_OUTPUTS) throw never('dust');
}
