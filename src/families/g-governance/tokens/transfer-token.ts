import { operation } from '../../../hooks/operation.ts';
import type { TokenService } from '../../../services/governance/token-service.ts';
import { namedRequest } from '../../fields.ts';
import { entryExample, movementBody, movementExample, tokenEntry } from './token-answer.ts';

export const transferToken = (tokens: TokenService) =>
  operation({
    id: 'token.transfer',
    family: 'g',
    method: 'POST',
    path: '/v1/governance/tokens/transfer',
    summary: 'Give tokens to another holder',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'operator' },
    body: namedRequest('TokenTransferRequest', movementBody),
    success: { status: 201, answer: tokenEntry, description: 'The change of one’s own balance' },
    errors: ['not_found', 'invalid_address', 'wrong_network', 'insufficient_funds'],
    example: {
      body: movementExample,
      response: {
        ...entryExample,
        ...{ type: 'transfer', change: '-250.50000000', balance: '999749.50000000', reason: null },
        ...{ holder_id: 'key_6pNw2LmQ9vXcT4yHn6PzRa', counterparty_id: entryExample.holder_id },
      },
    },
    run: ({ body }, context) => tokens.transfer(body, context),
  });
