/** A planned payment as a PSBT of version 2 (BIP370), with all that signers and hardware wallets ask for (BIP174, BIP371). */
import { compactSize } from '../blocks/compact-size.ts';
import { DomainError } from '../errors.ts';
import { outpointKey } from '../outpoint.ts';
import {
  setNonWitnessUtxo,
  setPreviousOutpoint,
  setSequence,
  setWitnessUtxo,
  uint32Value,
} from '../psbt/codec/input-fields.ts';
import { writeKeyOrigin } from '../psbt/codec/key-derivations.ts';
import { GLOBAL } from '../psbt/codec/key-types.ts';
import { setOutputAmount, setOutputScript } from '../psbt/codec/output-fields.ts';
import { type DerivedScript, inputFactsOf, outputFactsOf } from '../psbt/construction/derived-script.ts';
import { inputEntries, outputEntries } from '../psbt/construction/draft-maps.ts';
import type { PsbtV2 } from '../psbt/psbt.ts';
import { PsbtMap } from '../psbt/psbt-map.ts';
import { witnessProgram } from '../relay-policy/standard-scripts.ts';
import type { AccountXpub } from '../wallets/account-xpubs.ts';
import type { PaymentPlan, PlannedInput, PlannedOutput } from './payment-plan.ts';

export interface PaymentPsbtRequest {
  readonly plan: Pick<PaymentPlan, 'version' | 'locktime'>;
  readonly inputs: readonly {
    readonly coin: PlannedInput;
    readonly spending: DerivedScript;
    /** The transaction that made the coin, whole; null where nobody could give it. */
    readonly previous: Uint8Array | null;
  }[];
  readonly outputs: readonly {
    readonly output: PlannedOutput;
    /** Of scripts of the paying wallet: what lets a signer see that it is change. */
    readonly spending: DerivedScript | null;
  }[];
  readonly xpubs: readonly AccountXpub[];
}

/**
 * Throws `signing_unavailable` where the previous transaction of an input without witness is missing: its amount is signed by nothing
 * else. Inputs of segwit version 0 get witness UTXO and previous transaction both, or the former alone where there is no other; its
 * amount is then the service's word. Taproot signs the amounts, so that it needs no previous transaction (BIP371).
 */
export function paymentPsbt({ plan, inputs, outputs, xpubs }: PaymentPsbtRequest): PsbtV2 {
  const global = new PsbtMap();
  for (const { bytes, ...origin } of xpubs) global.set(GLOBAL.XPUB, writeKeyOrigin(origin), bytes);
  global.set(GLOBAL.TX_VERSION, uint32Value(plan.version));
  global.set(GLOBAL.FALLBACK_LOCKTIME, uint32Value(plan.locktime));
  global.set(GLOBAL.INPUT_COUNT, compactSize(inputs.length));
  global.set(GLOBAL.OUTPUT_COUNT, compactSize(outputs.length));
  global.set(GLOBAL.VERSION, uint32Value(2));
  return { version: 2, global, inputs: inputs.map(inputMap), outputs: outputs.map(outputMap) };
}

function inputMap({ coin, spending, previous }: PaymentPsbtRequest['inputs'][number], index: number): PsbtMap {
  const map = new PsbtMap();
  const hasWitness = witnessProgram(spending.redeemScript ?? spending.scriptPubKey) !== null;
  if (spending.taproot === null && previous !== null) setNonWitnessUtxo(map, previous);
  if (!hasWitness && previous === null) throw withoutPrevious(coin);
  if (hasWitness) setWitnessUtxo(map, coin);
  setPreviousOutpoint(map, coin);
  setSequence(map, coin.sequence);
  map.setAll(inputEntries(inputFactsOf(spending), `inputs[${index}]`));
  return map;
}

function outputMap({ output, spending }: PaymentPsbtRequest['outputs'][number], index: number): PsbtMap {
  const map = new PsbtMap();
  setOutputAmount(map, output.amountSats);
  setOutputScript(map, Buffer.from(output.scriptPubKey, 'hex'));
  if (spending !== null) map.setAll(outputEntries(outputFactsOf(spending), `outputs[${index}]`));
  return map;
}

const withoutPrevious = (coin: PlannedInput): DomainError =>
  new DomainError(
    'signing_unavailable',
    `the transaction that made ${outpointKey(coin)} cannot be had from the node, and signers of inputs without witness need it: ` +
      'run the node with txindex and without pruning, or spend other coins',
    { field: 'wallet_id' },
  );
