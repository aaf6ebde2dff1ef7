import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Delegations } from '../../../services/governance/delegations.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { holderField } from '../governance-fields.ts';
import { delegation, delegationExample } from './delegation-answer.ts';

export const listDelegation = (delegations: Delegations) =>
  operation({
    id: 'delegation.list',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/tokens/delegations',
    summary: 'Delegations that stand',
    description: 'Given or received, by whoever asks or by the holder that `address` names.',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    query: z.strictObject({
      ...pageQuery,
      direction: z.enum(['given', 'received']).default('given'),
      address: holderField.optional(),
    }),
    success: { status: 200, answer: paginated(delegation), description: 'A page of delegations, newest first' },
    errors: ['not_found', 'invalid_address', 'wrong_network'],
    example: { query: { direction: 'received' }, response: pageExample(delegationExample) },
    run: ({ query: { address, direction, ...page } }, context) =>
      delegations.list({ address, direction }, pageOf(page), context),
  });
