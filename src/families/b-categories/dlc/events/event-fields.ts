import { z } from 'zod';
import { parseAnnouncement } from '../../../../core/dlc/messages/announcement.ts';
import { describeAnnouncement } from '../../../../core/dlc/messages/describe-oracle.ts';
import { attestedOutcome } from '../../../../core/dlc/oracle/attested-outcomes.ts';
import type { EventDescriptor } from '../../../../core/dlc/oracle-event.ts';
import type { OracleEventRecord } from '../../../../services/oracles/oracle-service.ts';
import { answer, time } from '../../../answer.ts';

const descriptorAnswer = z
  .object({
    type: z.enum(['enum', 'digits']),
    outcomes: z.array(z.string()).nullable(),
    base: z.int().nullable(),
    signed: z.boolean().nullable(),
    unit: z.string().nullable(),
    precision: z.int().nullable().meta({ description: 'The value is the digits times 10 to this' }),
    digits: z.int().nullable(),
  })
  .meta({ description: 'Fields that the other type has are null' });

/** What an announcement says. */
const announcedAnswer = {
  event_id: z.string(),
  oracle_public_key: z.string().meta({ description: 'x-only, hex' }),
  maturity: time.meta({ description: 'Not attested earlier' }),
  descriptor: descriptorAnswer,
  nonces: z.array(z.string()).meta({ description: 'x-only, hex: one, or one for each digit, the sign first' }),
  signature: z.string().meta({ description: "The oracle's, of the event (BIP340), hex" }),
};

export const oracleEvent = answer(
  'OracleEvent',
  {
    oracle_id: z.string(),
    ...announcedAnswer,
    announcement: z.string().meta({ description: 'The whole TLV (55332), hex: to be given to counterparties' }),
    proof: z.string().nullable().meta({
      description:
        'That the oracle knows its nonces (TLV 5533201), hex: goes with the announcement; null where none is known',
    }),
    outcome: z
      .string()
      .nullable()
      .meta({ description: 'What the local oracle has decided to attest; null before, and for others' }),
    committed_at: time.nullable().meta({ description: 'When it decided' }),
    frozen_at: time
      .nullable()
      .meta({ description: 'Since when it is attested no more, the database having been restored' }),
    created_at: time,
  },
  ({ descriptor, committedOutcome, ...event }: OracleEventRecord) => {
    const announcement = event.announcement as string;
    return {
      ...describeAnnouncement(parseAnnouncement(Buffer.from(announcement, 'hex'))),
      announcement,
      outcome:
        committedOutcome === null
          ? null
          : attestedOutcome(JSON.parse(descriptor) as EventDescriptor, JSON.parse(committedOutcome) as string[]),
    };
  },
);
