import { z } from 'zod';
import { METHODS, SPECIFIC } from '../../../core/tax-lots/tax-lots.ts';
import { operation } from '../../../hooks/operation.ts';
import type { Reports } from '../../../services/reports/report-service.ts';
import { COMPLIANCE_TYPES } from '../../../services/reports/report-types.ts';
import { taxLotsInput } from '../../../services/reports/types/tax-lots.ts';
import { namedRequest } from '../../fields.ts';
import { askedOf, complianceExample, queuedExample, report, reportFields, walletsField } from './report-answer.ts';

/** With the rest within the bytes of a body. */
const MAX_LIABILITIES = 900_000;
const MAX_PRICES = 500_000;
const MAX_LOTS = 400_000;

export const createComplianceReport = (reports: Pick<Reports, 'create'>) =>
  operation({
    id: 'compliance-report.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/compliance/report',
    summary: 'Have a compliance report made',
    description:
      'Made in the background, from what its maker may read. At most 5 at a time; the content is kept for 7 days. `proof-of-reserves` signs messages with the wallets: rules for `message` decide on it. [Guide](/docs/compliance).',
    tag: 'Compliance',
    effect: 'write',
    changesRules: false,
    spends: ['message'],
    access: { scope: 'compliance:write', role: 'operator' },
    body: namedRequest('ComplianceReportRequest', {
      type: z.enum(COMPLIANCE_TYPES),
      ...reportFields,
      from: reportFields.from.optional(),
      wallets: walletsField,
      liabilities: z
        .string()
        .max(MAX_LIABILITIES, `must have at most ${MAX_LIABILITIES} characters`)
        .optional()
        .meta({ description: 'Of `proof-of-reserves`: CSV of customer_id,balance in satoshis' }),
      method: z
        .enum([...METHODS, SPECIFIC])
        .optional()
        .meta({
          description: 'Of `tax-lots`: which lots are disposed of first, or `specific`: those that `lots` names',
        }),
      otherwise: z.enum(METHODS).optional().meta({
        description: 'Of `specific`: for what `lots` does not name. Left out: all is to be named',
      }),
      lots: z.string().max(MAX_LOTS, `must have at most ${MAX_LOTS} characters`).optional().meta({
        description:
          'Of `specific`: CSV with the header txid,acquired_txid,amount: the transaction that disposes, the one that brought the lot, and BTC',
      }),
      prices: z.string().max(MAX_PRICES, `must have at most ${MAX_PRICES} characters`).optional().meta({
        description:
          'Of `tax-lots`: CSV with the header date,EUR (or another currency), and prices of one bitcoin, oldest first',
      }),
    }),
    success: { status: 202, answer: report, description: 'It is queued: get it by its id' },
    errors: ['not_found', 'state_conflict'],
    example: {
      body: { type: 'audit', from: '2026-11-01T00:00:00Z', format: 'csv' },
      response: complianceExample(queuedExample),
    },
    run: ({ body }, context) =>
      reports.create(
        {
          ...{ kind: 'compliance', type: body.type, ...askedOf(body) },
          ...(body.type === 'tax-lots'
            ? { input: taxLotsInput(body), options: { method: body.method, otherwise: body.otherwise } }
            : { input: body.liabilities ?? null }),
        },
        context,
      ),
  });
