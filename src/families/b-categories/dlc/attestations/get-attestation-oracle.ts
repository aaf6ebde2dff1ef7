import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { attestationExample } from '../oracles/oracle-examples.ts';
import { READS_ORACLES } from '../oracles/oracle-fields.ts';
import { attestationParams, oracleAttestation } from './attestation-fields.ts';

export const getAttestationOracle = (oracles: OracleService) =>
  operation({
    ...READS_ORACLES,
    id: 'oracle.get-attestation',
    path: '/api/v1/dlc/attestations/{attestation_id}',
    summary: 'One attestation',
    params: attestationParams,
    success: { status: 200, answer: oracleAttestation, description: 'The attestation' },
    errors: ['not_found'],
    example: { params: { attestation_id: attestationExample.attestation_id }, response: attestationExample },
    run: ({ params }, context) => oracles.attestation(params.attestation_id, context),
  });
