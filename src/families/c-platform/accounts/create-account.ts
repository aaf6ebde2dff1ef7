import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { OpenedAccount } from '../../../services/credentials/accounts.ts';
import type { AccountManagement } from '../../../services/credentials/manage-accounts.ts';
import { unnamedAnswer } from '../../answer.ts';
import { mayGrantField, privateKeyAnswer, publicKeyField, tierField } from '../../credential-fields.ts';
import { nameField } from '../../fields.ts';
import { omitUndefined } from '../../optional-values.ts';
import { issuedApiKey, issuedApiKeyExample } from '../api-keys/api-key-answer.ts';
import { account, accountExample } from './account-answer.ts';

const createdAccount = unnamedAnswer(
  {
    ...account.shape,
    api_key_id: z.string(),
    may_grant: mayGrantField,
    api_key: z.string().meta({ description: 'Answered this once' }),
    key_id: z.string().meta({ description: 'RFC 7638 thumbprint of the public key' }),
    private_key: privateKeyAnswer.optional(),
  },
  ({ account: made, key }: OpenedAccount) => ({
    ...issuedApiKey.present({ ...key, record: { ...key.record, active: true } }),
    ...account.present(made),
  }),
);

export const createAccount = (accounts: AccountManagement) =>
  operation({
    id: 'account.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/accounts',
    summary: 'Make an account',
    description:
      "With its first administrator key, whose secrets are in this answer and nowhere else: they are the tenant's credentials file. " +
      'The key has may_grant where its maker has it; else it ends when its maker does and is taken from where that is.',
    tag: 'Accounts',
    effect: 'write',
    access: { scope: 'accounts:write', role: 'admin', platform: true },
    changesRules: false,
    secretAnswer: true,
    body: z.strictObject({
      name: nameField,
      tier: tierField.default('standard').meta({ description: 'The highest that its credentials may have' }),
      public_key: publicKeyField.optional(),
    }),
    success: {
      status: 201,
      answer: createdAccount,
      description: 'The account and its first key',
    },
    errors: ['already_exists'],
    example: {
      body: { name: 'Subsidiary', tier: 'standard' },
      response: {
        ...accountExample,
        api_key_id: issuedApiKeyExample.api_key_id,
        may_grant: true,
        api_key: issuedApiKeyExample.api_key,
        key_id: issuedApiKeyExample.key_id,
        private_key: issuedApiKeyExample.private_key,
      },
    },
    run: ({ body: { name, tier, public_key: publicKey } }, context) =>
      accounts.create({ name, tier, ...omitUndefined({ publicKey }) }, context),
  });
