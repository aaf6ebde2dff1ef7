import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService, ContractView } from '../../../../services/contracts/contract-service.ts';
import { orHeld } from '../../../approvals/or-held.ts';
import { contract } from '../../../contracts/contract-answer.ts';
import { wholeFeeRateField } from '../../../contracts/contract-fields.ts';
import { shareField } from '../../../contracts/numeric-descriptor-field.ts';
import { contractParams, DLC_BODY_LIMIT, ON_CONTRACT } from '../message-fields.ts';
import { CONTRACT_ID, closingExample } from './remote-examples.ts';

/** One object and not a union: what is wrong is then said of the one field that it is. */
const closeBody = z
  .strictObject({
    offer_payout: shareField.optional().meta({
      description: "Proposes: the offerer's part of the collateral, BTC; the accepter gets the rest",
    }),
    fee_rate: wholeFeeRateField.optional().meta({ description: "Of a proposal, sat/vB. Default: the contract's" }),
    psbt: z
      .string()
      .min(1, 'must not be empty')
      .optional()
      .meta({ description: "Takes: the other side's proposal, base64" }),
    minimum_payout: shareField.optional().meta({ description: 'With psbt: what must come to us at least, BTC' }),
  })
  .transform(({ offer_payout, fee_rate, psbt, minimum_payout }, context) => {
    const wrong = (field: string, message: string) => {
      context.issues.push({ code: 'custom', path: [field], message, input: undefined });
      return z.NEVER;
    };
    if (psbt === undefined) {
      if (minimum_payout !== undefined)
        return wrong('psbt', "is required with minimum_payout: the other side's proposal");
      if (offer_payout === undefined) {
        return wrong('offer_payout', 'is required to propose a division; to take one, send psbt and minimum_payout');
      }
      return { offerPayoutSats: offer_payout, feeRateSatVb: fee_rate };
    }
    if (offer_payout !== undefined) {
      return wrong('offer_payout', 'cannot go with psbt: propose a division, or take the one in the PSBT');
    }
    if (fee_rate !== undefined) return wrong('fee_rate', 'cannot go with psbt: the proposal has its fee');
    if (minimum_payout === undefined)
      return wrong('minimum_payout', 'is required with psbt: what must come to us at least');
    return { psbt, minimumSats: minimum_payout };
  })
  .meta({
    description: 'Either offer_payout (and fee_rate): propose a division. Or psbt and minimum_payout: take one.',
  });

const closed = {
  schema: z.object({
    contract: contract.schema,
    psbt: z.string().nullable().meta({ description: 'Of a proposal: for the other side' }),
  }),
  present: (made: { contract: ContractView; psbt: string | null }) => ({
    ...made,
    contract: contract.present(made.contract),
  }),
};

export const closeContract = (contracts: Pick<ContractService, 'close'>) =>
  operation({
    ...ON_CONTRACT,
    id: 'contract.close',
    spends: ['contract_close'],
    path: '/api/v1/dlc/contracts/{contract_id}/close',
    summary: 'Divide a contract by agreement, without the oracle',
    description:
      'One side proposes a division and is answered a PSBT with its signature; the other sends that PSBT with the least it wants, signs ' +
      'and broadcasts. A proposal binds whoever made it until the contract ends otherwise.',
    params: contractParams,
    body: closeBody,
    bodyLimit: DLC_BODY_LIMIT,
    ...orHeld(closed, 'The contract, and the proposal'),
    errors: [
      'not_found',
      'state_conflict',
      'invalid_psbt',
      'invalid_value',
      'contract_refused',
      'dust',
      'fee_too_high',
      'signing_unavailable',
      'node_unavailable',
      'node_syncing',
      'unavailable',
      'too_large',
      'policy_refused',
    ],
    example: {
      params: { contract_id: CONTRACT_ID },
      body: { offer_payout: '0.00600000' },
      response: { contract: closingExample, psbt: 'cHNidP8BAgQCAAAAAQQBAAEFAQAB+wQCAAAAAA==' },
    },
    run: ({ params, body }, context) => contracts.close(params.contract_id, body, context),
  });
