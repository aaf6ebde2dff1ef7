/** What callers send about contracts. Terms stand by themselves, too: a preview takes nothing else. */

import { z } from 'zod';
import { DIALECTS } from '../../core/dlc/dialect.ts';
import type { OracleName } from '../../core/ids.ts';
import {
  CONTRACT_STATUSES,
  type ContractRequest,
  type ContractTermsRequest,
} from '../../services/contracts/contract-service.ts';
import { amountField, externalIdField, idField, namedRequest, pageQuery } from '../fields.ts';
import { numericDescriptorField, numericTermsOf, shareField } from './numeric-descriptor-field.ts';

const MAX_OUTCOMES = 1_000;
/** Of all outcomes together. */
const MAX_CHARACTERS = 150_000;
const MAX_ORACLES = 20;
const MAX_FEE_RATE = 10_000n;

/** `local` is the account's own oracle, which is always there. */
const oracleField = z
  .string()
  .regex(/^(local|ora_[0-9A-Za-z]{22})$/, 'must be "local" or an id such as ora_3mVb1k7Q2xYt9LpRw0Zc5A')
  .meta({
    description: 'Id of a registered oracle; "local" is the account\'s own, always there',
    examples: ['local'],
  }) as z.ZodType<string, string> as z.ZodType<OracleName, string>;

/** The oracle's own name of an event. */
const eventIdField = z
  .string()
  .min(1, 'must not be empty')
  .max(500, 'must have at most 500 characters')
  .meta({ description: "The oracle's name of the event", examples: ['match-2026-11-22'] });

export const outcomeField = z.string().min(1, 'must not be empty').max(1_000, 'must have at most 1000 characters');

const WHOLE_RATE = 'must be a whole number of sat/vB from 1 to 10000, as a string such as "2"';
/** Contracts of dlcspecs have whole feerates. */
export const wholeFeeRateField = z
  .string()
  .meta({ description: 'Feerate in sat/vB, a whole number up to 10000', examples: ['2'] })
  .transform((value, context): bigint => {
    const rate = /^\d{1,5}(\.0{1,3})?$/.test(value) ? BigInt(value.split('.')[0] as string) : 0n;
    if (rate > 0n && rate <= MAX_FEE_RATE) return rate;
    context.issues.push({ code: 'custom', message: WHOLE_RATE, input: value });
    return z.NEVER;
  });

export const dialectField = z.enum(DIALECTS).meta({
  id: 'DlcDialect',
  description:
    '"tagged" (default): as dlcdevkit, rust-dlc and bitcoin-s speak. "dlcspecs-vectors": as the full contracts in dlcspecs\' vectors were made',
});

/** Epoch milliseconds out of it. */
export const expiryField = z.iso
  .datetime('must be an ISO 8601 time in UTC, such as 2026-12-24T12:00:00Z')
  .transform((text) => Date.parse(text));

const locktimeField = z
  .int()
  .min(0, 'must not be negative')
  .max(0xffff_ffff, 'must be at most 4294967295')
  .meta({ description: 'A height below 500000000, else Unix seconds' });

const outcomesField = z
  .array(outcomeField)
  .min(2, 'must have at least 2 outcomes')
  .max(MAX_OUTCOMES, `must have at most ${MAX_OUTCOMES} outcomes`)
  .refine(
    (outcomes) => outcomes.reduce((sum, { length }) => sum + length, 0) <= MAX_CHARACTERS,
    `must have at most ${MAX_CHARACTERS} characters together, as no announcement has more`,
  )
  .transform((outcomes) => outcomes.map((outcome) => outcome.normalize('NFC')))
  .superRefine((outcomes, context) => {
    const seen = new Set<string>();
    outcomes.forEach((outcome, index) => {
      if (seen.has(outcome)) context.addIssue({ code: 'custom', path: [index], message: 'is there twice' });
      seen.add(outcome);
    });
  })
  .meta({ description: 'Unique after Unicode normalization (NFC)', examples: [['win', 'draw', 'lose']] });

const exponentField = z.int().min(0, 'must not be negative').max(63, 'must be at most 63');

