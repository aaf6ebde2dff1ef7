import { operation } from '../../../hooks/operation.ts';
import type { TokenService } from '../../../services/governance/token-service.ts';
import { tokenSupply } from './token-answer.ts';

export const getTokenSupply = (tokens: TokenService) =>
  operation({
    id: 'token-supply.get',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/tokens/supply',
    summary: 'How many tokens there are',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    success: { status: 200, answer: tokenSupply, description: 'The supply' },
    example: {
      response: { supply: '1000000.00000000', max_supply: '9007199254740991.00000000', admin_mint: true },
    },
    run: (_, context) => tokens.supply(context),
  });
