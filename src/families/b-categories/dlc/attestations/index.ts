import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { createAttestation } from './create-attestation.ts';
import { getAttestation } from './get-attestation.ts';
import { listAttestation } from './list-attestation.ts';
import { verifyAttestation } from './verify-attestation.ts';

export const attestationOperations = (oracles: OracleService): AnyOperation[] => [
  createAttestation(oracles),
  verifyAttestation(oracles),
  listAttestation(oracles),
  getAttestation(oracles),
];
