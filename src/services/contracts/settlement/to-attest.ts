/** What the account's own oracles attest for a settlement that a caller asks for, and what others have attested. */
import { announcementsOf } from '../../../core/dlc/contract/encryption-points.ts';
import type { ContractInfo } from '../../../core/dlc/contract-info.ts';
import { outcomeText } from '../../../core/dlc/oracle/outcome-text.ts';
import type { OracleAnnouncement } from '../../../core/dlc/oracle-event.ts';
import { DomainError } from '../../../core/errors.ts';
import type { OracleId } from '../../../core/ids.ts';
import { createFairQueue } from '../../../scheduling/fair-queue.ts';
import type { AttestationRecord } from '../../../store/repositories/attestations.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Store } from '../../../store/store.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';

/** Well below what an account may ask at once (src/engines/fetching): what is not asked counts as not attested. */
const ASKED_AT_ONCE = 4;

export interface ToAttestDependencies {
  readonly store: Pick<Store, 'read'>;
  readonly oracles: Pick<OracleService, 'attestationsOf' | 'fetchAttestation'>;
}

/** An event of a local oracle. */
export interface OwnEvent {
  readonly oracleId: OracleId;
  readonly eventId: string;
}

/**
 * Answers the events that the account's own oracles are to attest until enough are there. Those attest last, and only where that suffices: what
 * they attest stands for ever. So what others attested counts where it is the same outcome, or a number as near as the contract covers in any
 * case. Where too few are known, other oracles are asked; `signal` null: nobody is. Throws `outcome_conflict`.
 */
export async function toAttest(
  { oracles, store }: ToAttestDependencies,
  contract: ContractRecord,
  { cases }: ContractInfo,
  outcome: string,
  signal: AbortSignal | null,
): Promise<OwnEvent[]> {
  const announced = cases.flatMap(({ oracleInfo }) => announcementsOf(oracleInfo));
  const { accountId, oracleIds, eventIds, threshold } = contract;
  const events = oracleIds.map((oracleId, position) => ({ oracleId, eventId: eventIds[position]! }));
  const few = createFairQueue({ all: ASKED_AT_ONCE });
  const known = await Promise.all(
    events.map(async (event) => {
      const [first] = await oracles.attestationsOf(accountId, event.oracleId, event.eventId);
      if (first !== undefined) return said(announced, first);
      return (await store.read.oracles.find(accountId, event.oracleId))?.kind === 'local' ? 'own' : 'missing';
    }),
  );
  if (known.filter(isThere).length >= threshold) return [];
  const found = await Promise.all(
    events.map(async ({ oracleId, eventId }, position) => {
      if (signal === null || known[position] !== 'missing') return known[position]!;
      const fetched = await few.take({ accountId, signal }, () =>
        oracles.fetchAttestation(accountId, oracleId, eventId, signal),
      );
      return fetched ? said(announced, fetched) : 'missing';
    }),
  );
  signal?.throwIfAborted();
  const there = found.filter(isThere);
  const own = events.filter((_event, position) => found[position] === 'own');
  if (there.length + own.length < threshold) throw missing(contract, there.length);
  if (there.length >= threshold) return [];
  const tolerance = toleranceOf(cases);
  const agreeing = there.filter((one) => agree(one.outcome, outcome, tolerance)).length;
  if (agreeing + own.length < threshold) throw disagreeing(contract, there, outcome);
  return own.slice(0, threshold - agreeing);
}

type Found = ReturnType<typeof said> | 'own' | 'missing';

const isThere = (one: Found): one is ReturnType<typeof said> => typeof one === 'object';

/** How far numbers of several oracles may lie apart and decide together; 0 where they must be equal, or other cases say otherwise. */
const toleranceOf = (cases: ContractInfo['cases']): bigint =>
  cases
    .map(({ descriptor, oracleInfo }) => {
      const params = descriptor.kind === 'numeric' && oracleInfo.kind === 'multi' ? oracleInfo.params : null;
      return params === null ? 0n : 2n ** BigInt(params.minFailExp);
    })
    .reduce((least, one) => (one < least ? one : least));

function agree(attested: string, outcome: string, tolerance: bigint): boolean {
  if (attested === outcome) return true;
  if (tolerance === 0n) return false;
  const apart = BigInt(attested) - BigInt(outcome);
  return apart <= tolerance && -apart <= tolerance;
}

/** What an attestation that is there says. */
const said = (announced: readonly OracleAnnouncement[], { eventId, outcomes }: AttestationRecord) => {
  const event = announced.find((one) => one.event.eventId === eventId)?.event;
  const list = JSON.parse(outcomes) as string[];
  return { outcome: event === undefined ? list.join() : outcomeText(event, list) };
};

function disagreeing(
  { contractId, threshold, refundLocktime }: ContractRecord,
  there: readonly { readonly outcome: string }[],
  outcome: string,
): DomainError {
  const attested = [...new Set(there.map((one) => JSON.stringify(one.outcome)))].join(', ');
  return new DomainError(
    'outcome_conflict',
    `of contract ${contractId}'s oracles ${there.length} attested already: ${attested}. With ${JSON.stringify(outcome)} not the ${threshold} that it takes ` +
      `would agree, and nothing was attested: execute with what was attested, close it by agreement, or wait for the refund locktime ${refundLocktime}`,
    { field: 'outcome' },
  );
}

/** Nothing that is known settles it. */
export function missing({ contractId, oracleIds, threshold }: ContractRecord, found: number): DomainError {
  const sentence =
    oracleIds.length === 1
      ? `no attestation by oracle ${oracleIds[0]} is known that settles contract ${contractId}`
      : `${found} attestations of contract ${contractId}'s oracles are known, which do not decide it (it takes ${threshold} that agree)`;
  return new DomainError(
    'attestation_missing',
    `${sentence}: post it (POST /api/v1/dlc/attestations) or try again when the oracle has published it`,
    { field: 'outcome' },
  );
}
