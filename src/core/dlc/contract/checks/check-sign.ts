import { compactSizeLength } from '../../../blocks/compact-size.ts';
import { hex, sameBytes } from '../../../bytes.ts';
import { nonstandardInput, signatureOperations } from '../../../relay-policy/standard-inputs.ts';
import { outputKind } from '../../../relay-policy/standard-scripts.ts';
import { OP } from '../../../scripts/interpreter/opcodes.ts';
import type { SpendVerdict } from '../../../scripts/interpreter/verify-spend.ts';
import type { AcceptMessage, OfferMessage, SignMessage } from '../../dlc-messages.ts';
import type { FundingCoin } from '../../transactions/funding-coins.ts';
import type { ContractCheck } from '../contract-check.ts';
import { contractOf } from '../contract-of.ts';
import type { DlcContract } from '../dlc-contract.ts';
import { fundingVerifier } from '../sign-funding.ts';
import { checkClosingSignatures } from './check-accept.ts';
import type { CheckContext } from './check-context.ts';
import { type CheckList, checkList } from './check-list.ts';

/**
 * Every check of a sign message but its adaptor signatures, which are checked by range (verifyCets). Offer and accept message have passed
 * theirs (dlcspecs Protocol.md, The `sign_dlc` Message).
 */
export function checkSign(
  offer: OfferMessage,
  accept: AcceptMessage,
  sign: SignMessage,
  context: CheckContext,
): ContractCheck[] {
  const list = checkList('sign');
  const sameVersion = sign.protocolVersion === offer.protocolVersion;
  list.judge('protocol_version', sameVersion ? null : "it is not the offer's");
  const contract = contractOf(offer, accept.party, context.dialect);
  const sameId = sameBytes(sign.contractId, contract.contractId);
  list.judge('contract_id', sameId ? null : `it is not that of offer and accept message, ${hex(contract.contractId)}`);
  checkClosingSignatures(list, contract, { ...sign, party: offer.party });
  checkFundingSignatures(list, contract, sign);
  return list.checks;
}

/** One witness stack for each of the offerer's inputs, as its message lists them; each no longer than was said, and run by the interpreter. */
function checkFundingSignatures(list: CheckList, contract: DlcContract, { fundingSignatures }: SignMessage): void {
  const inputs = contract.fundingTransaction.inputs.filter(({ side }) => side === 'offer');
  const wrongCount = fundingSignatures.length !== inputs.length;
  const count = `there are ${fundingSignatures.length} witnesses, and ${inputs.length} inputs`;
  list.judge('funding_signature_count', wrongCount ? count : null);
  const tooLong = inputs.filter(
    ({ position, maxWitnessLength }) => witnessLength(fundingSignatures[position] ?? []) > maxWitnessLength,
  );
  for (const { position, maxWitnessLength } of tooLong)
    list.judge(
      'funding_signature',
      `its witness is longer than the ${maxWitnessLength} bytes that are paid for`,
      position,
    );
  if (wrongCount || tooLong.length > 0) {
    list.skip('funding_signature', 'not all witnesses are as the offer has the inputs');
    return;
  }
  const checks = inputs.reduce(
    (sum, input) => sum + signatureChecks(input, fundingSignatures[input.position] ?? []),
    0,
  );
  if (checks > MAX_SIGNATURE_CHECKS) {
    list.judge(
      'funding_signature',
      `the witnesses take ${checks} signature checks; ${MAX_SIGNATURE_CHECKS} are made at most`,
    );
    return;
  }
  const verify = fundingVerifier(contract, { offer: fundingSignatures, accept: [] });
  for (const input of [...inputs].sort((one, other) => one.position - other.position)) {
    const witness = fundingSignatures[input.position] as readonly Uint8Array[];
    list.judge('funding_signature', relayProblem(input, witness) ?? problemOf(verify(input)), input.position);
  }
}

const problemOf = (verdict: SpendVerdict): string | null => (verdict.valid ? null : verdict.reason);

/** As many as the inputs that fit into a transaction, of one key each; more would be scripts that are made to take long. */
const MAX_SIGNATURE_CHECKS = 2_000;

/** At most so many: nothing in a script is run twice. Of taproot's scripts every byte is counted that may be a check. */
function signatureChecks({ scriptPubKey, redeemScript }: FundingCoin, witness: readonly Uint8Array[]): number {
  const kind = outputKind(redeemScript.length > 0 ? redeemScript : Buffer.from(scriptPubKey, 'hex'));
  if (kind === 'p2wsh') return signatureOperations(witness.at(-1) ?? NO_SCRIPT);
  if (kind !== 'p2tr' || witness.length < 2) return 1;
  const leaf = witness.at(-2) ?? NO_SCRIPT;
  return leaf.reduce((sum, byte) => sum + (TAPSCRIPT_CHECKS.has(byte) ? 1 : 0), 1);
}

const NO_SCRIPT = new Uint8Array(0);
const TAPSCRIPT_CHECKS: ReadonlySet<number> = new Set([OP.CHECKSIG, OP.CHECKSIGVERIFY, OP.CHECKSIGADD]);

/** A witness that is not relayed would leave the contract unfunded, valid or not; it is not run. */
const relayProblem = ({ txid, vout, sequence, scriptSig, ...coin }: FundingCoin, witness: readonly Uint8Array[]) =>
  nonstandardInput({ prev: { txid, vout }, sequence, scriptSig, witness }, coin);

/** Serialized, with its counts and lengths. */
const witnessLength = (stack: readonly Uint8Array[]): number =>
  stack.reduce((sum, { length }) => sum + compactSizeLength(length) + length, compactSizeLength(stack.length));
