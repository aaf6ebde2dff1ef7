import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { TokenService } from '../../../services/governance/token-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { EXAMPLE_HOLDER, holderField } from '../governance-fields.ts';
import { entryExample, tokenEntry } from './token-answer.ts';

export const listToken = (tokens: TokenService) =>
  operation({
    id: 'token.list',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/tokens/history',
    summary: 'Changes of balances',
    description: 'Of all holders, or of one. A transfer is two entries, one of each side.',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    query: z.strictObject({ ...pageQuery, address: holderField.optional() }),
    success: { status: 200, answer: paginated(tokenEntry), description: 'A page of changes, newest first' },
    errors: ['not_found', 'invalid_address', 'wrong_network'],
    example: { query: { address: EXAMPLE_HOLDER }, response: pageExample(entryExample) },
    run: ({ query: { address, ...page } }, context) => tokens.history(address, pageOf(page), context),
  });
