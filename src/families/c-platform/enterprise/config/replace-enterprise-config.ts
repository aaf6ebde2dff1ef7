import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ConfigManagement } from '../../../../services/policies/manage-config.ts';
import { amountOrZeroField, idField, namedRequest } from '../../../fields.ts';
import { approversField, approversOf, expiresInField, requiredField } from '../policies/policy-fields.ts';
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
  travel_rule: z.strictObject({ threshold: amountOrZeroField }).nullable().default(null).meta({
    description:
      'Payments of more BTC than this are in the report travel-rule, with the data that they lack. Default: null, only those that have data',
  }),
  policy_change: z
    .strictObject({ required: requiredField, from: approversField, expires_in_hours: expiresInField })
    .nullable()
    .default(null)
    .meta({ description: 'What changes of rules wait for. Default: null, nothing' }),
});

export const replaceEnterpriseConfig = (configs: ConfigManagement) =>
  operation({
    id: 'enterprise-config.replace',
    family: 'c',
    method: 'PUT',
    path: '/api/v1/enterprise/config',
    summary: 'Replace what holds for all rules',
    description:
      'The whole of it: what is left out is its default. With If-Match only the version that it names. Refused where nobody could change ' +
      'the rules any more.',
    tag: 'Policies',
    effect: 'write',
    access: { scope: 'policies:write', role: 'admin' },
    changesRules: config,
    conditional: true,
    body,
    success: { status: 200, answer: config, etag: configTag, description: 'The config as it is now' },
    errors: ['not_found', 'policy_refused'],
    example: { body: { address_book_delay_hours: 24 }, response: configExample },
    run: ({ body: given, ifMatch }, context) => {
      const { policy_change: change } = given;
      const policyChange = change && {
        required: change.required,
        from: approversOf(change.from),
        expiresInHours: change.expires_in_hours,
      };
      const travelRule = given.travel_rule && { thresholdSats: given.travel_rule.threshold };
      const { default_action: defaultAction, internal_wallets: internalWallets } = given;
      const addressBookDelayHours = given.address_book_delay_hours;
      return configs.replace(
        { defaultAction, internalWallets, addressBookDelayHours, travelRule, policyChange },
        ifMatch,
        context,
      );
    },
  });
