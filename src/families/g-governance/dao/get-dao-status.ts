import { z } from 'zod';
import { formatTokens } from '../../../core/governance/tokens.ts';
import { operation } from '../../../hooks/operation.ts';
import type { Governance } from '../../../services/governance/index.ts';
import { amount, answer } from '../../answer.ts';
import { tokenAmount } from '../governance-fields.ts';

type Status = Awaited<ReturnType<Governance['status']>>;

const daoStatus = answer(
  'DaoStatus',
  {
    active_proposals: z.int(),
    total_voting_power: z.int().meta({ description: 'What all holders can vote with on a proposal that is made now' }),
    treasury_balance: amount.meta({ description: 'Confirmed BTC of the treasury; 0 where none is set' }),
    governance_token_supply: tokenAmount,
  },
  ({ totalPower, supply }: Status) => ({
    total_voting_power: Number(totalPower),
    governance_token_supply: formatTokens(supply),
  }),
);

export const getDaoStatus = ({ status }: Governance) =>
  operation({
    id: 'dao-status.get',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/dao/status',
    summary: 'The DAO at a glance',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    success: { status: 200, answer: daoStatus, description: 'The status' },
    example: {
      response: {
        active_proposals: 1,
        total_voting_power: 1_000_000,
        treasury_balance: '1.50000000',
        governance_token_supply: '1000000.00000000',
      },
    },
    run: (_, context) => status(context),
  });
