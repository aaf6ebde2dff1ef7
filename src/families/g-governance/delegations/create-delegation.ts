import { operation } from '../../../hooks/operation.ts';
import type { Delegations } from '../../../services/governance/delegations.ts';
import { namedRequest } from '../../fields.ts';
import { EXAMPLE_HOLDER, holderField, tokensField } from '../governance-fields.ts';
import { delegation, delegationExample } from './delegation-answer.ts';

export const createDelegation = (delegations: Delegations) =>
  operation({
    id: 'delegation.create',
    family: 'g',
    method: 'POST',
    path: '/v1/governance/tokens/delegate',
    summary: 'Let another holder vote with tokens of one’s own',
    description:
      'On proposals made afterwards. The tokens stay one’s own, locked as long as the delegation stands. Whoever gets them cannot hand them ' +
      'on. Only whole tokens of a delegation have power.',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'operator' },
    body: namedRequest('DelegationRequest', { delegate_address: holderField, amount: tokensField }),
    success: { status: 201, answer: delegation, description: 'The delegation' },
    errors: ['not_found', 'invalid_address', 'wrong_network', 'insufficient_funds', 'state_conflict'],
    example: { body: { delegate_address: EXAMPLE_HOLDER, amount: '250.5' }, response: delegationExample },
    run: ({ body: { delegate_address, amount } }, context) =>
      delegations.give({ delegateAddress: delegate_address, amount }, context),
  });
