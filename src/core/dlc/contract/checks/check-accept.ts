import { hex } from '../../../bytes.ts';
import { DomainError } from '../../../errors.ts';
import { p2wsh } from '../../../scripts/output-scripts.ts';
import { ADAPTOR_SIGNATURE_BYTES } from '../../adaptor-signatures/serialization.ts';
import type { AcceptMessage, ContractParty, OfferMessage } from '../../dlc-messages.ts';
import { isSmall } from '../../jobs/is-small.ts';
import { fundingInputWeight } from '../../transactions/contract-fees.ts';
import { fundingCoins } from '../../transactions/funding-coins.ts';
import type { ContractCheck } from '../contract-check.ts';
import { contractOf } from '../contract-of.ts';
import type { DlcContract } from '../dlc-contract.ts';
import { verifyRefund } from '../sign-refund.ts';
import type { CheckContext } from './check-context.ts';
import { MAX_STANDARD_WEIGHT } from './check-funding-inputs.ts';
import { type CheckList, checkList } from './check-list.ts';
import { duplicateOf } from './check-offer.ts';
import { checkParty } from './check-party.ts';

/**
 * Every check of an accept message but its adaptor signatures, which are checked by range (verifyCets). The offer has passed its checks
 * (dlcspecs Protocol.md, The `accept_dlc` Message).
 */
export function checkAccept(offer: OfferMessage, accept: AcceptMessage, context: CheckContext): ContractCheck[] {
  const list = checkList('accept');
  const { party } = accept;
  const { dialect } = context;
  const sameVersion = accept.protocolVersion === offer.protocolVersion;
  list.judge('protocol_version', sameVersion ? null : "it is not the offer's");
  const sameId = Buffer.compare(accept.temporaryContractId, offer.temporaryContractId) === 0;
  list.judge('temporary_contract_id', sameId ? null : "it is not the offer's");
  const leftSats = offer.contractInfo.totalCollateralSats - offer.party.collateralSats;
  const completes = party.collateralSats === leftSats;
  list.judge('collateral', completes ? null : `${party.collateralSats} satoshis; what the offer leaves is ${leftSats}`);
  list.judge('serial_ids', serialIdProblem(offer, party));
  list.judge(
    'negotiation_fields',
    accept.negotiationFields === null ? null : 'other roundings are not negotiated here',
  );
  list.judge('other_funding_key', keyProblem(offer, party));
  checkParty({ list, side: 'accept', party, offer, dialect, others: fundingCoins('offer', offer.party) });
  checkTransactions(list, offer, accept, context);
  return list.checks;
}

/** A contract comes out of it, whose funding output is told from change and which nodes relay; then what is signed of it. */
function checkTransactions(
  list: CheckList,
  offer: OfferMessage,
  { party, cetAdaptorSignatures, refundSignature }: AcceptMessage,
  { dialect }: CheckContext,
): void {
  const failed = list.checks.find(({ verdict }) => verdict === 'failed');
  if (failed) list.skip('transactions', `${failed.check} failed`);
  const contract = failed ? null : list.attempt('transactions', () => soundContract(offer, party, dialect));
  checkClosingSignatures(list, contract, { party, cetAdaptorSignatures, refundSignature });
}

/** Throws `contract_refused`. */
function soundContract(offer: OfferMessage, party: ContractParty, dialect: CheckContext['dialect']): DlcContract {
  const contract = contractOf(offer, party, dialect);
  const { script, inputs } = contract.fundingTransaction;
  const funding = hex(p2wsh(script));
  if ([offer.party, party].some(({ changeScript }) => Buffer.from(changeScript).toString('hex') === funding))
    throw new DomainError('contract_refused', "transactions: change goes to the contract's own funding script");
  const weight = fundingInputWeight([...offer.party.fundingInputs, ...party.fundingInputs]);
  if (inputs.length === 0 || weight > MAX_STANDARD_WEIGHT)
    throw new DomainError(
      'contract_refused',
      `transactions: the funding inputs weigh ${weight}, more than nodes relay`,
    );
  return contract;
}

/** Counting cases takes some 0.01 ms each. */
const COUNTED_AT_ONCE = 1_000;

/** How many adaptor signatures there are, and the refund's: of an accept and of a sign message alike. */
export function checkClosingSignatures(
  list: CheckList,
  contract: DlcContract | null,
  signed: {
    readonly party: ContractParty;
    readonly cetAdaptorSignatures: Uint8Array;
    readonly refundSignature: Uint8Array;
  },
): void {
  if (contract === null) {
    for (const check of ['adaptor_signature_count', 'refund_signature'] as const)
      list.skip(check, 'the transactions are not known');
    return;
  }
  if (isSmall(contract.offer.contractInfo, COUNTED_AT_ONCE)) {
    const count = signed.cetAdaptorSignatures.length / ADAPTOR_SIGNATURE_BYTES;
    const { caseCount } = contract;
    list.judge('adaptor_signature_count', count === caseCount ? null : `there are ${count}, and ${caseCount} cases`);
  } else list.skip('adaptor_signature_count', 'they are many: counted where they are verified');
  const verified = verifyRefund(contract, signed.party.fundingPublicKey, signed.refundSignature);
  list.judge('refund_signature', verified ? null : "it does not sign the refund, or not with its side's funding key");
}

function serialIdProblem(offer: OfferMessage, party: ContractParty): string | null {
  const inputs = [...offer.party.fundingInputs, ...party.fundingInputs].map(({ serialId }) => serialId);
  const duplicate = duplicateOf(inputs);
  if (duplicate !== null) return `two funding inputs have the serial id ${duplicate}`;
  const outputs = [offer.fundOutputSerialId, offer.party.changeSerialId, party.changeSerialId];
  if (duplicateOf(outputs) !== null) return 'two outputs of the funding transaction have the same serial id';
  return offer.party.payoutSerialId === party.payoutSerialId ? 'both payouts have the same serial id' : null;
}

function keyProblem(offer: OfferMessage, party: ContractParty): string | null {
  const same = Buffer.compare(offer.party.fundingPublicKey, party.fundingPublicKey) === 0;
  return same ? "it is the offerer's" : null;
}
