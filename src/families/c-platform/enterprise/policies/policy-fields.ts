/** Rules in requests. */
import { z } from 'zod';
import { ROLES } from '../../../../core/access.ts';
import { isTimezone } from '../../../../core/policies/hours.ts';
import {
  type Approvers,
  type PolicyAction,
  type PolicyConditions,
  SPENDING_OPERATIONS,
  WEEKDAYS,
  WINDOW_SCOPES,
} from '../../../../core/policies/policy.ts';
import { amountOrZeroField, idField, namedRequest, nameField } from '../../../fields.ts';
import { omitUndefined } from '../../../optional-values.ts';

/** Members of a list in a rule, at most. */
const MAX_NAMED = 100;

const several = <T extends z.ZodType>(member: T) =>
  z
    .array(member)
    .min(1, 'must name something: leave the field out where it does not matter')
    .max(MAX_NAMED, `must have at most ${MAX_NAMED} members`)
    .refine((members) => new Set(members).size === members.length, 'must name each once');

const some = (given: object): boolean => Object.values(given).some((value) => value !== undefined);

const whole = (min: number, max: number, description: string) =>
  z.int('must be a whole number').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`).meta({
    description,
  });
const clock = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as "09:00", at most "23:59"')
  .meta({ examples: ['09:00'] });

const ENTRY = /^abe_[0-9A-Za-z]{22}$/;
const bookField = z
  .string()
  .min(1, 'must not be empty')
  .max(64, 'must have at most 64 characters')
  .refine(
    (text) => !text.startsWith('abe_') || ENTRY.test(text),
    'must be a tag, or an entry such as abe_3mVb1k7Q2xYt9LpRw0Zc5A',
  );

const shareField = z
  .string('must be a decimal share in quotation marks such as "0.05"')
  .regex(
    /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/,
    'must be a decimal share from "0" to "1" such as "0.05", with at most 6 decimals',
  )
  .transform((text) => Math.round(Number(text) * 1e6))
  .meta({ description: 'Share of the amount; asked only where an amount leaves the account', examples: ['0.05'] });

export const approversField = z
  .strictObject({
    roles: several(z.enum(ROLES)).optional().meta({ description: 'These or above: operator means admins, too' }),
    user_ids: several(idField('usr')).optional(),
    groups: several(idField('grp')).optional(),
  })
  .refine(some, 'must name roles, user_ids or groups')
  .meta({ id: 'ApproversRequest', description: 'Whoever is one of these may approve' });

/** The longest that an approval is waited for: 30 days. */
export const expiresInField = whole(1, 720, 'Hours after which what was not approved has failed').default(72);
export const requiredField = whole(1, 20, 'How many people must approve, besides who asks');

const windowField = z
  .strictObject({
    hours: whole(1, 744, 'How far the window reaches back; counted in whole hours, so never less than this'),
    per: z.enum(WINDOW_SCOPES).meta({ description: 'Whose spending is added up' }),
    amount_over: amountOrZeroField.optional(),
    count_over: whole(0, 1_000_000, 'Holds where there are more than this').optional(),
  })
  .refine(
    (window) => (window.amount_over === undefined) !== (window.count_over === undefined),
    'must have one of amount_over and count_over',
  );

export const timezoneField = z
  .string()
  .max(64)
  .refine(isTimezone, 'must be an IANA time zone such as Europe/Zurich')
  .meta({ examples: ['Europe/Zurich'] });

export const hoursField = z.strictObject({
  timezone: timezoneField,
  days: several(z.enum(WEEKDAYS)).optional(),
  from: clock,
  to: clock,
});

export const whenField = namedRequest('PolicyConditionsRequest', {
  operations: several(z.enum(SPENDING_OPERATIONS)).optional(),
  wallets: several(idField('wal')).optional(),
  assets: several(z.enum(['BTC'])).optional(),
  initiators: z
    .strictObject({
      roles: several(z.enum(ROLES)).optional().meta({ description: 'Exactly these: operator does not mean admins' }),
      user_ids: several(idField('usr')).optional(),
      api_key_ids: several(idField('key')).optional(),
      groups: several(idField('grp')).optional(),
    })
    .refine(some, 'must name roles, user_ids, api_key_ids or groups')
    .optional(),
  destinations: z
    .strictObject({
      address_book: several(bookField).optional().meta({ description: 'Ids of entries, and tags' }),
      outside: z.literal(true, 'must be true, or left out').optional(),
    })
    .refine(some, 'must have address_book or outside')
    .optional(),
  screening: z
    .strictObject({ lists: several(idField('scl')).optional() })
    .optional()
    .meta({ description: 'A payee is on one of these screening lists, or on any' }),
  amount_over: amountOrZeroField.optional(),
  window: windowField.optional(),
  fee_over: z
    .strictObject({ share: shareField.optional(), amount: amountOrZeroField.optional() })
    .refine(some, 'must have share or amount')
    .optional(),
  hours: hoursField.optional(),
}).meta({ description: 'All conditions that are given must hold; none: it holds always' });

export const thenField = z
  .discriminatedUnion(
    'action',
    [
      z.strictObject({ action: z.literal('allow') }),
      z.strictObject({
        action: z.literal('deny'),
        message: z
          .string()
          .trim()
          .max(200, 'must have at most 200 characters')
          .default('')
          .meta({ description: 'What whoever is refused is told' }),
      }),
      z.strictObject({
        action: z.literal('approve'),
        required: requiredField,
        from: approversField,
        expires_in_hours: expiresInField,
      }),
    ],
    'must have an action: allow, deny or approve',
  )
  .meta({ id: 'PolicyActionRequest' });

export const policyShape = {
  name: nameField,
  enabled: z.boolean(),
  position: whole(1, 200, 'Where the rule stands in the list; what stands there moves back. It decides nothing'),
  when: whenField,
  then: thenField,
};

export const policyBody = namedRequest('PolicyRequest', {
  ...policyShape,
  enabled: policyShape.enabled.default(true),
  position: policyShape.position
    .optional()
    .meta({ description: 'Where the rule stands in the list: last unless said' }),
  when: policyShape.when.default({}),
});

export const approversOf = ({ roles, user_ids: userIds, groups }: z.output<typeof approversField>): Approvers =>
  omitUndefined({ roles, userIds, groups });

export function conditionsOf(when: z.output<typeof whenField>): PolicyConditions {
  const { initiators, destinations, amount_over: amountOverSats, window, fee_over: fee, ...same } = when;
  const book = destinations?.address_book;
  const entries = book?.filter((one) => ENTRY.test(one));
  const tags = book?.filter((one) => !ENTRY.test(one));
  return omitUndefined({
    ...same,
    hours: same.hours && { ...same.hours, ...omitUndefined({ days: same.hours.days }) },
    screening: same.screening && omitUndefined({ lists: same.screening.lists }),
    amountOverSats,
    initiators: initiators && { ...approversOf(initiators), ...omitUndefined({ apiKeyIds: initiators.api_key_ids }) },
    destinations: destinations && {
      ...(entries?.length ? { entries } : {}),
      ...(tags?.length ? { tags } : {}),
      ...omitUndefined({ outside: destinations.outside }),
    },
    window: window && {
      hours: window.hours,
      per: window.per,
      ...omitUndefined({ amountOverSats: window.amount_over, countOver: window.count_over }),
    },
    feeOver: fee && omitUndefined({ shareMillionths: fee.share, sats: fee.amount }),
  }) as PolicyConditions;
}

export function actionOf(then: z.output<typeof thenField>): PolicyAction {
  if (then.action !== 'approve') return then;
  const { action, required, from, expires_in_hours: expiresInHours } = then;
  return { action, required, from: approversOf(from), expiresInHours };
}
