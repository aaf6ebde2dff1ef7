/** What settles a contract elsewhere. There is no private key in it. */
import { z } from 'zod';
import { HEX, HEX_PROBLEM } from '../../../../core/bytes.ts';
import { DIALECTS } from '../../../../core/dlc/dialect.ts';
import { CONTRACT_STATUSES, type ContractBackup } from '../../../../services/contracts/contract-service.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { externalIdField, idField, namedRequest } from '../../../fields.ts';
import { ACCEPT_HEX, ANNOUNCEMENT_HEX, OFFER_HEX, REFUND_HEX, SIGN_HEX } from './message-examples.ts';
import { CONTRACT_ID } from './remote-examples.ts';

/** As of a wallet's backup: so far the wallet's scan derives what is claimed. */
const MAX_INDEX = 100_000;
const MAX_LISTED = 1_000;
const MAX_INPUTS = 1_000;
const hexText = z.string().regex(HEX, HEX_PROBLEM);
const placeFields = {
  change: z.boolean().meta({ description: "Which branch of the wallet's keys" }),
  index: z.int().min(0, 'must not be negative').max(MAX_INDEX, `must be at most ${MAX_INDEX}`),
};
const payoutField = namedRequest('PayoutAddress', { ...placeFields, address: z.string().max(120) });

/** The same form goes out and comes in. */
export const backupField = namedRequest('ContractBackup', {
  version: z.literal(1),
  network: z.string().max(20),
  contract_id: idField('ctr').meta({ description: 'Of the service that it is from; restored, it gets another' }),
  external_id: externalIdField.nullable(),
  role: z.enum(['both', 'offerer', 'accepter']),
  dialect: z.enum(DIALECTS),
  status: z.enum(CONTRACT_STATUSES).meta({ description: 'As it was' }),
  messages: z.strictObject({ offer: hexText, accept: hexText, sign: hexText }).meta({
    description: "dlcspecs' messages, hex: both sides' signatures are in them",
  }),
  announcements: z.array(hexText).max(MAX_LISTED).meta({ description: 'Of the oracles, hex' }),
  attestations: z.array(hexText).max(MAX_LISTED).meta({ description: 'What was attested by then, hex' }),
  keys: z
    .array(
      z.strictObject({
        side: z.enum(['offer', 'accept']),
        fingerprint: z.string().regex(/^[0-9a-fA-F]{8}$/, "must be a master key's fingerprint: 8 hex digits"),
        funding_key: z.strictObject({
          ...placeFields,
          path: z.string().max(200).meta({ description: "From the wallet's master key" }),
          public_key: z.string().regex(/^[0-9a-fA-F]{66}$/, 'must be a compressed public key: 66 hex digits'),
        }),
        payout: payoutField,
        change: payoutField,
        inputs: z
          .array(
            z.strictObject({
              ...placeFields,
              txid: z.string().regex(/^[0-9a-f]{64}$/, 'must be a transaction id: 64 hex digits'),
              vout: z.int().min(0).max(0xffffffff),
            }),
          )
          .max(MAX_INPUTS, `must have at most ${MAX_INPUTS} inputs`),
      }),
    )
    .min(1, 'must have at least one side')
    .max(2, 'must have at most two sides')
    .meta({ description: 'Which keys of which wallet our sides are' }),
  transactions: z.strictObject({
    funding: hexText.nullable().meta({ description: 'With its witnesses, where they are all known' }),
    refund: hexText.meta({ description: 'Without its witness' }),
  }),
});

export const contractBackup = { schema: backupField, present: unnamedAnswer(backupField.shape).present };

export function backupOf(body: z.output<typeof backupField>): ContractBackup {
  return {
    version: body.version,
    network: body.network,
    contractId: body.contract_id,
    externalId: body.external_id,
    role: body.role,
    dialect: body.dialect,
    status: body.status,
    messages: body.messages,
    announcements: body.announcements,
    attestations: body.attestations,
    keys: body.keys.map(({ side, fingerprint, funding_key, payout, change, inputs }) => ({
      side,
      fingerprint: fingerprint.toLowerCase(),
      fundingKey: {
        change: funding_key.change,
        index: funding_key.index,
        path: funding_key.path,
        publicKey: funding_key.public_key,
      },
      payout,
      change,
      inputs,
    })),
    transactions: body.transactions,
  };
}

export const backupExample: z.input<typeof backupField> = {
  version: 1,
  network: 'regtest',
  contract_id: CONTRACT_ID,
  external_id: null,
  role: 'accepter',
  dialect: 'tagged',
  status: 'confirmed',
  messages: { offer: OFFER_HEX, accept: ACCEPT_HEX, sign: SIGN_HEX },
  announcements: [ANNOUNCEMENT_HEX],
  attestations: [],
  keys: [
    {
      side: 'accept',
      fingerprint: '39fc372a',
      funding_key: {
        change: false,
        index: 8,
        path: 'm/84h/1h/0h/0/8',
        public_key: '02b23e5a8d9a6d009c98e0f86d6b8a8df0b575db01590b45afac38997515de9547',
      },
      payout: { change: false, index: 9, address: 'bcrt1qyp4wcsqn0wpkk3dzk7vfc4efkas4agvshnv2tz' },
      change: { change: true, index: 0, address: 'bcrt1q798t9y5eapq7d698ur79vktxfefk08msq5afwz' },
      inputs: [
        { change: false, index: 0, txid: 'd620944f1ea1d00f7fa12123cd90d1f47eb6d02ac46db36240d152b3e1feff51', vout: 0 },
      ],
    },
  ],
  transactions: { funding: null, refund: REFUND_HEX },
};
