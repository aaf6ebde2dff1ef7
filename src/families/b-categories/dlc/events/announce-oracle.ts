import { z } from 'zod';
import { MAX_DIGITS, MAX_OUTCOME_LENGTH, MAX_OUTCOMES } from '../../../../core/dlc/oracle/new-event.ts';
import type { EventDescriptor } from '../../../../core/dlc/oracle-event.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { eventExample } from '../oracles/oracle-examples.ts';
import { CHANGES_ORACLES, eventIdField, oracleField } from '../oracles/oracle-fields.ts';
import { oracleEvent } from './event-fields.ts';

const LAST_MATURITY = Date.parse('2106-02-07T06:28:15Z');

const numericField = z.strictObject({
  digits: z.int().min(1, 'must be at least 1').max(MAX_DIGITS, `must be at most ${MAX_DIGITS}`).meta({
    description: 'Binary digits: the number attested is from 0 to 2^digits - 1',
  }),
  unit: z
    .string()
    .max(100, 'must have at most 100 characters')
    .default('')
    .meta({ examples: ['usd/btc'] }),
  precision: z
    .int()
    .min(-1000, 'must be at least -1000')
    .max(1000, 'must be at most 1000')
    .default(0)
    .meta({ description: 'The value is the number times 10 to this' }),
  signed: z.boolean().default(false).meta({ description: 'A sign is attested before the digits' }),
});

const maturityField = z.iso
  .datetime('must be a time in UTC such as 2026-11-01T12:00:00Z')
  .refine((time) => Date.parse(time) >= 0 && Date.parse(time) <= LAST_MATURITY, 'must be from 1970 to 2106')
  .meta({ description: 'UTC; the oracle attests no earlier. Whole seconds', examples: ['2026-11-01T12:00:00Z'] });

const bodyField = z
  .strictObject({
    oracle: oracleField.default('local'),
    event_id: eventIdField.max(255, 'must have at most 255 characters').optional(),
    maturity: maturityField,
    outcomes: z
      .array(
        z
          .string()
          .min(1, 'must not be empty')
          .max(MAX_OUTCOME_LENGTH, `must have at most ${MAX_OUTCOME_LENGTH} characters`),
      )
      .min(2, 'must have at least 2 members')
      .max(MAX_OUTCOMES, `must have at most ${MAX_OUTCOMES} members`)
      .optional(),
    numeric: numericField.optional(),
  })
  .refine(({ outcomes, numeric }) => (outcomes === undefined) !== (numeric === undefined), {
    path: ['outcomes'],
    message: 'is required, or numeric: one of both says what can be attested',
  });

export const announceOracle = (oracles: OracleService) =>
  operation({
    ...CHANGES_ORACLES,
    id: 'oracle.announce',
    spends: [],
    path: '/api/v1/dlc/events',
    summary: 'Announce an event by a local oracle',
    description:
      'Fresh nonces are made for it, which will sign one outcome and no other. `announcement` is what counterparties need to make ' +
      'contracts on it.',
    body: bodyField,
    success: { status: 201, answer: oracleEvent, description: 'The event with its announcement' },
    errors: ['not_found', 'already_exists'],
    example: {
      body: { oracle: 'local', maturity: '2026-11-01T12:00:00Z', outcomes: ['home', 'draw', 'away'] },
      response: eventExample,
    },
    run: ({ body }, context) =>
      oracles.announce(
        {
          oracle: body.oracle,
          eventId: body.event_id,
          maturityEpoch: Math.floor(Date.parse(body.maturity) / 1000),
          descriptor: descriptorOf(body),
        },
        context,
      ),
  });

const descriptorOf = ({ outcomes, numeric }: z.output<typeof bodyField>): EventDescriptor =>
  numeric === undefined ? { kind: 'enum', outcomes: outcomes ?? [] } : { kind: 'digits', base: 2, ...numeric };
