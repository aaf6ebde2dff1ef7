import { Readable } from 'node:stream';
import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { ExportProposal } from '../../../services/governance/export-proposal.ts';
import { proposalExample, proposalParams } from './proposal-answer.ts';

export const exportProposal = (exportIt: ExportProposal) =>
  operation({
    id: 'proposal.export',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/proposals/{id}/export',
    summary: 'A proposal as a file that anybody can recount without the service',
    description:
      'NDJSON: the proposal, a signed head of the audit log with the records that commit to the snapshot and the votes, each holder at the ' +
      'snapshot with its keys, each vote with its proof, the tally. `ashlar governance verify FILE` recounts it. The audit records in it say ' +
      'from which address the proposal was made, and take the scope compliance:read besides.',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'operator' },
    params: proposalParams,
    success: {
      status: 200,
      schema: z.string(),
      contentType: 'application/x-ndjson',
      streamed: true,
      description: 'The lines, streamed',
    },
    errors: ['not_found', 'state_conflict'],
    example: { params: { id: proposalExample.id }, response: '{"type":"proposal","format":"ashlar-governance-1"}\n' },
    run: ({ params }, context) => exportIt(params.id, context),
    present: (pieces) => Readable.from(pieces, { objectMode: false, encoding: 'utf8' }),
  });
