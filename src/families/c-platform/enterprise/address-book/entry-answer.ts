import { z } from 'zod';
import { MAX_TAGS, proofMessage, tagProblem } from '../../../../core/address-book/entry-rules.ts';
import type { AddressBookRecord } from '../../../../services/address-book/address-book.ts';
import { answer, time } from '../../../answer.ts';
import { externalIdField, idField } from '../../../fields.ts';

export const entryParams = z.strictObject({ address_book_id: idField('abe') });

export const addressField = z
  .string('must be a Bitcoin address')
  .min(1, 'must not be empty')
  .max(120, 'must be a Bitcoin address')
  .meta({ description: "A Bitcoin address of the service's network" });

export const tagField = z
  .string()
  .superRefine((tag, context) => {
    const problem = tagProblem(tag);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ examples: ['exchange'] });
export const tagsField = z
  .array(tagField)
  .max(MAX_TAGS, `must have at most ${MAX_TAGS} tags`)
  .transform((tags) => [...new Set(tags)])
  .meta({ description: 'What rules may name several entries by' });

export const proofField = z
  .strictObject({
    signature: z.string().min(1, 'must not be empty').max(4_096, 'must have at most 4096 characters'),
    message: z.string().max(300, 'must be the proof_message of the entry').optional(),
  })
  .meta({
    id: 'AddressProof',
    description:
      'BIP322 signature, or for legacy addresses a compact one, of "I control ADDRESS, for the address book of ACCOUNT_ID", to the letter',
  });

export const externalIdOf = externalIdField.nullable();

export const addressBookEntry = answer(
  'AddressBookEntry',
  {
    address_book_id: z.string(),
    name: z.string(),
    address: z.string().meta({ description: 'bech32 in lower case' }),
    script_pubkey: z.string().meta({ description: 'Hex' }),
    tags: z.array(z.string()),
    external_id: z.string().nullable(),
    verified: z.boolean().meta({ description: 'The owner of the address proved control of it' }),
    proof: z.object({ message: z.string(), signature: z.string() }).nullable(),
    proof_message: z.string().meta({ description: 'What a proof signs' }),
    effective_at: time.meta({ description: 'From when rules and payments go by the entry' }),
    created_at: time,
    updated_at: time,
  },
  ({ entryId, address, accountId, proof }: AddressBookRecord) => ({
    address_book_id: entryId,
    verified: proof !== null,
    proof: proof && { ...proof },
    proof_message: proofMessage(address, accountId),
  }),
);

export const entryExample = {
  address_book_id: 'abe_3mVb1k7Q2xYt9LpRw0Zc5A',
  name: 'Exchange, deposits',
  address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  script_pubkey: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
  tags: ['exchange'],
  external_id: null,
  verified: false,
  proof: null,
  proof_message:
    'I control bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080, for the address book of acc_3mVb1k7Q2xYt9LpRw0Zc5A',
  effective_at: '2026-11-02T12:00:00.000Z',
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-01T12:00:00.000Z',
};

/** What all of the noun's operations say. */
export const reading = {
  family: 'c',
  tag: 'Address book',
  effect: 'read',
  access: { scope: 'address-book:read', role: 'viewer' },
} as const;
export const writing = {
  ...reading,
  effect: 'write',
  access: { scope: 'address-book:write', role: 'operator' },
} as const;
