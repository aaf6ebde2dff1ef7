import { operation } from '../../../hooks/operation.ts';
import type { Treasury } from '../../../services/governance/treasury.ts';
import { treasury, treasuryExample } from './treasury-answer.ts';

export const getDaoTreasury = (treasuries: Treasury) =>
  operation({
    id: 'dao-treasury.get',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/dao/treasury',
    summary: 'The treasury',
    description: 'The wallet that passed proposals spend, what it has, what moved last, and where to pay in.',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    success: { status: 200, answer: treasury, description: 'The treasury' },
    example: { response: treasuryExample },
    run: (_, context) => treasuries.get(context),
  });
