import { z } from 'zod';
import { formatBtc } from '../../../../core/amount.ts';
import type { ContractPayouts } from '../../../../core/dlc/jobs/terms-jobs.ts';
import type { PayoutPreview } from '../../../../core/dlc/outcomes/payout-preview.ts';
import { amount, answer, unnamedAnswer } from '../../../answer.ts';
import { checkTerms, termsFields } from '../../../contracts/contract-fields.ts';

/** Terms alone: whoever funds them. `type` as contracts have it, so that their terms can be looked at as they are. */
export const previewFields = {
  type: z.literal('dlc', 'must be "dlc"').optional().meta({ description: 'Discreet Log Contract' }),
  ...termsFields,
};
export const termsBody = z.strictObject(previewFields).superRefine(checkTerms).meta({ id: 'ContractTerms' });
export const termsExample = { oracle: 'local', outcomes: ['win', 'draw', 'lose'], collateral: '0.01000000' };

const payoutRow = unnamedAnswer(
  {
    outcome: z.string().nullable().meta({ description: 'null where outcomes are numbers' }),
    from: z.string().nullable(),
    to: z.string().nullable().meta({ description: 'The last number that pays the same' }),
    offer_payout: amount,
    accept_payout: amount,
    least_offer_payout: amount.meta({
      description:
        'Least that the offerer has of any CET whose signature the other side may give: of numbers a satoshi less',
    }),
    least_accept_payout: amount.meta({ description: 'The same of the accepter' }),
    dropped: z
      .array(z.enum(['offer', 'accept']))
      .meta({ description: 'Whose share is too small to be paid out (below 1,000 sat): it goes to the miner' }),
  },
  ({ outcome, least, dropped }: PayoutPreview['rows'][number]) => ({
    outcome: typeof outcome === 'string' ? outcome : null,
    from: typeof outcome === 'string' ? null : outcome.from.toString(),
    to: typeof outcome === 'string' ? null : outcome.to.toString(),
    least_offer_payout: formatBtc(least.offerSats),
    least_accept_payout: formatBtc(least.acceptSats),
    dropped: [...dropped],
  }),
);

const eventPayouts = unnamedAnswer(
  {
    type: z.enum(['enumerated', 'numeric']),
    adaptor_signatures: z.int().meta({ description: 'That each side makes' }),
    lowest_offer_payout: amount,
    highest_offer_payout: amount,
    rows: z.array(payoutRow.schema),
    rows_left_out: z.int().meta({ description: 'Rows are taken evenly out of all, the first and the last among them' }),
  },
  ({ kind }: PayoutPreview) => ({ type: kind }),
);

export const contractPayouts = answer(
  'ContractPayouts',
  {
    collateral: amount,
    events: z.array(eventPayouts.schema),
  },
  ({ totalCollateralSats }: ContractPayouts) => ({ collateral: formatBtc(totalCollateralSats) }),
);

export const payoutsExample: z.input<typeof contractPayouts.schema> = {
  collateral: '0.01000000',
  events: [
    {
      type: 'enumerated',
      adaptor_signatures: 3,
      lowest_offer_payout: '0.00000000',
      highest_offer_payout: '0.01000000',
      rows: [
        ['win', '0.01000000', '0.00000000'],
        ['draw', '0.00500000', '0.00500000'],
        ['lose', '0.00000000', '0.01000000'],
      ].map(([outcome, offer_payout, accept_payout]) => ({
        outcome: outcome as string,
        from: null,
        to: null,
        offer_payout: offer_payout as string,
        accept_payout: accept_payout as string,
        least_offer_payout: offer_payout as string,
        least_accept_payout: accept_payout as string,
        dropped: [],
      })),
      rows_left_out: 0,
    },
  ],
};

/** What terms may be refused for. */
export const TERMS_ERRORS = [
  'not_found',
  'invalid_value',
  'contract_refused',
  'announcement_missing',
  'dust',
  'too_large',
  'unavailable',
] as const;
