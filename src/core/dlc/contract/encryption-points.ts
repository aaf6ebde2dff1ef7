import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import type { AdaptorCase } from '../adaptor-case.ts';
import type { OracleInfo } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import { attestationPoints } from '../oracle/attestations.ts';
import type { OracleAnnouncement } from '../oracle-event.ts';

export const announcementsOf = (oracleInfo: OracleInfo): readonly OracleAnnouncement[] =>
  oracleInfo.kind === 'single' ? [oracleInfo.announcement] : oracleInfo.announcements;

/**
 * By case, the sum of the attestation points of what the oracles have to attest, uncompressed: whoever multiplies it takes no square root. The point of an outcome is computed once, and
 * so is the sum of leading digits that several cases share: thousands of cases of digits cost about two additions each.
 */
export function encryptionPoints(
  oracleInfo: OracleInfo,
  dialect: Dialect,
): (attested: AdaptorCase['attested']) => Uint8Array {
  const oracles = announcementsOf(oracleInfo).map((announcement) => outcomePoints(announcement, dialect));
  const pointOf = ({ oracle, outcomes }: AdaptorCase['attested'][number]): Uint8Array =>
    (oracles[oracle] as OutcomePoints)(outcomes);
  return (attested) => {
    const [first, ...others] = attested.map(pointOf);
    return others.length > 0 ? sum([first as Uint8Array, ...others]) : (first as Uint8Array);
  };
}

type OutcomePoints = (outcomes: readonly string[]) => Uint8Array;

/** Of leading outcomes: their sum, and what may follow. */
interface Prefix {
  readonly point: Uint8Array | null;
  readonly next: Map<string, Prefix>;
}

function outcomePoints({ publicKey, event }: OracleAnnouncement, dialect: Dialect): OutcomePoints {
  // Each when it is first wanted: there may be thousands of nonces that no case looks at.
  const byNonce: ((outcome: string) => Uint8Array)[] = [];
  const root: Prefix = { point: null, next: new Map() };
  const known: Map<string, Uint8Array>[] = event.nonces.map(() => new Map());
  const pointOf = (nonce: number, outcome: string): Uint8Array => {
    const points = known[nonce] as Map<string, Uint8Array>;
    let point = points.get(outcome);
    if (point === undefined) {
      byNonce[nonce] ??= attestationPoints(publicKey, event.nonces[nonce] as Uint8Array, dialect);
      point = (byNonce[nonce] as (outcome: string) => Uint8Array)(outcome);
      points.set(outcome, point);
    }
    return point;
  };

  return (outcomes) => {
    let prefix = root;
    for (const [nonce, outcome] of outcomes.entries()) {
      let following = prefix.next.get(outcome);
      if (following === undefined) {
        const point = pointOf(nonce, outcome);
        following = { point: prefix.point ? sum([prefix.point, point]) : point, next: new Map() };
        prefix.next.set(outcome, following);
      }
      prefix = following;
    }
    return prefix.point as Uint8Array;
  };
}

function sum(points: readonly Uint8Array[]): Uint8Array {
  const point = ecc.pointSum(points, false);
  if (point === null)
    throw new DomainError('contract_refused', "announcements: the oracles' points cancel each other out");
  return point;
}
