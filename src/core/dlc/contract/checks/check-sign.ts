import { compactSizeLength } from '../../../policy/dust.ts';
import type { AcceptMessage, OfferMessage, SignMessage } from '../../dlc-messages.ts';
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
  const sameId = Buffer.compare(sign.contractId, contract.contractId) === 0;
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
  const verify = fundingVerifier(contract, { offer: fundingSignatures, accept: [] });
  for (const input of [...inputs].sort((one, other) => one.position - other.position)) {
    const verdict = verify(input);
    list.judge('funding_signature', verdict.valid ? null : verdict.reason, input.position);
  }
}

/** Serialized, with its counts and lengths. */
const witnessLength = (stack: readonly Uint8Array[]): number =>
  stack.reduce((sum, { length }) => sum + compactSizeLength(length) + length, compactSizeLength(stack.length));

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
