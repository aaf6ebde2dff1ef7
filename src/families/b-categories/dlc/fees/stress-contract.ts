import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { checkTerms, termsOf } from '../../../contracts/contract-fields.ts';
import { COMPUTED } from '../message-fields.ts';
import { previewFields, TERMS_ERRORS, termsExample } from '../payouts/payout-answer.ts';
import { contractFees, DEFAULT_RATES, feeRatesField, feesExample } from './fee-answer.ts';

export const stressContract = (contracts: Pick<ContractService, 'fees'>) =>
  operation({
    ...COMPUTED,
    id: 'contract.stress',
    path: '/api/v1/dlc/fees/stress',
    summary: "What a contract's transactions would pay when feerates rise",
    description:
      "A contract's feerate is fixed when it is made, and it may settle much later. Of terms between two sides with one P2WPKH input " +
      'each: what every transaction pays, and what a child must add at each feerate. At most 100 CETs, the first.',
    body: z.strictObject({ ...previewFields, fee_rates: feeRatesField }).superRefine(checkTerms),
    success: { status: 200, answer: contractFees, description: 'The transactions' },
    errors: [...TERMS_ERRORS],
    example: { body: { ...termsExample, fee_rate: '2', fee_rates: ['2', '20'] }, response: feesExample },
    run: ({ body: { fee_rates, ...terms } }, context) =>
      contracts.fees({ terms: termsOf(terms) }, fee_rates ?? DEFAULT_RATES, context),
  });
