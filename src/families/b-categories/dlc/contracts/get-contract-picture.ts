import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { contractParams, OF_CONTRACTS } from '../message-fields.ts';
import { CONTRACT_ID } from './remote-examples.ts';

export const getContractPicture = (contracts: Pick<ContractService, 'picture'>) =>
  operation({
    ...OF_CONTRACTS,
    id: 'contract-picture.get',
    path: '/api/v1/dlc/contracts/{contract_id}/picture',
    summary: 'What a contract pays, as a picture',
    description: "An SVG document: the offerer's payout by outcome.",
    params: contractParams,
    success: { status: 200, schema: z.string(), contentType: 'image/svg+xml', description: 'The picture' },
    errors: ['not_found', 'too_large', 'unavailable'],
    example: {
      params: { contract_id: CONTRACT_ID },
      response: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>',
    },
    run: ({ params }, context) => contracts.picture({ contractId: params.contract_id }, context),
    present: (svg) => svg,
  });
