import { DomainError } from '../../errors.ts';
import { compressed } from '../../keys/compressed.ts';
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
    return others.length > 0 ? sum([first as Uint8Array, ...others], true) : compressed(first as Uint8Array);
  };
}

/** Compressed where a single outcome says it all. */
type OutcomePoints = (outcomes: readonly string[]) => Uint8Array;

/** Of leading outcomes: their sum, uncompressed, so that adding to it takes no square root; and what may follow. */
interface Prefix {
  readonly point: Uint8Array | null;
  readonly next: Map<string, Prefix>;
}

function outcomePoints({ publicKey, event }: OracleAnnouncement, dialect: Dialect): OutcomePoints {
  const pointOf = (nonce: number, outcome: string): Uint8Array =>
    attestationPoint(publicKey, event.nonces[nonce] as Uint8Array, outcome, dialect);
  if (event.nonces.length === 1) {
    const known = new Map<string, Uint8Array>();
    return ([outcome]) => known.get(outcome as string) ?? kept(known, outcome as string, pointOf(0, outcome as string));
  }
  const root: Prefix = { point: null, next: new Map() };
  const single: Map<string, Uint8Array>[] = event.nonces.map(() => new Map());
  const uncompressed = (nonce: number, outcome: string): Uint8Array => {
    const known = single[nonce] as Map<string, Uint8Array>;
    return known.get(outcome) ?? kept(known, outcome, ecc.pointCompress(pointOf(nonce, outcome), false));
  };

  return (outcomes) => {
    let prefix = root;
    for (const [nonce, outcome] of outcomes.entries()) {
      let following = prefix.next.get(outcome);
      if (following === undefined) {
        const point = uncompressed(nonce, outcome);
        following = { point: prefix.point ? sum([prefix.point, point], false) : point, next: new Map() };
        prefix.next.set(outcome, following);
      }
      prefix = following;
    }
    return prefix.point as Uint8Array;
  };
}

function kept(known: Map<string, Uint8Array>, outcome: string, point: Uint8Array): Uint8Array {
  known.set(outcome, point);
  return point;
}

function sum(points: readonly Uint8Array[], isCompressed: boolean): Uint8Array {
  const point = ecc.pointSum(points, isCompressed);
  if (point === null)
    throw new DomainError('contract_refused', "announcements: the oracles' points cancel each other out");
  return point;
}
