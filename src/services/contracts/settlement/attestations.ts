/** What is known of a contract's events: the first attestation of each counts; a second one is the oracle's fault, and kept as proof. */
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';

export interface KnownAttestations {
  /** On the wire, in the order of the contract's oracles, those that are there; of each oracle's the first that became known first. */
  readonly attestations: readonly Uint8Array[];
  /** In words, where an oracle attested an event twice. */
  readonly equivocation: string | null;
}

export async function knownAttestations(
  oracles: Pick<OracleService, 'attestationsOf'>,
  { accountId, oracleIds, eventIds }: ContractRecord,
): Promise<KnownAttestations> {
  const attestations: Uint8Array[] = [];
  const twice: string[] = [];
  for (const [position, oracleId] of oracleIds.entries()) {
    const kept = await oracles.attestationsOf(accountId, oracleId, eventIds[position]!);
    attestations.push(...kept.map(({ attestation }) => Buffer.from(attestation, 'hex')));
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
