/** Whether one attestation opens two of a contract's CETs that pay differently: the points of all cases, made in parts, compared at once. */
import { hash } from 'node:crypto';
import { contractParts } from '../../../core/dlc/contract/contract-parts.ts';
import { CASE_POINT_BYTES, sharedPoint } from '../../../core/dlc/contract/shared-point.ts';
import type { ContractInfo } from '../../../core/dlc/contract-info.ts';
import type { Dialect } from '../../../core/dlc/dialect.ts';
import type { DlcJobs, TermsParams } from '../../../core/dlc/jobs/dlc-jobs.ts';
import { isSmall } from '../../../core/dlc/jobs/is-small.ts';
import { serializeContractInfo } from '../../../core/dlc/messages/contract-info.ts';
import { thresholdOf } from '../../../core/dlc/outcomes/adaptor-cases.ts';
import type { AccountId } from '../../../core/ids.ts';
import { createLru } from '../../../core/lru.ts';
import type { LongComputing } from '../../../engines/computing/computing.ts';
import type { FairQueue } from '../../../scheduling/fair-queue.ts';
import { inParts } from './in-parts.ts';
import { retryUnavailable } from './retry-unavailable.ts';

export interface Terms {
  readonly accountId: AccountId;
  readonly info: ContractInfo;
  readonly dialect: Dialect;
  readonly signal?: AbortSignal | undefined;
}

/** Two cases, by index; null where there are none. */
export type SharedPoint = readonly [number, number] | null;

/** Of so many contracts what was found: one is asked about when it is offered, accepted, signed and verified. */
const FOUND_KEPT = 1_000;

/** As core's sharedPoint, of sound terms (validateContractInfo), be they offered or not. Rejects with the signal's reason. */
export function createSharedPoints(deps: {
  readonly computing: LongComputing<DlcJobs>;
  readonly queue: FairQueue;
  readonly small: number;
}): (terms: Terms) => Promise<SharedPoint> {
  const { computing, queue, small } = deps;
  const found = createLru<string, { readonly shared: SharedPoint }>(FOUND_KEPT);

  async function inAll(terms: TermsParams, { accountId, signal }: Terms): Promise<SharedPoint> {
    const { made: total } = await retryUnavailable(() => computing.runPart('dlc.count', terms, { accountId, signal }));
    const points = new Uint8Array(new SharedArrayBuffer(total * CASE_POINT_BYTES));
    await inParts(
      async ({ signal: ends, ...range }) => {
        const { made, tookMs } = await retryUnavailable(() =>
          computing.runPart('dlc.points', { terms, range }, { accountId, signal: ends }),
        );
        points.set(made, range.from * CASE_POINT_BYTES);
        return { tookMs, stop: false };
      },
      { total, atOnce: computing.parallel + 1, signal },
    );
    return (await retryUnavailable(() => computing.runPart('dlc.shared', points, { accountId, signal }))).made;
  }

  return async (asked) => {
    const { accountId, info, dialect, signal } = asked;
    if (isSmall(info, small / mostDeciding(info))) return sharedPoint(contractParts(info, dialect));
    const terms = givenTerms(info, dialect);
    const known = found.get(terms.key);
    if (known !== undefined) return known.shared;
    const shared = await queue.take({ accountId, signal }, () => inAll(terms, asked));
    return found.set(terms.key, { shared }).shared;
  };
}

/** In memory that threads share. */
export function givenTerms(info: ContractInfo, dialect: Dialect): TermsParams {
  const bytes = serializeContractInfo(info, dialect);
  const key = hash('sha256', Buffer.concat([Buffer.from(`${dialect}\n`), bytes]), 'hex');
  return { key, info: inSharedMemory(bytes), dialect };
}

export function inSharedMemory(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

const mostDeciding = ({ cases }: ContractInfo): number =>
  Math.max(...cases.map(({ oracleInfo }) => thresholdOf(oracleInfo)));
