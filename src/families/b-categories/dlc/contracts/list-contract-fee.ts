import { z } from 'zod';
import { feeRateProblem, parseFeeRate } from '../../../../core/fee-rate.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { contractFees, DEFAULT_RATES, feesExample } from '../fees/fee-answer.ts';
import { contractParams, OF_CONTRACTS } from '../message-fields.ts';
import { CONTRACT_ID } from './remote-examples.ts';

const MAX_RATES = 20;

const feeRatesQuery = z
  .string()
  .max(300, 'must have at most 300 characters')
  .transform((text, context) => {
    const rates = text.split(',').map((rate) => rate.trim());
    const problem =
      rates.length > MAX_RATES
        ? `must have at most ${MAX_RATES} feerates`
        : rates.map(feeRateProblem).find((one) => one !== null);
    if (!problem) return rates.map(parseFeeRate);
    context.issues.push({ code: 'custom', message: problem, input: text });
    return z.NEVER;
  })
  .optional()
  .meta({ description: 'sat/vB, separated by commas. Default: 1 to 500', examples: ['2,20,200'] });

export const listContractFee = (contracts: Pick<ContractService, 'fees'>) =>
  operation({
    ...OF_CONTRACTS,
    id: 'contract-fee.list',
    path: '/api/v1/dlc/contracts/{contract_id}/fees',
    summary: "What a contract's transactions pay, and what children must add when feerates rise",
    description: 'Before it is accepted the other side is reckoned with one P2WPKH input. At most 100 CETs, the first.',
    params: contractParams,
    query: z.strictObject({ fee_rates: feeRatesQuery }),
    success: { status: 200, answer: contractFees, description: 'The transactions' },
    errors: ['not_found', 'too_large', 'unavailable'],
    example: { params: { contract_id: CONTRACT_ID }, query: { fee_rates: '2,20' }, response: feesExample },
    run: ({ params, query }, context) =>
      contracts.fees({ contractId: params.contract_id }, query.fee_rates ?? DEFAULT_RATES, context),
  });
