/** What is known of who is behind a payment, as it is answered. */
import { z } from 'zod';
import { ivms101 } from '../../../core/travel-rule/ivms101.ts';
import type { TravelRule } from '../../../services/travel-rule/travel-rules.ts';
import { time } from '../../answer.ts';
import { txidField } from '../../fields.ts';

const LAST_RECIPIENT = 9_999;
export const recipientField = z
  .int('must be the index of a recipient, counted from 0')
  .min(0, 'must be at least 0')
  .max(LAST_RECIPIENT, `must be at most ${LAST_RECIPIENT}`)
  .meta({ description: 'Index of a recipient of the transaction; 0 of what came in' });
export const travelRuleParams = z.strictObject({ txid: txidField });

const schema = z
  .object({
    txid: z.string(),
    recipient: z.int().meta({ description: 'Index of the recipient; 0 of what came in' }),
    status: z.enum(['complete', 'missing']),
    missing: z
      .array(z.string())
      .meta({ description: 'What IVMS101 requires and is not there, as paths; the first 100' }),
    travel_rule: ivms101.nullable(),
    updated_at: z.string().nullable(),
  })
  .meta({ id: 'TravelRule' });

export const travelRule = {
  schema,
  present: ({ txid, recipient, missing, data, updatedAt }: TravelRule) => ({
    ...{ txid, recipient, status: missing.length === 0 ? ('complete' as const) : ('missing' as const) },
    ...{ missing: [...missing], travel_rule: data },
    updated_at: updatedAt === null ? null : time.encode(updatedAt),
  }),
};

export const travelRuleExample = {
  originator: {
    originatorPerson: [
      {
        naturalPerson: {
          name: {
            nameIdentifier: [
              {
                primaryIdentifier: 'Smith',
                secondaryIdentifier: 'Dr Alice',
                naturalPersonNameIdentifierType: 'LEGL' as const,
              },
            ],
          },
          customerIdentification: '1002390',
        },
        accountNumber: ['10023909'],
      },
    ],
  },
  beneficiary: {
    beneficiaryPerson: [
      {
        naturalPerson: {
          name: {
            nameIdentifier: [
              {
                primaryIdentifier: 'Barnes',
                secondaryIdentifier: 'Robert',
                naturalPersonNameIdentifierType: 'LEGL' as const,
              },
            ],
          },
        },
      },
    ],
  },
};

export const answerExample: z.input<typeof schema> = {
  txid: '6f2b5b1c1f7e0f6a52c0e5b1c9a3d6d9f1b8f5f0c3a79c5d8f62d0f3ab41c7e2',
  ...{ recipient: 0, status: 'complete', missing: [], travel_rule: travelRuleExample },
  updated_at: '2026-11-28T08:00:00.000Z',
};
