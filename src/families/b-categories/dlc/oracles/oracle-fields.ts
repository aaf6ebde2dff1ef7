/** What oracles are in requests and answers: the same for their events, announcements and attestations. */
import { z } from 'zod';
import { HEX, HEX_PROBLEM } from '../../../../core/bytes.ts';
import type { OracleName } from '../../../../core/ids.ts';
import type { OracleRecord } from '../../../../services/oracles/oracle-service.ts';
import { answer, time } from '../../../answer.ts';
import { externalIdField, nameField } from '../../../fields.ts';
import { reads, writes } from '../../declarations.ts';

/** How operations on oracles are declared. */
export const CHANGES_ORACLES = writes('DLC', 'oracles');
export const READS_ORACLES = reads('DLC', 'oracles');

/** An oracle by its id, or the account's own. */
export const oracleField = z
  .string()
  .regex(/^(local|ora_[0-9A-Za-z]{22})$/, 'must be an id such as ora_3mVb1k7Q2xYt9LpRw0Zc5A, or local')
  .meta({
    description: "Id of an oracle, or local: the account's own, which is made when it is first asked for",
  }) as z.ZodType<string, string> as z.ZodType<OracleName, string>;

export const oracleParams = z.strictObject({ oracle_id: oracleField });

/** Free text: oracles name their events as they like. */
export const eventIdField = z
  .string()
  .min(1, 'must not be empty')
  .max(500, 'must have at most 500 characters')
  .refine((text) => !text.includes('\0'), 'must not hold a zero character')
  .meta({ description: "The oracle's own name of the event", examples: ['final-2026'] });

export const publicKeyField = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be an x-only public key: 64 hex digits')
  .transform((text) => text.toLowerCase())
  .meta({ description: 'x-only public key (BIP340), 32 bytes in hex' });

export const urlField = z
  .string()
  .min(1, 'must not be empty')
  .max(2048, 'must have at most 2048 characters')
  .meta({
    description:
      'Where it is asked: <url>/announcement/<event_id>, <url>/attestation/<event_id>. https and a public address, but for hosts that ' +
      'the operator named (ORACLE_ALLOWED_HOSTS)',
    examples: ['https://oracle.example.com'],
  });

const hexField = (what: string, mostBytes: number) =>
  z
    .string()
    .min(2, 'must not be empty')
    .max(mostBytes * 2, `must have at most ${mostBytes} bytes`)
    .regex(HEX, HEX_PROBLEM)
    .transform((text) => Uint8Array.from(Buffer.from(text, 'hex')))
    .meta({ description: `${what}, hex` });

/** TLVs of requests: a page of a hundred stays handy. */
const MAX_TLV_BYTES = 150_000;
export const announcementField = hexField('TLV 55332', MAX_TLV_BYTES);
export const proofField = hexField('TLV 5533201', MAX_TLV_BYTES);
export const attestationField = hexField('TLV 55400', MAX_TLV_BYTES);

export const namesFields = { name: nameField, external_id: externalIdField.nullable().optional() };

export const oracle = answer(
  'Oracle',
  {
    oracle_id: z.string(),
    name: z.string(),
    external_id: z.string().nullable(),
    type: z.enum(['local', 'external']).meta({ description: 'local: its key is here' }),
    default: z.boolean().meta({ description: 'It is what `local` means' }),
    public_key: z.string().meta({ description: 'x-only, hex' }),
    url: z.string().nullable(),
    equivocated_at: time
      .nullable()
      .meta({ description: 'When it was found to have attested two outcomes of one event; trust it no more' }),
    nonce_reused_at: time.nullable().meta({
      description:
        'When it was found to have announced two events with one nonce: no contract is made with it any more',
    }),
    created_at: time,
    updated_at: time,
  },
  ({ kind, isDefault }: OracleRecord) => ({ type: kind, default: isDefault }),
);
