import type { ParsedTransaction } from '../../blocks/transaction.ts';
import { serializeAttestation } from '../messages/attestation.ts';
import { outcomeText } from '../oracle/outcome-text.ts';
import type { Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';
import { announcementsOf } from './encryption-points.ts';
import { type ExtractedAttestation, extractAttestation } from './extract-attestation.ts';

/** What a CET that the other side broadcast tells, in plain data. */
export interface LearnedCase {
  /** As records have it; of a number whose attestation is not known in full the numbers from and to which it may be. */
  readonly outcome: string;
  /** On the wire, where it is known whole: of one oracle and one nonce. */
  readonly attestation: Uint8Array | null;
}

/**
 * Whichever side's adaptor signatures were opened: the keys of either may be elsewhere. `signaturesOf` is asked for one side after the
 * other. null where the transaction was made by opening neither.
 */
export function learnCase(
  contract: DlcContract,
  transaction: Pick<ParsedTransaction, 'inputs'>,
  signaturesOf: (side: Side) => Uint8Array,
): LearnedCase | null {
  for (const side of ['offer', 'accept'] as const) {
    const extracted = extractAttestation(contract, transaction, { side, adaptorSignatures: signaturesOf(side) });
    if (extracted === null) continue;
    const outcome = caseOutcome(contract, extracted.caseIndex);
    return { outcome, attestation: wholeAttestation(contract, extracted) };
  }
  return null;
}

function wholeAttestation(contract: DlcContract, { caseIndex, signature }: ExtractedAttestation): Uint8Array | null {
  if (signature === null) return null;
  const { contractCase } = contract.partOf(caseIndex);
  const announcement = announcementsOf(contractCase.oracleInfo)[signature.oracle];
  if (announcement === undefined) return null;
  const { publicKey, event } = announcement;
  return serializeAttestation({
    eventId: event.eventId,
    publicKey,
    signatures: [signature.bytes],
    outcomes: [signature.outcome],
  });
}

/** Of a CET whose attestation is not known in full: the outcome, or the numbers from and to which it may be. */
function caseOutcome(contract: DlcContract, caseIndex: number): string {
  const { contractCase } = contract.partOf(caseIndex);
  const { oracle, outcomes } = contract.caseAt(caseIndex).attested[0]!;
  const { event } = announcementsOf(contractCase.oracleInfo)[oracle]!;
  if (event.descriptor.kind === 'enum') return outcomes[0]!;
  const { base, digits, signed } = event.descriptor;
  const open = digits + (signed ? 1 : 0) - outcomes.length;
  const filled = (digit: number) => outcomeText(event, [...outcomes, ...Array<string>(open).fill(String(digit))]);
  const [from, to] = [filled(0), filled(base - 1)];
  return from === to ? from : `${from} to ${to}`;
}
