import { operation } from '../../../hooks/operation.ts';
import type { TokenService } from '../../../services/governance/token-service.ts';
import { adminMovement, entryExample, movementExample, tokenEntry } from './token-answer.ts';

export const burnToken = (tokens: TokenService) =>
  operation({
    id: 'token.burn',
    family: 'g',
    method: 'POST',
    path: '/v1/governance/tokens/burn',
    summary: 'Destroy tokens of a holder',
    description:
      'Tokens that are available: of others, where the parameter `admin_mint` is false, only once they are deleted or revoked. Where `policy_change` of the enterprise config is set it waits for approval.',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'admin' },
    changesRules: { present: (change: object) => change },
    body: adminMovement,
    success: { status: 201, answer: tokenEntry, description: 'The change of the balance' },
    errors: ['not_found', 'invalid_address', 'wrong_network', 'insufficient_funds', 'state_conflict'],
    example: {
      body: { ...movementExample, reason: 'Minted twice' },
      response: {
        ...entryExample,
        ...{ seq: 3, type: 'burn', change: '-250.50000000', balance: '0.00000000', reason: 'Minted twice' },
      },
    },
    run: ({ body }, context) => tokens.burn(body, context),
  });
