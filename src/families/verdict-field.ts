/** What an account's rules said, as records, dry runs and evaluations have it. */
import { z } from 'zod';
import { namedObject } from './fields.ts';

const action = z.enum(['allow', 'deny', 'approve']);

export const verdict = namedObject('PolicyVerdict', {
  action: action.meta({
    description:
      'deny where one rule denies; else approve where one wants approvals; else allow; where none matches, default_action. A payee on a screening list that no rule with `screening` decides: deny',
  }),
  rules: z
    .array(
      namedObject('MatchedPolicy', {
        policy_id: z.string(),
        name: z.string(),
        action,
        matched: z.record(z.string(), z.string()).meta({
          description: 'By condition, what made it hold, with the figures it saw',
          examples: [{ amount_over: '0.50000000 above 0.10000000' }],
        }),
      }),
    )
    .meta({ description: 'All rules that matched, by position' }),
  screening: z
    .array(namedObject('ListedPayee', { list_id: z.string(), name: z.string(), address: z.string() }))
    .optional()
    .meta({ description: 'Screening lists for which it is denied, each with an address that it has' }),
});
