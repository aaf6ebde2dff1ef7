import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Holders } from '../../../services/governance/holders.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { holder, holderExample } from './holder-answer.ts';

export const listHolder = (holders: Holders) =>
  operation({
    id: 'holder.list',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/holders',
    summary: 'Holders of tokens',
    description: 'Whoever has had tokens or registered an address.',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(holder), description: 'A page of holders, newest first' },
    example: { query: { limit: '20', offset: '0' }, response: pageExample(holderExample) },
    run: ({ query }, context) => holders.list(pageOf(query), context),
  });
