import type { ContractInfo } from '../contract-info.ts';
import type { OracleAnnouncement } from '../oracle-event.ts';
import { thresholdOf } from '../outcomes/adaptor-cases.ts';
import type { ContractCheck } from './contract-check.ts';
import { announcementsOf } from './encryption-points.ts';

/**
 * Why none of several oracles that decide together can have cancelled the others' points out: all prove that they know their nonces, or
 * were known before the contract was (docs/decisions/1215 says what that is worth), or nothing says so.
 */
export type OracleProof = 'proven' | 'known' | 'unproven';

export interface PlacedAnnouncement {
  /** Among all of the contract info. */
  readonly position: number;
  readonly announcement: OracleAnnouncement;
}

/** Those of which more than one decides together. */
export function decidingTogether({ cases }: ContractInfo): PlacedAnnouncement[] {
  let position = 0;
  return cases.flatMap(({ oracleInfo }) => {
    const placed = announcementsOf(oracleInfo).map((announcement) => ({ position: position++, announcement }));
    return thresholdOf(oracleInfo) > 1 ? placed : [];
  });
}

/** null where no two oracles decide together. `index`: of the first announcement of which nothing is known. */
export function judgeOracles(
  together: readonly PlacedAnnouncement[],
  { proven, known }: { readonly proven: ReadonlySet<number>; readonly known: ReadonlySet<number> },
): { readonly proof: OracleProof | null; readonly index: number | null } {
  if (together.length === 0) return { proof: null, index: null };
  const unproven = together.filter(({ position }) => !proven.has(position));
  const unknown = unproven.find(({ position }) => !known.has(position));
  const proof = unknown ? 'unproven' : unproven.length > 0 ? 'known' : 'proven';
  return { proof, index: unknown?.position ?? null };
}

/** `accepted`: the caller takes what is unproven. */
export function oracleProofsCheck(judged: ReturnType<typeof judgeOracles>, accepted: boolean): ContractCheck {
  const unproven = judged.proof === 'unproven';
  const verdict = !unproven ? 'passed' : accepted ? 'skipped' : 'failed';
  return { check: 'oracle_proofs', verdict, message: 'offer', index: judged.index, reason: unproven ? UNPROVEN : null };
}

const UNPROVEN =
  'its oracle does not prove that it knows its nonces, and it was not known here before: who announced last may have chosen nonces that ' +
  'cancel the other oracles’ points out, and open a CET alone. accept_unproven_oracles takes it all the same';