export const termsFields = {
  oracle: oracleField.optional(),
  outcomes: outcomesField.optional(),
  collateral: amountField.meta({ description: 'Locked by both together, decimal BTC', examples: ['0.01000000'] }),
  offer_collateral: shareField.optional().meta({
    description: "The offerer's part of it. Default: all where one holder keeps both sides, else half",
  }),
  payouts: z
    .record(z.string(), shareField)
    .optional()
    .meta({
      description:
        "The offerer's share by outcome. Default: the first outcome pays all to the offerer, the last all to the accepter, linear between",
      examples: [{ win: '0.01000000', draw: '0.00500000', lose: '0.00000000' }],
    }),
  descriptor: numericDescriptorField
    .optional()
    .meta({ description: 'Of a contract on a number, in the place of outcomes' }),
  event_id: eventIdField.optional().meta({
    description:
      'Which event the oracle announced. Default: one that the local oracle makes, else the announced one with these outcomes',
  }),
  oracles: z
    .array(oracleField)
    .min(1, 'must name at least one oracle')
    .max(MAX_ORACLES, `must name at most ${MAX_ORACLES} oracles`)
    .optional()
    .meta({ description: 'Several, in order of preference, in the place of oracle' }),
  threshold: z
    .int()
    .min(1, 'must be at least 1')
    .optional()
    .meta({ description: 'How many of the oracles decide. Default: all' }),
  event_ids: z
    .array(eventIdField)
    .max(MAX_ORACLES, `must name at most ${MAX_ORACLES} events`)
    .optional()
    .meta({ description: 'One for each of the oracles, in their order' }),
  oracle_params: namedRequest('OracleParams', {
    max_error_exp: exponentField.meta({
      description: 'Values further apart than 2^this do not settle, unless both pay the same; below the digits',
    }),
    min_fail_exp: exponentField.meta({
      description: 'Values apart by up to 2^this always settle; below max_error_exp',
    }),
    maximize_coverage: z.boolean().default(true).meta({
      description: 'Written in the contract; values in between settle as often as may be, whatever it says',
    }),
  })
    .optional()
    .meta({
      description:
        'How far the values of several oracles may lie apart (dlcspecs MultiOracle.md). Without it `threshold` of them must attest the very same number',
    }),
  cet_locktime: locktimeField.optional(),
  refund_locktime: locktimeField.optional(),
  fee_rate: wholeFeeRateField.optional(),
  dialect: dialectField.optional(),
};

type Terms = z.output<z.ZodObject<typeof termsFields>>;

/** What no field can say by itself. */
export function checkTerms(terms: Terms, context: z.RefinementCtx): void {
  // What is wrong by itself has no value to be held against others.
  if (context.issues.length > 0) return;
  const issue = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
  const { oracle, oracles, outcomes, descriptor, payouts, collateral } = terms;
  if ((oracle === undefined) === (oracles === undefined)) {
    issue(['oracle'], oracle === undefined ? 'is required' : 'cannot go with oracles: name one, or several there');
  }
  if ((outcomes === undefined) === (descriptor === undefined)) {
    issue(['outcomes'], outcomes === undefined ? 'is required, or a descriptor' : 'cannot go with a descriptor');
  }
  checkOracles(terms, issue);
  if (terms.offer_collateral !== undefined && terms.offer_collateral > collateral) {
    issue(['offer_collateral'], 'must not be above the collateral');
  }
  if (payouts !== undefined && outcomes === undefined) issue(['payouts'], 'are by outcome: a descriptor has its own');
  if (payouts !== undefined && outcomes !== undefined) {
    const given = new Map<string, bigint>();
    for (const [written, share] of Object.entries(payouts)) {
      const outcome = written.normalize('NFC');
      if (given.has(outcome)) issue(['payouts', written], 'is there twice, once in another Unicode form');
      given.set(outcome, share);
    }
    for (const outcome of outcomes)
      if (!given.has(outcome)) issue(['payouts', outcome], 'is required: each outcome pays');
    for (const [outcome, share] of given) {
      if (!outcomes.includes(outcome)) issue(['payouts', outcome], 'is not one of the outcomes');
      else if (share > collateral) issue(['payouts', outcome], 'must not be above the collateral');
    }
  }
  descriptor?.payout_points.forEach(({ payout, outcome }, index) => {
    if (payout > collateral)
      issue(['descriptor', 'payout_points', index, 'payout'], 'must not be above the collateral');
    if (outcome >> BigInt(descriptor.digits) !== 0n) {
      issue(['descriptor', 'payout_points', index, 'outcome'], `has more than ${descriptor.digits} binary digits`);
    }
  });
}

