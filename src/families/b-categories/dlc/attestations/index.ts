import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { attestOracle } from './attest-oracle.ts';
import { getAttestationOracle } from './get-attestation-oracle.ts';
import { listAttestationsOracle } from './list-attestations-oracle.ts';
import { verifyAttestationsOracle } from './verify-attestations-oracle.ts';

export const attestationOperations = (oracles: OracleService): AnyOperation[] => [
  attestOracle(oracles),
  verifyAttestationsOracle(),
  listAttestationsOracle(oracles),
  getAttestationOracle(oracles),
];
