/** A cooperative close on its way between the sides: a PSBT that spends the funding output alone, with one side's signature. */

import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import { outpointKey } from '../../outpoint.ts';
import { partialSignatures, setPartialSignature } from '../../psbt/codec/input-fields.ts';
import { psbtFromText, psbtToBase64 } from '../../psbt/codec/psbt-text.ts';
import { createPsbt } from '../../psbt/construction/create-psbt.ts';
import { toVersion2 } from '../../psbt/construction/migrate.ts';
import type { PsbtV2 } from '../../psbt/psbt.ts';
import type { PsbtMap } from '../../psbt/psbt-map.ts';
import { unsignedTransaction } from '../../psbt/transaction-of.ts';
import { compactFromDer, derWithHashType } from '../../scripts/der-signature.ts';
import { p2wsh } from '../../scripts/output-scripts.ts';
import { SIGHASH_ALL } from '../../scripts/sighash-type.ts';
import { closingHasher } from '../transactions/closing-hash.ts';
import {
  CONTRACT_TRANSACTION_VERSION,
  type ContractOutput,
  contractTransaction,
  sumOf,
} from '../transactions/contract-transaction.ts';
import type { Side } from '../transactions/funding-coins.ts';
import type { CooperativeClose } from './cooperative-close.ts';
import type { DlcContract } from './dlc-contract.ts';
import { fundingKeyOf } from './spend-funding.ts';

/** BIP68: a sequence below it asks for some age of the funding output. */
const RELATIVE_LOCK_DISABLED = 0x80000000;

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

/** Base64, version 2 (BIP370), with everything that another signer needs. `signature`: compact, 64 bytes. */
export function closingPsbt(
  contract: DlcContract,
  { transaction: { inputs, outputs, locktime, version } }: Pick<CooperativeClose, 'transaction'>,
  signed: { readonly side: Side; readonly signature: Uint8Array },
): string {
  const { fundingScript, fundingAmountSats } = contract;
  const psbt = createPsbt({
    version,
    fallbackLocktime: locktime,
    inputs: inputs.map(({ txid, vout, sequence }) => ({
      outpoint: { txid, vout },
      sequence,
      witnessUtxo: { amountSats: fundingAmountSats, script: p2wsh(fundingScript) },
      witnessScript: fundingScript,
      sighashType: SIGHASH_ALL,
    })),
    outputs: outputs.map(({ amountSats, scriptPubKey }) => ({ amountSats, script: bytes(scriptPubKey) })),
  });
  setPartialSignature(psbt.inputs[0] as PsbtMap, {
    publicKey: fundingKeyOf(contract, signed.side),
    signature: derWithHashType(signed.signature, SIGHASH_ALL),
  });
  return psbtToBase64(psbt);
}

export interface ProposedClose extends CooperativeClose {
  /** Of the side that proposes; compact. It is verified. */
  readonly signature: Uint8Array;
}

/**
 * The close that the other side proposes, in a PSBT of either version. Throws PsbtError where it is none, `contract_refused` where it
 * does anything but spend the funding output with that side's good signature of all of it.
 */
export function readClosingPsbt(contract: DlcContract, proposer: Side, text: string): ProposedClose {
  const psbt = version2(text);
  const unsigned = unsignedTransaction(psbt);
  const [input] = unsigned.inputs;
  const funding = { txid: contract.fundingTxid, vout: contract.fundingVout };
  if (input === undefined || unsigned.inputs.length !== 1 || outpointKey(input.prev) !== outpointKey(funding))
    throw refused('it must spend the funding output and nothing else');
  if (unsigned.version !== CONTRACT_TRANSACTION_VERSION || unsigned.locktime !== 0)
    throw refused('it must be a transaction of version 2 without a locktime');
  // Signed, it could not be sent for as much as a year, in which nothing else settles the contract.
  if (input.sequence < RELATIVE_LOCK_DISABLED) throw refused('its sequence locks it for a time (BIP68)');
  if (unsigned.outputs.length === 0) throw refused('it pays nobody');
  const outputs: ContractOutput[] = unsigned.outputs.map(({ amountSats, scriptPubKey }) => ({
    amountSats,
    scriptPubKey,
  }));
  const feeSats = contract.fundingAmountSats - sumOf(outputs);
  if (feeSats < 0n) throw refused('it pays more than the funding output holds');
  const { sequence } = input;
  const transaction = contractTransaction({
    locktime: 0,
    inputs: [{ ...funding, sequence, scriptSig: new Uint8Array(0) }],
    outputs,
    feeSats,
  });
  const hash = closingHasher(contract.fundingTransaction, {
    version: CONTRACT_TRANSACTION_VERSION,
    locktime: 0,
    sequence,
  })(outputs);
  const signature = signatureOf(psbt.inputs[0] as PsbtMap, fundingKeyOf(contract, proposer));
  if (signature === null || !ecc.verifyEcdsa(hash, fundingKeyOf(contract, proposer), signature))
    throw refused(`the ${proposer}er's signature of it is missing or wrong`);
  const paid = (script: Uint8Array): bigint => {
    const scriptPubKey = Buffer.from(script).toString('hex');
    return sumOf(outputs.filter((output) => output.scriptPubKey === scriptPubKey));
  };
  const { offer, acceptParty } = contract;
  const paidSats = { offer: paid(offer.party.payoutScript), accept: paid(acceptParty.payoutScript) };
  return { transaction, hash, paidSats, signature };
}

function version2(text: string): PsbtV2 {
  const psbt = psbtFromText(text);
  return psbt.version === 2 ? psbt : toVersion2(psbt);
}

/** Compact; null where the key has none, or none of everything (SIGHASH_ALL). */
function signatureOf(input: PsbtMap, publicKey: Uint8Array): Uint8Array | null {
  const found = partialSignatures(input).find((one) => Buffer.compare(one.publicKey, publicKey) === 0);
  if (found === undefined || found.signature.at(-1) !== SIGHASH_ALL) return null;
  return compactFromDer(found.signature.subarray(0, -1));
}

const refused = (why: string): DomainError =>
  new DomainError('contract_refused', `cooperative_close: the proposal is refused: ${why}`, { field: 'psbt' });
