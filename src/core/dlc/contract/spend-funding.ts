/** Signatures of what spends the funding output: compact (64 bytes), SIGHASH_ALL, put into the 2-of-2's witness. */
import { parseTransaction } from '../../blocks/transaction.ts';
import { hex } from '../../bytes.ts';
import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import { derWithHashType } from '../../scripts/der-signature.ts';
import { STANDARD_FLAGS } from '../../scripts/interpreter/script-flags.ts';
import { verifySpend } from '../../scripts/interpreter/verify-spend.ts';
import { p2wsh } from '../../scripts/output-scripts.ts';
import { SIGHASH_ALL } from '../../scripts/sighash-type.ts';
import {
  type ContractTransaction,
  type SignedContractTransaction,
  withWitnesses,
} from '../transactions/contract-transaction.ts';
import type { Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';

export const fundingKeyOf = ({ offer, acceptParty }: DlcContract, side: Side): Uint8Array =>
  (side === 'offer' ? offer.party : acceptParty).fundingPublicKey;

/** Low s and low r; the key is the caller's to zero. */
export const signHash = (hash: Uint8Array, privateKey: Uint8Array): Uint8Array => ecc.signEcdsa(hash, privateKey);

/** Whose signature stands first: the lesser key's (BIP67). */
export const firstSigner = (contract: DlcContract): Side =>
  Buffer.compare(fundingKeyOf(contract, 'offer'), fundingKeyOf(contract, 'accept')) <= 0 ? 'offer' : 'accept';

/** The transaction with both signatures, run through the interpreter. Throws `contract_refused` where it does not run. */
export function signedClosing(
  contract: DlcContract,
  transaction: ContractTransaction,
  signatures: Readonly<Record<Side, Uint8Array>>,
): SignedContractTransaction {
  const offered = derWithHashType(signatures.offer, SIGHASH_ALL);
  const accepted = derWithHashType(signatures.accept, SIGHASH_ALL);
  const ordered = firstSigner(contract) === 'offer' ? [offered, accepted] : [accepted, offered];
  const signed = withWitnesses(transaction, [[new Uint8Array(0), ...ordered, contract.fundingScript]]);
  const spent = { amountSats: contract.fundingAmountSats, scriptPubKey: hex(p2wsh(contract.fundingScript)) };
  const verdict = verifySpend(parseTransaction(signed.raw), [spent], 0, STANDARD_FLAGS);
  if (!verdict.valid)
    throw new DomainError(
      'contract_refused',
      `the two signatures do not spend the contract's funding output: ${verdict.reason}`,
    );
  return signed;
}
