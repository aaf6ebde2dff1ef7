/** Drafts as maps: every field checked by the table, as if it had been read. */
import { MalformedDataError } from '../../blocks/malformed-data-error.ts';
import { type ParsedTransaction, parseTransaction } from '../../blocks/transaction.ts';
import { DomainError } from '../../errors.ts';
import { type Outpoint, outpointKey } from '../../outpoint.ts';
import { fieldOf } from '../codec/fields.ts';
import { outputValue, setPreviousOutpoint, tapLeafScriptEntry, uint32Value } from '../codec/input-fields.ts';
import { bip32DerivationEntry, tapBip32DerivationEntry } from '../codec/key-derivations.ts';
import { INPUT, OUTPUT } from '../codec/key-types.ts';
import { amountValue, tapTreeValue } from '../codec/output-fields.ts';
import type { PsbtPlace } from '../psbt-error.ts';
import { type PsbtEntry, PsbtMap } from '../psbt-map.ts';
import type { PsbtInputDraft, PsbtInputFacts, PsbtOutputDraft, PsbtOutputFacts } from './psbt-draft.ts';

const NO_KEY_DATA = new Uint8Array(0);

/** `field` is the draft's path, for refusals: `inputs[3]`. Throws `invalid_value` and `invalid_transaction`. */
export function inputMap(draft: PsbtInputDraft, field: string): PsbtMap {
  const map = new PsbtMap();
  setPreviousOutpoint(map, draft.outpoint);
  const entries = inputEntries(draft, field);
  const { sequence, requiredTimeLocktime, requiredHeightLocktime } = draft;
  const number = (type: number, value: number | undefined) => {
    if (value !== undefined)
      entries.push(checked('input', { type, keyData: NO_KEY_DATA, value: uint32Value(value) }, field));
  };
  number(INPUT.SEQUENCE, sequence);
  number(INPUT.REQUIRED_TIME_LOCKTIME, requiredTimeLocktime);
  number(INPUT.REQUIRED_HEIGHT_LOCKTIME, requiredHeightLocktime);
  refusePlaced(entries, [INPUT.PREVIOUS_TXID, INPUT.OUTPUT_INDEX], field);
  map.setAll(entries);
  refuseOtherTransaction(draft, draft.outpoint, field);
  return map;
}

/** What the facts come to, in no order. */
export function inputEntries(facts: PsbtInputFacts, field: string): PsbtEntry[] {
  const entries: PsbtEntry[] = [];
  const add = (entry: PsbtEntry) => entries.push(checked('input', entry, field));
  const single = (type: number, value: Uint8Array | undefined) => {
    if (value !== undefined) add({ type, keyData: NO_KEY_DATA, value });
  };
  const { witnessUtxo, sighashType } = facts;
  single(INPUT.NON_WITNESS_UTXO, facts.nonWitnessUtxo);
  if (witnessUtxo) single(INPUT.WITNESS_UTXO, outputValue(witnessUtxo.amountSats, witnessUtxo.script));
  if (sighashType !== undefined) single(INPUT.SIGHASH_TYPE, uint32Value(sighashType));
  single(INPUT.REDEEM_SCRIPT, facts.redeemScript);
  single(INPUT.WITNESS_SCRIPT, facts.witnessScript);
  for (const one of facts.bip32Derivations ?? []) add(bip32DerivationEntry(INPUT.BIP32_DERIVATION, one));
  for (const leaf of facts.tapLeafScripts ?? []) add(tapLeafScriptEntry(leaf));
  for (const one of facts.tapBip32Derivations ?? []) add(tapBip32DerivationEntry(INPUT.TAP_BIP32_DERIVATION, one));
  single(INPUT.TAP_INTERNAL_KEY, facts.tapInternalKey);
  single(INPUT.TAP_MERKLE_ROOT, facts.tapMerkleRoot);
  for (const entry of facts.fields ?? []) add(entry);
  return entries;
}

