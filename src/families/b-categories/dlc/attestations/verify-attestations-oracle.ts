import { z } from 'zod';
import { describeAnnouncement, describeAttestation } from '../../../../core/dlc/messages/describe-oracle.ts';
import { operation } from '../../../../hooks/operation.ts';
import { verifyAttestations } from '../../../../services/oracles/verify-attestations.ts';
import { isLargeBody } from '../../../large-body.ts';
import { ANNOUNCEMENT_HEX, ATTESTATION_HEX, eventExample, OTHER_ATTESTATION_HEX } from '../oracles/oracle-examples.ts';
import { announcementField, attestationField, READS_ORACLES } from '../oracles/oracle-fields.ts';

export const verifyAttestationsOracle = () =>
  operation({
    ...READS_ORACLES,
    id: 'oracle.verify-attestations',
    method: 'POST',
    path: '/api/v1/dlc/attestations/verify',
    summary: 'Verify attestations against an announcement, and whether they contradict each other',
    description: 'Works on what is sent: the oracle need not be registered, and nothing is kept.',
    effect: 'compute',
    body: z.strictObject({
      announcement: announcementField,
      attestations: z.array(attestationField).min(1, 'must not be empty').max(4, 'must have at most 4 members'),
    }),
    success: {
      status: 200,
      schema: z.object({
        oracle_public_key: z.string(),
        event_id: z.string(),
        announcement_valid: z.boolean().meta({ description: "Whether the announcement's signature holds" }),
        attestations: z.array(
          z.object({
            outcomes: z.array(z.string()),
            valid: z.boolean(),
            reason: z.string().nullable().meta({ description: 'Why it is not valid' }),
          }),
        ),
        equivocation: z
          .boolean()
          .meta({ description: 'Two of the valid ones sign different outcomes with the same nonce' }),
      }),
      description: 'What holds',
    },
    errors: ['invalid_message'],
    example: {
      body: { announcement: ANNOUNCEMENT_HEX, attestations: [ATTESTATION_HEX, OTHER_ATTESTATION_HEX] },
      response: {
        oracle_public_key: eventExample.oracle_public_key,
        event_id: eventExample.event_id,
        announcement_valid: true,
        attestations: [
          { outcomes: ['home'], valid: true, reason: null },
          { outcomes: ['away'], valid: true, reason: null },
        ],
        equivocation: true,
      },
    },
    inWorker: isLargeBody,
    run: async ({ body }) => verifyAttestations(body.announcement, body.attestations),
    present: ({ announcement, announcementHolds, attestations, equivocation }) => {
      const { oracle_public_key, event_id } = describeAnnouncement(announcement);
      return {
        oracle_public_key,
        event_id,
        announcement_valid: announcementHolds,
        attestations: attestations.map(({ attestation, reason }) => ({
          outcomes: [...describeAttestation(attestation).outcomes],
          valid: reason === null,
          reason,
        })),
        equivocation,
      };
    },
  });
