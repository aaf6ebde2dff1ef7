import { z } from 'zod';
import { TIERS } from '../../../core/access.ts';
import type { AccountView } from '../../../services/credentials/manage-accounts.ts';
import { answer, time } from '../../answer.ts';
import { idField } from '../../fields.ts';

export const accountParams = z.strictObject({ account_id: idField('acc') });

export const account = answer(
  'Account',
  {
    account_id: z.string(),
    name: z.string(),
    platform: z.boolean().meta({ description: 'The account that runs the service' }),
    tier: z.enum(TIERS).meta({ description: 'The highest that its credentials may have' }),
    frozen: z.boolean().meta({ description: 'It can be read but not changed' }),
    frozen_at: time.nullable(),
    frozen_reason: z.string().nullable(),
    created_at: time,
  },
  ({ frozenAt }: AccountView) => ({ frozen: frozenAt !== null }),
);

export const accountExample = {
  account_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A',
  name: 'Subsidiary',
  platform: false,
  tier: 'standard',
  frozen: false,
  frozen_at: null,
  frozen_reason: null,
  created_at: '2026-11-01T12:00:00.000Z',
};
