import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import type { AdaptorCase } from '../adaptor-case.ts';
import type { OracleInfo } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import { attestationPoint } from '../oracle/attestations.ts';
import type { OracleAnnouncement } from '../oracle-event.ts';

export const announcementsOf = (oracleInfo: OracleInfo): readonly OracleAnnouncement[] =>
  oracleInfo.kind === 'single' ? [oracleInfo.announcement] : oracleInfo.announcements;

/**
 * By case, the sum of the attestation points of what the oracles have to attest, compressed. The point of an outcome is computed once, and
 * so is the sum of leading digits that several cases share: thousands of cases of digits cost about one addition each.
 */
export function encryptionPoints(
  oracleInfo: OracleInfo,
  dialect: Dialect,
): (attested: AdaptorCase['attested']) => Uint8Array {
  const oracles = announcementsOf(oracleInfo).map((announcement) => outcomePoints(announcement, dialect));
  return (attested) =>
    sum(
      attested.map(({ oracle, outcomes }) => (oracles[oracle] as OutcomePoints)(outcomes)),
      true,
    );
}

type OutcomePoints = (outcomes: readonly string[]) => Uint8Array;

/** Of leading outcomes: their sum, and what may follow. */
interface Prefix {
  readonly point: Uint8Array | null;
  readonly next: Map<string, Prefix>;
}

function outcomePoints({ publicKey, event }: OracleAnnouncement, dialect: Dialect): OutcomePoints {
  const root: Prefix = { point: null, next: new Map() };
  const single: Map<string, Uint8Array>[] = event.nonces.map(() => new Map());

  const pointOf = (nonce: number, outcome: string): Uint8Array => {
    const known = single[nonce] as Map<string, Uint8Array>;
    let point = known.get(outcome);
    if (point === undefined) {
      point = attestationPoint(publicKey, event.nonces[nonce] as Uint8Array, outcome, dialect);
      // Uncompressed, adding it up later takes no square root.
      point = ecc.pointCompress(point, false);
      known.set(outcome, point);
    }
    return point;
  };

  return (outcomes) => {
    let prefix = root;
    for (const [nonce, outcome] of outcomes.entries()) {
      let following = prefix.next.get(outcome);
      if (following === undefined) {
        const point = pointOf(nonce, outcome);
        following = { point: prefix.point ? sum([prefix.point, point], false) : point, next: new Map() };
        prefix.next.set(outcome, following);
      }
      prefix = following;
    }
    return prefix.point as Uint8Array;
  };
}

function sum(points: readonly Uint8Array[], compressed: boolean): Uint8Array {
  const point = ecc.pointSum(points, compressed);
  if (point === null)
    throw new DomainError('contract_refused', "announcements: the oracles' points cancel each other out");
  return point;
}
