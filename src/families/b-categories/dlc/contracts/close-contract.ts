import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { contractAnswer, presentContract } from '../../../a-transactions/contracts/contract-answer.ts';
import { wholeFeeRateField } from '../../../a-transactions/contracts/contract-fields.ts';
import { shareField } from '../../../a-transactions/contracts/numeric-descriptor-field.ts';
import { contractParams, DLC_BODY_LIMIT, ON_CONTRACT } from '../message-fields.ts';
import { CONTRACT_ID, closingExample } from './remote-examples.ts';

const closeBody = z.union([
  z.strictObject({
    offer_payout: shareField.meta({
      description: "The offerer's part of the collateral, BTC; the accepter gets the rest",
    }),
    fee_rate: wholeFeeRateField.optional().meta({ description: "sat/vB. Default: the contract's" }),
  }),
  z.strictObject({
    psbt: z.string().min(1, 'must not be empty').meta({ description: "The other side's proposal, base64" }),
    minimum_payout: shareField.meta({ description: 'What must come to us at least, BTC' }),
  }),
]);

export const closeContract = (contracts: Pick<ContractService, 'close'>) =>
  operation({
    ...ON_CONTRACT,
    id: 'contract.close',
    path: '/api/v1/dlc/contracts/{contract_id}/close',
    summary: 'Divide a contract by agreement, without the oracle',
    description:
      'One side proposes a division and is answered a PSBT with its signature; the other sends that PSBT with the least it wants, signs ' +
      'and broadcasts. A proposal binds whoever made it until the contract ends otherwise.',
    params: contractParams,
    body: closeBody,
    bodyLimit: DLC_BODY_LIMIT,
    success: {
      status: 200,
      schema: z.object({
        contract: contractAnswer,
        psbt: z.string().nullable().meta({ description: 'Of a proposal: for the other side' }),
      }),
      description: 'The contract, and the proposal',
    },
    errors: [
      'not_found',
      'state_conflict',
      'invalid_psbt',
      'invalid_value',
      'contract_refused',
      'dust',
      'signing_unavailable',
      'node_unavailable',
      'node_syncing',
      'unavailable',
    ],
    example: {
      params: { contract_id: CONTRACT_ID },
      body: { offer_payout: '0.00600000' },
      response: { contract: closingExample, psbt: 'cHNidP8BAgQCAAAAAQQBAAEFAQAB+wQCAAAAAA==' },
    },
    run: ({ params, body }, context) =>
      contracts.close(
        params.contract_id,
        'psbt' in body
          ? { psbt: body.psbt, minimumSats: body.minimum_payout }
          : { offerPayoutSats: body.offer_payout, feeRateSatVb: body.fee_rate },
        context,
      ),
    present: ({ contract, psbt }) => ({ contract: presentContract(contract), psbt }),
  });
