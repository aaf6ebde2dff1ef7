/** What a contract, or terms that nobody has offered yet, come to: payouts and fees. */
import type { DlcContract } from '../../../core/dlc/contract/dlc-contract.ts';
import { type StressedTransaction, stressFees } from '../../../core/dlc/contract/fee-stress.ts';
import { typicalContract } from '../../../core/dlc/contract/typical-contract.ts';
import type { Repositories } from '../../../store/store.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import type { ContractService, ContractTermsRequest } from '../contract-service.ts';
import { loadContract } from '../load-contract.ts';
import { requireContract, storedOffer } from '../remote/contract-messages.ts';

/** One input and one output, P2WPKH. */
const CHILD_VSIZE = 110;
const MOST_CETS = 100;
const DEFAULT_FEE_RATE_SAT_VB = 2n;

export function createContractTerms({
  read,
  terms,
}: {
  read: Pick<Repositories, 'contracts'>;
  terms: ContractService['terms'];
}): Pick<ContractService, 'termsOf' | 'fees'> {
  async function stored(contractId: string, { accountId }: RequestContext): Promise<DlcContract> {
    const record = await requireContract(read, accountId, contractId);
    // Before somebody has accepted the other side is as one would expect.
    if (record.dlcContractId !== null) return (await loadContract(read, record)).contract;
    const { message: offer } = await storedOffer(read, record);
    return typicalContract({
      info: offer.contractInfo,
      offerCollateralSats: offer.party.collateralSats,
      feeRateSatVb: offer.feeRateSatVb,
      dialect: record.dialect,
    });
  }

  async function wouldBe(request: ContractTermsRequest, context: RequestContext): Promise<DlcContract> {
    return typicalContract({
      info: await terms(request, context),
      offerCollateralSats: request.offerCollateralSats ?? request.collateralSats / 2n,
      feeRateSatVb: request.feeRateSatVb ?? DEFAULT_FEE_RATE_SAT_VB,
      dialect: request.dialect ?? 'tagged',
    });
  }

  return {
    async termsOf(contractId, context) {
      const record = await requireContract(read, context.accountId, contractId);
      const { message } = await storedOffer(read, record);
      return { info: message.contractInfo, dialect: record.dialect };
    },
    async fees(of, feeRates, context): Promise<StressedTransaction[]> {
      const contract = 'contractId' in of ? await stored(of.contractId, context) : await wouldBe(of.terms, context);
      return stressFees(contract, { feeRates, childVsize: CHILD_VSIZE, mostCets: MOST_CETS });
    },
  };
}
