import { z } from 'zod';
import { parseAttestation } from '../../../../core/dlc/messages/attestation.ts';
import { describeAttestation } from '../../../../core/dlc/messages/describe-oracle.ts';
import { attestedOutcome } from '../../../../core/dlc/oracle/attested-outcomes.ts';
import type { EventDescriptor } from '../../../../core/dlc/oracle-event.ts';
import type { AttestationView } from '../../../../services/oracles/oracle-service.ts';
import { answer, time, unnamedAnswer } from '../../../answer.ts';
import { idField } from '../../../fields.ts';

export const attestationParams = z.strictObject({ attestation_id: idField('att') });

const attested = unnamedAnswer({
  attestation_id: z.string(),
  outcome: z.string(),
  attestation: z.string().meta({ description: 'TLV 55400, hex' }),
  created_at: time,
});

/** Whoever has this can verify it, without this service: both signatures hold, with one nonce, under the oracle's key. */
const equivocationAnswer = z
  .object({
    oracle_public_key: z.string(),
    event_id: z.string(),
    announcement: z.string().meta({ description: 'TLV 55332, hex' }),
    attestations: z.array(attested.schema),
  })
  .meta({
    description:
      'Proof that the oracle attested more than one outcome of the event: POST it to /api/v1/dlc/attestations/verify, here or elsewhere',
  });

export const oracleAttestation = answer(
  'Attestation',
  {
    attestation_id: z.string(),
    oracle_id: z.string(),
    oracle_public_key: z.string().meta({ description: 'x-only, hex' }),
    event_id: z.string(),
    outcome: z.string().meta({ description: 'The outcome; the number that the digits are, in decimals' }),
    outcomes: z.array(z.string()).meta({ description: 'What each signature signs' }),
    signatures: z.array(z.string()).meta({ description: "In the order of the event's nonces, hex" }),
    attestation: z.string().meta({ description: 'The whole TLV (55400), hex' }),
    source: z.enum(['local', 'posted', 'fetched', 'chain']).meta({
      description: "local: made here; fetched: from the oracle's URL; chain: taken out of a counterparty's transaction",
    }),
    equivocation: equivocationAnswer.nullable(),
    created_at: time,
  },
  ({ attestation, event, publicKey, ofEvent, ...view }: AttestationView) => {
    const descriptor = JSON.parse(event.descriptor) as EventDescriptor;
    const outcomeOf = ({ outcomes }: { outcomes: string }) =>
      attestedOutcome(descriptor, JSON.parse(outcomes) as string[]);
    const { outcomes, signatures } = describeAttestation(parseAttestation(Buffer.from(attestation, 'hex')));
    return {
      oracle_public_key: publicKey,
      outcome: outcomeOf(view),
      outcomes: [...outcomes],
      signatures,
      equivocation:
        ofEvent.length < 2
          ? null
          : {
              oracle_public_key: publicKey,
              event_id: view.eventId,
              announcement: event.announcement as string,
              attestations: ofEvent.map((one) => attested.present({ ...one, outcome: outcomeOf(one) })),
            },
    };
  },
);
