import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { orHeld } from '../../../approvals/or-held.ts';
import { ATTESTATION_HEX, attestationExample } from '../oracles/oracle-examples.ts';
import { attestationField, CHANGES_ORACLES, eventIdField, oracleField } from '../oracles/oracle-fields.ts';
import { oracleAttestation } from './attestation-fields.ts';

const LOCAL_FIELDS = ['oracle', 'event_id', 'outcome'] as const;

export const attestOracle = (oracles: OracleService) =>
  operation({
    ...CHANGES_ORACLES,
    id: 'oracle.attest',
    spends: ['attest'],
    path: '/api/v1/dlc/attestations',
    summary: 'Attest by a local oracle, or take in an attestation that an oracle gave elsewhere',
    description:
      'With `oracle`, `event_id` and `outcome` the local oracle attests: once for ever, and not before the event matures; a number beyond ' +
      'the range of the event as the nearest in it (dlcspecs Oracle.md). With `attestation` (TLV 55400) one that an oracle gave elsewhere ' +
      'is verified and kept. Contracts that wait for it settle by it. A second one of another outcome is kept as proof, and the oracle ' +
      'marked.',
    body: z
      .strictObject({
        attestation: attestationField.optional(),
        oracle: oracleField.optional(),
        event_id: eventIdField.optional(),
        outcome: z
          .string()
          .min(1, 'must not be empty')
          .max(255, 'must have at most 255 characters')
          .optional()
          .meta({ description: 'One that was announced; of a numeric event a whole number in decimals' }),
      })
      .superRefine((body, context) => {
        const issue = (field: string, message: string) =>
          context.addIssue({ code: 'custom', path: [field], message, input: '' });
        const given = LOCAL_FIELDS.filter((field) => body[field] !== undefined);
        if (body.attestation !== undefined) {
          if (given.length > 0) issue('attestation', `must not stand beside ${given.join(', ')}: it says them`);
        } else if (given.length === 0) issue('attestation', 'is required, or oracle, event_id and outcome');
        else for (const field of LOCAL_FIELDS) if (!given.includes(field)) issue(field, 'is required');
      }),
    ...orHeld(oracleAttestation, 'The attestation', 201),
    errors: [
      'invalid_message',
      'invalid_signature',
      'not_found',
      'announcement_missing',
      'state_conflict',
      'outcome_conflict',
      'oracle_frozen',
      'policy_refused',
    ],
    example: { body: { attestation: ATTESTATION_HEX }, response: attestationExample },
    run: ({ body: { attestation, oracle, event_id, outcome } }, context) =>
      attestation !== undefined
        ? oracles.addAttestation(attestation, context)
        : oracles.attest({ oracle: oracle!, eventId: event_id!, outcome: outcome! }, context),
  });
