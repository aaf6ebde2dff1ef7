import { z } from 'zod';
import { formatBtc } from '../../../../core/amount.ts';
import type { ContractPayouts } from '../../../../core/dlc/jobs/terms-jobs.ts';
import type { PayoutPreview } from '../../../../core/dlc/outcomes/payout-preview.ts';
import { checkTerms, termsFields } from '../../../contracts/contract-fields.ts';
import { amountAnswer, namedObject } from '../../../fields.ts';

/** Terms alone: whoever funds them. `type` as contracts have it, so that their terms can be looked at as they are. */
export const previewFields = {
  type: z.literal('dlc', 'must be "dlc"').optional().meta({ description: 'Discreet Log Contract' }),
  ...termsFields,
};
export const termsBody = z.strictObject(previewFields).superRefine(checkTerms).meta({ id: 'ContractTerms' });
export const termsExample = { oracle: 'local', outcomes: ['win', 'draw', 'lose'], collateral: '0.01000000' };

export const payoutsAnswer = namedObject('ContractPayouts', {
  collateral: amountAnswer,
  events: z.array(
    z.object({
      type: z.enum(['enumerated', 'numeric']),
      adaptor_signatures: z.int().meta({ description: 'That each side makes' }),
      lowest_offer_payout: amountAnswer,
      highest_offer_payout: amountAnswer,
      rows: z.array(
        z.object({
          outcome: z.string().nullable().meta({ description: 'null where outcomes are numbers' }),
          from: z.string().nullable(),
          to: z.string().nullable().meta({ description: 'The last number that pays the same' }),
          offer_payout: amountAnswer,
          accept_payout: amountAnswer,
          least_offer_payout: amountAnswer.meta({
            description:
              'Least that the offerer has of any CET whose signature the other side may give: of numbers a satoshi less',
          }),
          least_accept_payout: amountAnswer.meta({ description: 'The same of the accepter' }),
          dropped: z
            .array(z.enum(['offer', 'accept']))
            .meta({ description: 'Whose share is too small to be paid out (below 1,000 sat): it goes to the miner' }),
        }),
      ),
      rows_left_out: z
        .int()
        .meta({ description: 'Rows are taken evenly out of all, the first and the last among them' }),
    }),
  ),
});

export const presentPayouts = ({ totalCollateralSats, events }: ContractPayouts): z.input<typeof payoutsAnswer> => ({
  collateral: formatBtc(totalCollateralSats),
  events: events.map(presentEvent),
});

const presentEvent = (preview: PayoutPreview) => ({
  type: preview.kind,
  adaptor_signatures: preview.adaptorSignatures,
  lowest_offer_payout: formatBtc(preview.lowestOfferPayoutSats),
  highest_offer_payout: formatBtc(preview.highestOfferPayoutSats),
  rows: preview.rows.map(({ outcome, offerPayoutSats, acceptPayoutSats, least, dropped }) => ({
    outcome: typeof outcome === 'string' ? outcome : null,
    from: typeof outcome === 'string' ? null : outcome.from.toString(),
    to: typeof outcome === 'string' ? null : outcome.to.toString(),
    offer_payout: formatBtc(offerPayoutSats),
    accept_payout: formatBtc(acceptPayoutSats),
    least_offer_payout: formatBtc(least.offerSats),
    least_accept_payout: formatBtc(least.acceptSats),
    dropped: [...dropped],
  })),
  rows_left_out: preview.rowsLeftOut,
});

export const payoutsExample: z.input<typeof payoutsAnswer> = {
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
