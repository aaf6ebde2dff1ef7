import { z } from 'zod';
import { TIERS } from '../../../core/access.ts';
import type { AccountView } from '../../../services/credentials/manage-accounts.ts';
import { idField, namedObject, timeAnswer } from '../../fields.ts';
import { timeOrNull } from '../credential-fields.ts';

export const accountParams = z.strictObject({ account_id: idField('acc') });

export const accountAnswer = namedObject('Account', {
  account_id: z.string(),
  name: z.string(),
  platform: z.boolean().meta({ description: 'The account that runs the service' }),
  tier: z.enum(TIERS).meta({ description: 'The highest that its credentials may have' }),
  frozen: z.boolean().meta({ description: 'It can be read but not changed' }),
  frozen_at: timeAnswer.nullable(),
  frozen_reason: z.string().nullable(),
  created_at: timeAnswer,
});

export const presentAccount = (account: AccountView) => ({
  account_id: account.accountId,
  name: account.name,
  platform: account.platform,
  tier: account.tier,
  frozen: account.frozenAt !== null,
  frozen_at: timeOrNull(account.frozenAt),
  frozen_reason: account.frozenReason,
  created_at: new Date(account.createdAt).toISOString(),
});

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
