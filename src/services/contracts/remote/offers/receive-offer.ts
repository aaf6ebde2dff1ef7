/** Takes an offer of somebody elsewhere: checked and kept. Nothing of ours is held or signed before it is accepted. */

import { requireChecks } from '../../../../core/dlc/contract/contract-checks.ts';
import { oracleProofsCheck } from '../../../../core/dlc/contract/oracle-proof.ts';
import type { OfferMessage } from '../../../../core/dlc/dlc-messages.ts';
import type { NonceProofs } from '../../../../core/dlc/messages/nonce-proofs.ts';
import { parseOffer } from '../../../../core/dlc/messages/offer.ts';
import { offerIdOf } from '../../../../core/dlc/messages/offer-id.ts';
import { DomainError } from '../../../../core/errors.ts';
import { newId } from '../../../../core/ids.ts';
import type { ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../../store/store.ts';
import { requireUncompromised } from '../../../oracles/compromised-oracles.ts';
import { recordRequest } from '../../../requests/record-request.ts';
import { appendCreatedEvent } from '../../contract-moves.ts';
import type { ContractService } from '../../contract-service.ts';
import { NEW_CONTRACT_FIELDS } from '../../new-contract-fields.ts';
import { checkPoints } from '../../signing/check-points.ts';
import { keptProof, proofsOfOffer } from '../../terms/oracle-proofs.ts';
import { madeOf, viewOf } from '../contract-messages.ts';
import type { RemoteDependencies } from '../remote-dependencies.ts';
import { expiryOf } from './offer-expiry.ts';
import { checkOfferLimits } from './offer-limits.ts';
import { announcementsOfOffer, termsOfOffer } from './offer-record.ts';

export function createReceiveOffer(deps: RemoteDependencies): ContractService['receiveOffer'] {
  const { store, oracles, clock, randomBytes } = deps;

  return async (
    { message, dialect = 'tagged', externalId, acceptOracles = [], acceptUnprovenOracles = false, expiresAt: asked },
    context,
  ) => {
    const { accountId } = context;

    /** The contract that this offer made before. */
    const takenBefore = (read: Pick<Repositories, 'contracts'>): Promise<ContractRecord | null> =>
      madeOf(read, { accountId, role: 'accepter', offer: message, dialect });

    async function checked() {
      const { tip, ...checking } = await deps.checkContext.ofOffer(dialect);
      const given = { offer: message, dialect, only: 'offer', context: { ...checking, tip } } as const;
      requireChecks(await deps.computing.run('messages.check', given, context));
      // What passed is no longer than is read at once.
      const offer = parseOffer(message, dialect);
      const { contractInfo: info } = offer;
      requireChecks([await checkPoints(deps.cets, { accountId, info, dialect, signal: context.signal })]);
      for (const announcement of announcementsOfOffer(offer)) await oracles.requireFreshNonces(announcement);
      const oracleProofs = await proofsOfOffer(offer, { read: store.read, accountId });
      requireChecks([oracleProofsCheck(oracleProofs.judged, acceptUnprovenOracles)], () => 'accept_unproven_oracles');
      await deps.counterpartyCoins.require('offer', offer.party);
      return { offer, oracleProofs, expiresAt: expiryOf(offer, asked, { now: clock(), height: tip?.height ?? 0 }) };
    }

    const found = (await takenBefore(store.read)) === null ? await checked() : null;
    const contract = await store.write(async (tx) => {
      const room = await checkOfferLimits(tx, accountId, 'accepter', deps.offerBounds);
      const before = await takenBefore(tx);
      if (before === null) room.require(message.length);
      const record = before ?? (await keep(tx, found as Awaited<ReturnType<typeof checked>>));
      await recordRequest(tx, context, { result: await viewOf(tx, record), target: record.contractId });
      return record;
    });
    return viewOf(store.read, contract);

    async function keep(
      tx: Repositories,
      { offer: given, oracleProofs, expiresAt }: Awaited<ReturnType<typeof checked>>,
    ): Promise<ContractRecord> {
      const known = await keepOracles(tx, given, oracleProofs.proofs);
      const now = clock();
      const record: ContractRecord = {
        contractId: newId('ctr', randomBytes),
        accountId,
        externalId: externalId ?? null,
        status: 'offered',
        role: 'accepter',
        dialect,
        oracleIds: known.map(({ oracle }) => oracle.oracleId),
        eventIds: known.map(({ event }) => event.eventId),
        offerId: offerIdOf(message, dialect),
        oracleProof: oracleProofs.judged.proof,
        ...termsOfOffer(given),
        offerSide: null,
        acceptSide: null,
        ...NEW_CONTRACT_FIELDS,
        expiresAt,
        createdAt: now,
        updatedAt: now,
      };
      await tx.contracts.insert(record);
      await tx.contracts.putMessage(accountId, record.contractId, 'offer', message);
      await appendCreatedEvent(tx, record);
      return record;
    }

    /** Whoever offers may be the oracle: one that the account does not know must be named. */
    async function keepOracles(tx: Repositories, given: OfferMessage, proofs: NonceProofs) {
      const kept = [];
      for (const [position, announcement] of announcementsOfOffer(given).entries()) {
        const publicKey = Buffer.from(announcement.publicKey).toString('hex');
        const registered = await tx.oracles.findByPublicKey(accountId, publicKey);
        if (registered !== null) requireUncompromised([registered], 'message');
        if (registered === null && !acceptOracles.includes(publicKey)) {
          throw new DomainError(
            'contract_refused',
            `oracles: the account has not registered the oracle ${publicKey}, and whoever offers may be the oracle: ` +
              'register it, or accept it for this contract by naming it in accept_oracles',
            { field: 'accept_oracles' },
          );
        }
        kept.push(await oracles.keepAnnouncement(tx, accountId, announcement, keptProof(proofs, position)));
      }
      return kept;
    }
  };
}
