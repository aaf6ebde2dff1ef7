import { operation } from '../../../hooks/operation.ts';
import type { TokenService } from '../../../services/governance/token-service.ts';
import { adminMovement, entryExample, movementExample, tokenEntry } from './token-answer.ts';

export const mintToken = (tokens: TokenService) =>
  operation({
    id: 'token.mint',
    family: 'g',
    method: 'POST',
    path: '/v1/governance/tokens/mint',
    summary: 'Make tokens',
    description:
      'As long as the parameter `admin_mint` is true. Where `policy_change` of the enterprise config is set it waits for approval.',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'admin' },
    changesRules: { present: (change: object) => change },
    body: adminMovement,
    success: { status: 201, answer: tokenEntry, description: 'The change of the balance' },
    errors: ['not_found', 'invalid_address', 'wrong_network', 'too_large', 'state_conflict'],
    example: { body: { ...movementExample, reason: entryExample.reason }, response: entryExample },
    run: ({ body }, context) => tokens.mint(body, context),
  });
