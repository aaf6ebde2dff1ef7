/** What is known of a contract's events: the first attestation of each counts; a second one is the oracle's fault, and kept as proof. */
import { parseAttestation } from '../../../core/dlc/messages/attestation.ts';
import type { OracleAttestation } from '../../../core/dlc/oracle-event.ts';
import type { ContractRecord } from '../../../store/interfaces/contracts.ts';
import type { AttestationRecord } from '../../../store/interfaces/oracles.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';

export interface KnownAttestations {
  /** In the order of the contract's oracles, those that are there. */
  readonly attestations: readonly OracleAttestation[];
  /** In words, where an oracle attested an event twice. */
  readonly equivocation: string | null;
}

export async function knownAttestations(
  oracles: Pick<OracleService, 'attestationsOf'>,
  { accountId, oracleIds, eventIds, dialect }: ContractRecord,
): Promise<KnownAttestations> {
  const attestations: OracleAttestation[] = [];
  const twice: string[] = [];
  for (const [position, oracleId] of oracleIds.entries()) {
    const kept = await oracles.attestationsOf(accountId, oracleId, eventIds[position]!);
    attestations.push(...kept.map((record) => parsed(record, dialect)));
    if (kept.length > 1) twice.push(oracleId);
  }
  return {
    attestations,
    equivocation:
      twice.length === 0
        ? null
        : `oracle ${twice.join(', ')} attested two outcomes of this event: the contract is settled by the first that was known`,
  };
}

const parsed = ({ attestation }: AttestationRecord, dialect: ContractRecord['dialect']): OracleAttestation =>
  parseAttestation(Buffer.from(attestation, 'hex'), dialect);