function checkOracles(terms: Terms, issue: (path: (string | number)[], message: string) => void): void {
  const { oracle, oracles, threshold, event_id, event_ids, oracle_params } = terms;
  if (oracle !== undefined) {
    for (const [name, value] of Object.entries({ threshold, event_ids, oracle_params })) {
      if (value !== undefined) issue([name], 'goes with `oracles`, where there are several: `oracle` names one');
    }
    return;
  }
  if (oracles === undefined) return;
  if (event_id !== undefined) issue(['event_id'], 'goes with oracle; several have event_ids');
  if (threshold !== undefined && threshold > oracles.length) issue(['threshold'], 'must not be above the oracles');
  if (event_ids !== undefined && event_ids.length !== oracles.length) {
    issue(['event_ids'], 'must have one for each of the oracles');
  }
  oracles.forEach((one, index) => {
    if (oracles.indexOf(one) < index) issue(['oracles', index], 'names the same oracle twice');
  });
}

export function termsOf(body: Terms): ContractTermsRequest {
  const { oracle, oracles = oracle === undefined ? [] : [oracle], event_id, event_ids, oracle_params: params } = body;
  return {
    oracles,
    threshold: body.threshold,
    oracleParams: params && {
      maxErrorExp: params.max_error_exp,
      minFailExp: params.min_fail_exp,
      maximizeCoverage: params.maximize_coverage,
    },
    eventIds: event_ids ?? (event_id === undefined ? undefined : [event_id]),
    outcomes: body.outcomes,
    payouts:
      body.payouts &&
      new Map(Object.entries(body.payouts).map(([outcome, share]) => [outcome.normalize('NFC'), share])),
    numeric: body.descriptor && numericTermsOf(body.descriptor),
    collateralSats: body.collateral,
    offerCollateralSats: body.offer_collateral,
    feeRateSatVb: body.fee_rate,
    cetLocktime: body.cet_locktime,
    refundLocktime: body.refund_locktime,
    dialect: body.dialect,
  };
}

const COUNTERPARTY =
  'must be {"wallet_id": "wal_…"} (another wallet of the account) or {"mode": "remote"} (somebody elsewhere)';
/** One object and not a union: what is wrong is then said of the one field that it is. */
const counterpartyField = z
  .strictObject(
    {
      wallet_id: idField('wal').optional(),
      mode: z.literal('remote').optional(),
      expires_at: expiryField.optional().meta({
        description: 'Of mode "remote": the offer is cancelled where nobody has accepted by then. Default: never',
      }),
    },
    COUNTERPARTY,
  )
  .superRefine(({ wallet_id, mode, expires_at }, context) => {
    const issue = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (wallet_id === undefined && mode === undefined) issue([], COUNTERPARTY);
    else if (wallet_id !== undefined && mode !== undefined) {
      issue(['mode'], 'cannot go with wallet_id: a wallet of the account is not remote, so leave one of them out');
    } else if (expires_at !== undefined && mode === undefined) {
      issue(['expires_at'], 'goes with mode "remote": both sides of a contract between own wallets are here at once');
    }
  })
  .meta({
    description:
      'Who holds the other side: another wallet of the account (wallet_id), or somebody elsewhere (mode "remote"), to whom the messages ' +
      'go. One of the two. Default: the same wallet',
  });

export const unprovenField = z
  .boolean()
  .optional()
  .meta({
    description:
      'Where several oracles decide together, take it although one of them neither proves that it knows its nonces nor was known to the ' +
      'account before: it may be able to settle the contract alone. Default: refused',
  });

export const contractBody = z
  .strictObject({
    type: z.literal('dlc').meta({ description: 'Discreet Log Contract' }),
    ...termsFields,
    wallet_id: idField('wal').optional().meta({ description: "Default: the account's default or only wallet" }),
    counterparty: counterpartyField.optional(),
    accept_unproven_oracles: unprovenField,
    external_id: externalIdField.optional(),
  })
  .superRefine(checkTerms)
  .meta({ id: 'ContractRequest' });

export function contractRequestOf(body: z.output<typeof contractBody>): ContractRequest {
  const { counterparty } = body;
  return {
    ...termsOf(body),
    walletId: body.wallet_id,
    externalId: body.external_id,
    acceptUnprovenOracles: body.accept_unproven_oracles,
    counterparty: counterparty && counterpartyOf(counterparty),
  };
}

const counterpartyOf = ({
  wallet_id: walletId,
  expires_at: expiresAt,
}: z.output<typeof counterpartyField>): ContractRequest['counterparty'] =>
  walletId === undefined ? { mode: 'remote', expiresAt } : { walletId };

export const contractParams = z.strictObject({ contract_id: idField('ctr') });

export const contractsQuery = z.strictObject({
  ...pageQuery,
  status: z.enum(CONTRACT_STATUSES).optional(),
  role: z.enum(['both', 'offerer', 'accepter']).optional(),
  oracle: idField('ora').optional().meta({ description: 'Contracts that ask this oracle' }),
  external_id: externalIdField.optional(),
});
