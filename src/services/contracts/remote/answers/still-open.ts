/** Who answers late may know how the contract ends: before each signature of ours it must still be open. */

import { locktimeProblem } from '../../../../core/dlc/contract/checks/check-locktimes.ts';
import type { CheckContext } from '../../../../core/dlc/contract/contract-checks.ts';
import type { OfferMessage } from '../../../../core/dlc/dlc-messages.ts';
import { DomainError } from '../../../../core/errors.ts';
import type { OracleId } from '../../../../core/ids.ts';
import { createFairQueue } from '../../../../scheduling/fair-queue.ts';
import type { ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../../store/store.ts';
import { requireUncompromised } from '../../../oracles/compromised-oracles.ts';
import type { OracleService } from '../../../oracles/oracle-service.ts';

type Asking = Pick<ContractRecord, 'accountId' | 'oracleIds' | 'eventIds'>;

/**
 * Throws `contract_refused` where an oracle is marked, or has attested one of the events, as far as is known here or at its URL, or where the
 * refund is not locked any more; `state_conflict` where it has expired; `unavailable` where too many questions are under way to ask them all: whoever
 * keeps others' servers busy must not have us sign unasked. Of an oracle without URL nobody can be asked.
 */
export async function requireStillOpen(
  {
    oracles,
    store,
    clock,
  }: {
    oracles: Pick<OracleService, 'attestationsOf' | 'askForAttestation'>;
    store: { readonly read: Pick<Repositories, 'oracles'> };
    clock: () => number;
  },
  contract: ContractRecord,
  offer: OfferMessage,
  tip: CheckContext['tip'],
  signal: AbortSignal,
): Promise<void> {
  if (isExpired(contract, clock())) throw expired(contract);
  const locked = locktimeProblem(offer, tip);
  if (locked !== null) throw refused('locktimes', locked);
  const known = await attestedAlready(oracles, contract);
  if (known !== null) throw attested(known);
  const { accountId, oracleIds, eventIds } = contract;
  requireUncompromised(await store.read.oracles.compromised(accountId, oracleIds), 'contract_id');
  const few = createFairQueue({ all: ASKED_AT_ONCE });
  const asked = await Promise.all(
    oracleIds.map(async (oracleId, position) => {
      const eventId = eventIds[position]!;
      const { attestation, failure } = await few.take({ accountId, signal }, () =>
        oracles.askForAttestation(accountId, oracleId, eventId, signal),
      );
      return { oracleId, said: attestation && saidOf(oracleId, eventId), unasked: failure === 'too_many' };
    }),
  );
  signal.throwIfAborted();
  const told = asked.find(({ said }) => said !== null);
  if (told?.said) throw attested(told.said);
  const left = asked.find(({ unasked }) => unasked);
  if (left) throw notAsked(left.oracleId);
}

/** Well below what an account may ask at once (src/engines/fetching). */
const ASKED_AT_ONCE = 4;

/** Which of its events is attested, as far as is known here, in words; null where none is. */
export async function attestedAlready(
  oracles: Pick<OracleService, 'attestationsOf'>,
  { accountId, oracleIds, eventIds }: Asking,
): Promise<string | null> {
  for (const [position, oracleId] of oracleIds.entries()) {
    const eventId = eventIds[position]!;
    const [kept] = await oracles.attestationsOf(accountId, oracleId, eventId);
    if (kept) return saidOf(oracleId, eventId);
  }
  return null;
}

export const isExpired = ({ expiresAt }: Pick<ContractRecord, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && expiresAt <= now;

const saidOf = (oracleId: OracleId, eventId: string): string => `oracle ${oracleId} has attested event ${eventId}`;

const attested = (said: string): DomainError =>
  refused('attested', `${said}: whoever answers now knows how the contract ends`);

const notAsked = (oracleId: OracleId): DomainError =>
  new DomainError('unavailable', `oracle ${oracleId} could not be asked now, since too many questions are under way`, {
    retryAfterSeconds: 10,
  });

const refused = (check: string, why: string): DomainError =>
  new DomainError('contract_refused', `${check}: ${why}`, { field: 'contract_id' });

const expired = ({ contractId, status, expiresAt }: ContractRecord): DomainError =>
  new DomainError(
    'state_conflict',
    `contract ${contractId} is ${status} and has expired: answers were taken until ${new Date(expiresAt ?? 0).toISOString()}`,
    { field: 'contract_id' },
  );
