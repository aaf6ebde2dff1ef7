import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ChainHeaders } from '../../../../services/blockchain/chain-headers.ts';
import { blockIdField, CHAIN_ERRORS } from '../../../chain/chain-fields.ts';
import { blockHeader, headerExample } from '../../../chain/header-answer.ts';
import { reads } from '../../declarations.ts';

export const getHeader = (headers: ChainHeaders) =>
  operation({
    ...reads('Bitcoin', 'headers'),
    id: 'header.get',
    path: '/api/v1/bitcoin/headers/{hash_or_height}',
    summary: 'A block header, decoded and as bytes',
    params: z.strictObject({ hash_or_height: blockIdField }),
    success: { status: 200, answer: blockHeader, description: 'The header' },
    errors: ['not_found', ...CHAIN_ERRORS],
    example: { params: { hash_or_height: '0' }, response: headerExample },
    run: ({ params }) => headers.get(params.hash_or_height),
  });
