/** What a contract, or terms that nobody has offered yet, come to: payouts and fees. */
import type { StressParams, TermsJobs, TermsParams } from '../../../core/dlc/jobs/terms-jobs.ts';
import type { Computing } from '../../../engines/computing/computing.ts';
import type { Repositories } from '../../../store/store.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import type { ContractService } from '../contract-service.ts';
import { messageBytes, offerBytes } from '../load-contract.ts';
import { requireContract } from '../remote/contract-messages.ts';

/** One input and one output, P2WPKH. */
const CHILD_VSIZE = 110;
const MAX_CETS = 100;
const DEFAULT_FEE_RATE_SAT_VB = 2n;

export function createContractTerms({
  read,
  terms,
  computing,
}: {
  read: Pick<Repositories, 'contracts'>;
  terms: ContractService['terms'];
  computing: Computing<TermsJobs>;
}): Pick<ContractService, 'payouts' | 'picture' | 'fees'> {
  type Of = Parameters<ContractService['payouts']>[0];

  async function given(of: Of, context: RequestContext): Promise<TermsParams> {
    if ('terms' in of) return { info: await terms(of.terms, context), dialect: of.terms.dialect ?? 'tagged' };
    const record = await requireContract(read, context.accountId, of.contractId);
    return { offer: await offerBytes(read, record), dialect: record.dialect };
  }

  /** Before somebody has accepted the other side is as one would expect. */
  async function contractGiven(of: Of, context: RequestContext): Promise<StressParams['of']> {
    if ('terms' in of) {
      const { offerCollateralSats, collateralSats, feeRateSatVb, dialect } = of.terms;
      return {
        info: await terms(of.terms, context),
        offerCollateralSats: offerCollateralSats ?? collateralSats / 2n,
        feeRateSatVb: feeRateSatVb ?? DEFAULT_FEE_RATE_SAT_VB,
        dialect: dialect ?? 'tagged',
      };
    }
    const record = await requireContract(read, context.accountId, of.contractId);
    const { dialect } = record;
    return record.dlcContractId === null
      ? { offer: await offerBytes(read, record), accept: null, dialect }
      : { ...(await messageBytes(read, record)), dialect };
  }

  return {
    payouts: async (of, context) => computing.run('terms.payouts', await given(of, context), context),
    picture: async (of, context) => computing.run('terms.picture', await given(of, context), context),
    fees: async (of, feeRates, context) =>
      computing.run(
        'terms.fees',
        { of: await contractGiven(of, context), feeRates, childVsize: CHILD_VSIZE, mostCets: MAX_CETS },
        context,
      ),
  };
}