export function outputMap(draft: PsbtOutputDraft, field: string): PsbtMap {
  const entries = outputEntries(draft, field);
  refusePlaced(entries, [OUTPUT.AMOUNT, OUTPUT.SCRIPT], field);
  const amount = { type: OUTPUT.AMOUNT, keyData: NO_KEY_DATA, value: amountValue(draft.amountSats) };
  const script = { type: OUTPUT.SCRIPT, keyData: NO_KEY_DATA, value: draft.script };
  const map = new PsbtMap();
  map.setAll([checked('output', amount, `${field}.amount`), script, ...entries]);
  return map;
}

export function outputEntries(facts: PsbtOutputFacts, field: string): PsbtEntry[] {
  const entries: PsbtEntry[] = [];
  const add = (entry: PsbtEntry) => entries.push(checked('output', entry, field));
  const single = (type: number, value: Uint8Array | undefined) => {
    if (value !== undefined) add({ type, keyData: NO_KEY_DATA, value });
  };
  single(OUTPUT.REDEEM_SCRIPT, facts.redeemScript);
  single(OUTPUT.WITNESS_SCRIPT, facts.witnessScript);
  for (const one of facts.bip32Derivations ?? []) add(bip32DerivationEntry(OUTPUT.BIP32_DERIVATION, one));
  single(OUTPUT.TAP_INTERNAL_KEY, facts.tapInternalKey);
  if (facts.tapTree !== undefined) single(OUTPUT.TAP_TREE, tapTreeValue(facts.tapTree));
  for (const one of facts.tapBip32Derivations ?? []) add(tapBip32DerivationEntry(OUTPUT.TAP_BIP32_DERIVATION, one));
  for (const entry of facts.fields ?? []) add(entry);
  return entries;
}

/** The entry, where the table has nothing against it in a PSBT of version 2. */
export function checked(map: PsbtPlace['map'], entry: PsbtEntry, field: string): PsbtEntry {
  const { type, keyData, value } = entry;
  const known = fieldOf(map, type);
  if (known === null) return entry;
  const { name, keyData: keyShape, value: valueShape, excludedFrom } = known;
  const refuse = (what: string) => new DomainError('invalid_value', `${name}: ${what}`, { field });
  if (excludedFrom.includes(2)) throw refuse('must not be in a PSBT of version 2');
  if (keyShape === null && keyData.length > 0) throw refuse('has no key data');
  // The test of a value may look at the key data, so that both lie in one piece.
  const bytes = keyData.length === 0 ? value : Buffer.concat([keyData, value]);
  const keyEnd = keyData.length;
  try {
    if (keyShape !== null && !keyShape.fits(bytes, 0, keyEnd, 0, keyEnd))
      throw refuse(`its key data must be ${keyShape.is}`);
    if (!valueShape.fits(bytes, keyEnd, bytes.length, 0, keyEnd)) throw refuse(`must be ${valueShape.is}`);
  } catch (error) {
    if (error instanceof MalformedDataError) throw refuse(`must be ${valueShape.is}: ${error.message}`);
    throw error;
  }
  return entry;
}

/** A previous transaction must be the one that the outpoint names, have that output, and agree with the witness UTXO. */
export function refuseOtherTransaction(facts: PsbtInputFacts, outpoint: Outpoint, field: string): void {
  const { nonWitnessUtxo: raw, witnessUtxo } = facts;
  if (raw === undefined) return;
  const previous: ParsedTransaction = parseTransaction(raw);
  const refuse = (what: string) => new DomainError('invalid_transaction', what, { field: `${field}.non_witness_utxo` });
  if (previous.txid !== outpoint.txid)
    throw refuse(`the transaction is ${previous.txid}, and the input spends ${outpointKey(outpoint)}`);
  const output = previous.outputs[outpoint.vout];
  if (output === undefined)
    throw refuse(`the transaction has ${previous.outputs.length} outputs, and none with index ${outpoint.vout}`);
  if (!witnessUtxo) return;
  const script = Buffer.from(witnessUtxo.script).toString('hex');
  if (output.amountSats !== witnessUtxo.amountSats || output.scriptPubKey !== script)
    throw refuse('the output of the transaction is another than the one given as witness_utxo');
}

function refusePlaced(entries: readonly PsbtEntry[], types: readonly number[], field: string): void {
  for (const { type } of entries)
    if (types.includes(type))
      throw new DomainError('invalid_value', 'fields must not repeat what the draft says by name', {
        field: `${field}.fields`,
      });
}
