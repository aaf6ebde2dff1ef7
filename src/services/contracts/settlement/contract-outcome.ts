/** Outcomes as records and callers write them: the text of an enumerated one, a number in decimals. Pure. */
import { announcementsOf } from '../../../core/dlc/contract/encryption-points.ts';
import type { SettledCase } from '../../../core/dlc/contract/settle-case.ts';
import type { ContractInfo } from '../../../core/dlc/contract-info.ts';
import { parseAttestation } from '../../../core/dlc/messages/attestation.ts';
import { outcomeText } from '../../../core/dlc/oracle/outcome-text.ts';
import type { OracleEvent } from '../../../core/dlc/oracle-event.ts';
import { DomainError } from '../../../core/errors.ts';

/** Of what was settled: what each of the oracles that decided it attested, in order of preference; numbers of theirs may differ. */
export function settledOutcomes(
  { cases }: ContractInfo,
  { part, oracles }: Pick<SettledCase, 'part' | 'oracles'>,
  attestations: readonly Uint8Array[],
): string[] {
  const parsed = attestations.map((bytes) => parseAttestation(bytes));
  const announcements = announcementsOf(cases[part]!.oracleInfo);
  return oracles.flatMap((position) => {
    const { publicKey, event } = announcements[position]!;
    const attestation = parsed.find(
      (one) => one.eventId === event.eventId && Buffer.compare(one.publicKey, publicKey) === 0,
    );
    return attestation ? [outcomeText(event, attestation.outcomes)] : [];
  });
}

/** Throws `invalid_value` (outcome) where none of the contract's events can have the outcome. */
export function assertPossible({ cases }: ContractInfo, outcome: string): void {
  const events = cases.flatMap(({ oracleInfo }) => announcementsOf(oracleInfo));
  const problems = events.map(({ event }) => impossible(event, outcome));
  if (problems.includes(null)) return;
  throw new DomainError('invalid_value', problems[0] ?? 'the contract has no event', { field: 'outcome' });
}

const NUMBER = /^-?(0|[1-9]\d{0,77})$/;

function impossible({ descriptor }: OracleEvent, outcome: string): string | null {
  if (descriptor.kind === 'enum') {
    const shown = descriptor.outcomes.slice(0, 10).join(', ');
    return descriptor.outcomes.includes(outcome)
      ? null
      : `"${outcome}" is not one of the outcomes: ${shown}${descriptor.outcomes.length > 10 ? ', …' : ''}`;
  }
  const most = BigInt(descriptor.base) ** BigInt(descriptor.digits) - 1n;
  const least = descriptor.signed ? -most : 0n;
  const value = NUMBER.test(outcome) && outcome !== '-0' ? BigInt(outcome) : null;
  return value !== null && value >= least && value <= most
    ? null
    : `the outcome must be a whole number from ${least} to ${most}, in decimals`;
}
