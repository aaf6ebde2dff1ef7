import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ConfigManagement } from '../../../../services/policies/manage-config.ts';
import { idField, namedRequest } from '../../../fields.ts';
import { config, configExample, configTag } from './config-answer.ts';

const MAX_INTERNAL = 1_000;
const body = namedRequest('EnterpriseConfigRequest', {
  default_action: z
    .enum(['allow', 'deny'])
    .default('allow')
    .meta({ description: 'What happens where no rule matches. Default: allow' }),
  internal_wallets: z
    .array(idField('wal'))
    .max(MAX_INTERNAL, `must have at most ${MAX_INTERNAL} wallets`)
    .refine((ids) => new Set(ids).size === ids.length, 'must name each once')
    .default([])
    .meta({ description: 'What goes to these counts as not leaving the account. Default: none' }),
  address_book_delay_hours: z
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(720, 'must be at most 720')
    .default(0)
    .meta({
      description: 'How long after it was made an entry of the address book becomes effective. Default: 0, at once',
    }),
});

export const replaceEnterpriseConfig = (configs: ConfigManagement) =>
  operation({
    id: 'enterprise-config.replace',
    family: 'c',
    method: 'PUT',
    path: '/api/v1/enterprise/config',
    summary: 'Replace what holds for all rules',
    description: 'The whole of it: what is left out is its default. With If-Match only the version that it names.',
    tag: 'Policies',
    effect: 'write',
    access: { scope: 'policies:write', role: 'admin' },
    conditional: true,
    body,
    success: { status: 200, answer: config, etag: configTag, description: 'The config as it is now' },
    errors: ['not_found', 'policy_refused'],
    example: { body: { address_book_delay_hours: 24 }, response: configExample },
    run: ({ body: given, ifMatch }, context) => {
      const { default_action: defaultAction, internal_wallets: internalWallets } = given;
      const addressBookDelayHours = given.address_book_delay_hours;
      return configs.replace({ defaultAction, internalWallets, addressBookDelayHours }, ifMatch, context);
    },
  });
