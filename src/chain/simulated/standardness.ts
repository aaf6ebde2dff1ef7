import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { dustThreshold } from '../../core/policy/dust.ts';
import { MAX_STANDARD_WEIGHT, MIN_STANDARD_NON_WITNESS_SIZE } from '../../core/policy/limits.ts';
import { outputKind } from '../../core/policy/standard-scripts.ts';
import { multisigOf, pushesOf } from '../../core/scripts/script-elements.ts';
import { never } from './refusal.ts';

const MAX_SCRIPT_SIG = 1650;
const MAX_DATA_CARRIER = 100_000;

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
  for (const { amountSats, scriptPubKey } of tx.outputs) {
    const script = Buffer.from(scriptPubKey, 'hex');
    const kind = outputKind(script);
    if (kind === 'nonstandard') throw never('scriptpubkey');
    if (kind === 'multisig' && (multisigOf(script)?.keys.length ?? 0) > 3) throw never('scriptpubkey');
    if (kind === 'null-data') carried += script.length;
    else if (amountSats < dustThreshold(script)) throw never('dust');
  }
  if (carried > MAX_DATA_CARRIER) throw never('datacarrier');
}
