import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Proposals } from '../../../services/governance/proposals.ts';
import { pageQuery } from '../../fields.ts';
import { omitUndefined } from '../../optional-values.ts';
import { executionField, listedProposalExample, proposals, statusField } from './proposal-answer.ts';

const { limit, offset } = pageQuery;

export const listProposal = (service: Proposals) =>
  operation({
    id: 'proposal.list',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/proposals',
    summary: 'Proposals',
    description: 'Newest first. What a proposal changes is in its record.',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    query: z.strictObject({ limit, offset, status: statusField.optional(), execution: executionField.optional() }),
    success: { status: 200, answer: proposals, description: 'A page of proposals' },
    example: {
      query: { status: 'active', limit: '20' },
      response: { proposals: [listedProposalExample], total: 1, limit: 20, offset: 0 },
    },
    run: ({ query: { status, execution: executionStatus, ...page } }, context) =>
      service.list(omitUndefined({ status, executionStatus }), page, context),
  });
