/** What settles a contract elsewhere. There is no private key in it. */
import { z } from 'zod';
import type { ContractBackup } from '../../../../services/contracts/contract-service.ts';
import { contractExample } from '../../../a-transactions/contracts/contract-examples.ts';
import { ACCEPT_HEX, OFFER_HEX, SIGN_HEX } from './remote-examples.ts';

const hexText = z.string().regex(/^([0-9a-fA-F]{2})*$/, 'must be hex: two digits for each byte');
const MOST_LISTED = 1_000;

/** Read strictly by the service; here only its form. */
export const backupField = z.strictObject({
  version: z.literal(1),
  network: z.string().max(20),
  contract: z.record(z.string(), z.unknown()).meta({ description: 'The record as it was' }),
  messages: z.strictObject({
    offer: hexText.optional(),
    accept: hexText.optional(),
    sign: hexText.optional(),
    close: z.string().optional(),
  }),
  announcements: z.array(hexText).max(MOST_LISTED).meta({ description: "The oracles' announcements, hex" }),
  attestations: z.array(hexText).max(MOST_LISTED).meta({ description: 'What was attested by then, hex' }),
  keys: z
    .array(z.record(z.string(), z.unknown()))
    .max(MOST_LISTED)
    .meta({ description: 'Which keys of which wallet: fingerprint and path' }),
  transactions: z.strictObject({ funding: hexText.nullable(), refund: hexText.nullable() }),
});

export const backupAnswer = z.object({
  version: z.literal(1),
  network: z.string(),
  contract: z.record(z.string(), z.unknown()),
  messages: z.record(z.string(), z.string()),
  announcements: z.array(z.string()),
  attestations: z.array(z.string()),
  keys: z.array(z.record(z.string(), z.unknown())),
  transactions: z.object({ funding: z.string().nullable(), refund: z.string().nullable() }),
});

export const presentBackup = (backup: ContractBackup): z.input<typeof backupAnswer> => ({
  version: backup.version,
  network: backup.network,
  contract: { ...backup.contract },
  messages: { ...(backup.messages as Record<string, string>) },
  announcements: [...backup.announcements],
  attestations: [...backup.attestations],
  keys: backup.keys.map((key) => ({ ...key })),
  transactions: { ...backup.transactions },
});

export const backupExample: z.input<typeof backupAnswer> = {
  version: 1,
  network: 'regtest',
  contract: { contract_id: contractExample.contract_id, status: 'confirmed' },
  messages: { offer: OFFER_HEX, accept: ACCEPT_HEX, sign: SIGN_HEX },
  announcements: ['fdd824'],
  attestations: [],
  keys: [{ side: 'offer', fingerprint: 'd34db33f', path: 'm/84h/1h/0h/0/7' }],
  transactions: { funding: '02000000', refund: null },
};
