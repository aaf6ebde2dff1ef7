/** What is approved of a settlement: the CET to the last byte, and what local oracles attest for it. */

import { parseAttestation } from '../../../core/dlc/messages/attestation.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { Network } from '../../../core/network.ts';
import type { TransactionText } from '../../../core/policies/approval-text.ts';
import { attestationText } from '../../../core/policies/attestation-text.ts';
import { createYielder } from '../../../scheduling/yielder.ts';
import type { Store } from '../../../store/store.ts';
import type { Doing } from '../../approvals/held-operation.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';
import { closingText } from '../approving/held-steps.ts';
import type { LoadedContract } from '../load-contract.ts';
import { knownAttestations } from './attestations.ts';
import type { SettleContract } from './settle-contract.ts';
import type { OwnEvent } from './to-attest.ts';

/** Of the announcements in one text, in hex: it is written, read and hashed in one go. */
const MAX_ANNOUNCED = 512 * 1024;

/** Answers the text, or null where what would be attested decides nothing. */
export function createExecutionText(deps: {
  store: Pick<Store, 'read'>;
  network: Network;
  oracles: Pick<OracleService, 'attestationsOf'>;
  settling: Pick<SettleContract, 'cetDeciding'>;
}) {
  const { store, network, oracles, settling } = deps;

  /** Throws `too_large`. */
  async function attestationsOf(accountId: AccountId, own: readonly OwnEvent[], outcome: string) {
    const announced = await Promise.all(
      own.map(async ({ oracleId, eventId }) => {
        const event = await store.read.oracleEvents.find(accountId, oracleId, eventId);
        if (event === null) throw new Error(`event ${eventId} of a contract's oracle is gone`);
        return { oracle_id: oracleId, announcement: event.announcement, outcome };
      }),
    );
    refuseLong(announced.reduce((total, { announcement }) => total + announcement.length, 0));
    // An announcement of the largest size takes a few milliseconds.
    const rest = createYielder();
    const texts: ReturnType<typeof attestationText>[] = [];
    for (const one of announced) {
      await rest();
      texts.push(attestationText(one));
    }
    return texts;
  }

  return async (loaded: LoadedContract, outcome: string, own: readonly OwnEvent[]): Promise<TransactionText | null> => {
    const { record } = loaded;
    const attests = await attestationsOf(record.accountId, own, outcome);
    const { attestations } = await knownAttestations(oracles, record);
    const said = attests.map(({ event_id: eventId, oracle_public_key, signatures }) => ({
      ...{ eventId, publicKey: Buffer.from(oracle_public_key, 'hex'), outcomes: signatures.map((one) => one.outcome) },
    }));
    const cet = await settling.cetDeciding(loaded, [...attestations.map((bytes) => parseAttestation(bytes)), ...said]);
    return cet && closingText(loaded, cet, network, { outcome, attests });
  };
}

function refuseLong(length: number): void {
  if (length <= MAX_ANNOUNCED) return;
  throw new DomainError(
    'too_large',
    `it waits for approval, and the announcements of the account's oracles take ${length} characters, of which at most ${MAX_ANNOUNCED} can be ` +
      'approved at once: have each oracle attest the outcome (POST /api/v1/dlc/attestations), which settles the contract',
    { field: 'outcome' },
  );
}

/**
 * Throws `outcome_conflict` where what the oracles have attested by now settles it by another CET than was approved, or more would be
 * attested (`own`) than was. What was to be attested may be so already.
 */
export function requireApprovedCet(
  { approved }: Pick<Doing, 'approved'>,
  txid: string | undefined,
  own: readonly OwnEvent[] = [],
): void {
  if (approved === null) return;
  const { unsigned_txid, contract } = approved as TransactionText;
  const attests = contract?.attests ?? [];
  const isNew = ({ oracleId, eventId }: OwnEvent) =>
    !attests.some((one) => one.oracle_id === oracleId && one.event_id === eventId);
  if (txid === unsigned_txid && !own.some(isNew)) return;
  throw new DomainError(
    'outcome_conflict',
    'the oracles have attested since it was asked for, and that settles the contract otherwise than was approved',
    { field: 'outcome' },
  );
}
