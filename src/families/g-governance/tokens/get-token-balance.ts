import { operation } from '../../../hooks/operation.ts';
import type { TokenService } from '../../../services/governance/token-service.ts';
import { balanceExample, tokenBalance } from '../holders/holder-answer.ts';

export const getTokenBalance = (tokens: TokenService) =>
  operation({
    id: 'token-balance.get',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/tokens/balance',
    summary: 'Tokens of whoever asks',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    success: { status: 200, answer: tokenBalance, description: 'The balance' },
    example: { response: balanceExample },
    run: (_, context) => tokens.balance(context),
  });
