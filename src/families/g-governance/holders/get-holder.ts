import { operation } from '../../../hooks/operation.ts';
import type { Holders } from '../../../services/governance/holders.ts';
import { holder, holderExample, holderParams } from './holder-answer.ts';

export const getHolder = (holders: Holders) =>
  operation({
    id: 'holder.get',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/holders/{holder_address}',
    summary: 'A holder of tokens',
    description: 'By its address or id: every person and API key of the account, also one that has no tokens yet.',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    params: holderParams,
    success: { status: 200, answer: holder, description: 'The holder' },
    errors: ['not_found', 'invalid_address', 'wrong_network'],
    example: { params: { holder_address: holderExample.holder_address }, response: holderExample },
    run: ({ params }, context) => holders.get(params.holder_address, context),
  });
