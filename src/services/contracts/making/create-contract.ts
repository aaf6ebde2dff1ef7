/** A contract is made: terms, sides, offer, committed in one job with the answer; then it goes on by itself. */

import { encryptionPointsCheck, requireChecks } from '../../../core/dlc/contract/contract-checks.ts';
import { contractOf } from '../../../core/dlc/contract/contract-of.ts';
import { oracleProofsCheck } from '../../../core/dlc/contract/oracle-proof.ts';
import { serializeAccept } from '../../../core/dlc/messages/accept.ts';
import { serializeOffer } from '../../../core/dlc/messages/offer.ts';
import { offerIdOf } from '../../../core/dlc/messages/offer-id.ts';
import { repeatedNonce } from '../../../core/dlc/oracle/repeated-nonces.ts';
import { DomainError } from '../../../core/errors.ts';
import { type FeeRate, feeRate as toFeeRate } from '../../../core/fee-rate.ts';
import { GENESIS_HASHES } from '../../../core/genesis.ts';
import { type AccountId, newId, type WalletId } from '../../../core/ids.ts';
import { internalHash } from '../../../core/outpoint.ts';
import type { WalletRecord } from '../../../store/records.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../store/store.ts';
import { requireUncompromised } from '../../oracles/compromised-oracles.ts';
import { askerOf, type Entry, entriesTogether, type Passed } from '../../policies/gate.ts';
import { recordRequest } from '../../requests/record-request.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { assertTaken } from '../../transactions/drafting/spending-conditions.ts';
import { committing, retried } from '../../transactions/make-transaction.ts';
import { awaitApproval, waitingBy } from '../approving/await-approval.ts';
import { stakesOf } from '../asked-of-contract.ts';
import { appendCreatedEvent } from '../contract-moves.ts';
import type { ContractRequest, ContractService } from '../contract-service.ts';
import { checkOfferLimits } from '../remote/offers/offer-limits.ts';
import { fundingWallet } from '../sides/funding-wallet.ts';
import type { PreparedSide } from '../sides/prepare-side.ts';
import { randomSerialId } from '../sides/serial-ids.ts';
import { maturityOf, type StoredAnnouncement } from '../terms/contract-events.ts';
import { defaultFeeRate } from '../terms/fee-rate.ts';
import { type ChainPoint, contractLocktimes, isTime } from '../terms/locktimes.ts';
import { type OracleProofs, proofsOfEvents, proofsRecord } from '../terms/oracle-proofs.ts';
import { assertAttestable, contractInfo, resolveTerms } from '../terms/resolve-terms.ts';
import { draftAccept, offerOf, type Plan, recordOf, refuseOversized } from './contract-draft.ts';
import type { MakingDependencies } from './making-dependencies.ts';

/** No script is paid. */
const NOBODY = new Map();

export function createContractCreator(deps: MakingDependencies): ContractService['create'] {
  const { store, chain, conditions, events, clock, randomBytes, driver } = deps;

  async function plan(request: ContractRequest, context: RequestContext): Promise<Plan> {
    const { accountId } = context;
    const askedAt = clock();
    const remote = request.counterparty !== undefined && 'mode' in request.counterparty;
    refuseExpired(request, clock());
    const other =
      request.counterparty && 'walletId' in request.counterparty ? request.counterparty.walletId : undefined;
    const offer = await fundingWallet(store.read, accountId, request.walletId);
    const accept = remote ? null : await acceptingWallet(accountId, other ?? offer.walletId);
    await refuseUsedExternalId(store.read, accountId, request.externalId);
    const now = await conditions.current();
    const terms = await resolveTerms(deps, context, request, {
      halves: remote || other !== undefined,
      exchanged: remote,
    });
    assertAttestable(terms);
    requireUncompromised(terms.events.oracles, 'oracles');
    const asked = request.feeRateSatVb;
    if (asked !== undefined) assertTaken(perKvb(asked), now);
    return {
      ...contractLocktimes(
        request,
        {
          ...(await chainPoint(now.tip.height)),
          unixSeconds: seconds(clock()),
          maturityEpoch: maturityOf(terms.events),
        },
        remote,
      ),
      askedAt,
      request,
      accountId,
      role: remote ? 'offerer' : 'both',
      terms,
      feeRateSatVb: asked ?? (await defaultFeeRate(chain, now.minimumFeeRate)),
      tipHeight: now.tip.height,
      wallets: { offer, accept },
    };
  }

  async function acceptingWallet(accountId: AccountId, walletId: WalletId): Promise<WalletRecord> {
    try {
      return await fundingWallet(store.read, accountId, walletId);
    } catch (error) {
      throw error instanceof DomainError && error.details.field === 'wallet_id'
        ? error.at('counterparty.wallet_id')
        : error;
    }
  }

  /** The followed chain's tip knows its median time; before the first block is followed there is none. */
  async function chainPoint(height: number): Promise<ChainPoint> {
    const tip = await store.read.ledger.tip();
    return { height, medianTime: tip?.medianTime ?? 0 };
  }

  /** Of each side that is here. */
  async function judge({ wallets, terms }: Plan, context: RequestContext): Promise<Passed[]> {
    const { offer, accept } = wallets;
    const { collateralSats, offerCollateralSats } = terms;
    const sides = { offerSide: offer, acceptSide: accept, collateralSats, offerCollateralSats };
    const passed: Passed[] = [];
    for (const stake of stakesOf(sides, offer.network)) {
      const earlier = passed.flatMap(({ counts }) => counts);
      passed.push(await deps.gate.decide(askerOf(context), stake, { earlier }));
    }
    return passed;
  }

  async function prepareSides({ terms, wallets, feeRateSatVb, tipHeight, role }: Plan): Promise<PreparedSide[]> {
    const { collateralSats: totalCollateralSats, offerCollateralSats, dialect } = terms;
    const common = { totalCollateralSats, feeRateSatVb, dialect, tipHeight, minConf: role === 'both' ? 0 : 1 } as const;
    const prepared: PreparedSide[] = [];
    try {
      prepared.push(await deps.prepareSide({ ...common, wallet: wallets.offer, collateralSats: offerCollateralSats }));
      if (wallets.accept) {
        const collateralSats = totalCollateralSats - offerCollateralSats;
        prepared.push(
          await deps.prepareSide({ ...common, wallet: wallets.accept, collateralSats, beside: prepared[0]! }),
        );
      }
      return prepared;
    } catch (error) {
      for (const side of prepared) side.release();
      throw error;
    }
  }

  return async (request, context) => {
    const planned = await plan(request, context);
    const { cetLocktime, terms, accountId } = planned;
    let announced: StoredAnnouncement[] | null = null;
    const chainHash = internalHash(GENESIS_HASHES[planned.wallets.offer.network]);
    const record = await retried(async () => {
      const passed = await judge(planned, context);
      const prepared = await prepareSides(planned);
      return committing(prepared, async () => {
        // Last of what has an effect before the commit: an event that no contract waits for would be announced in vain.
        announced ??= await events.announce(
          accountId,
          terms.events,
          terms.eventDescriptor,
          isTime(cetLocktime) ? Math.max(cetLocktime, seconds(clock())) : seconds(clock()),
        );
        const oracleProofs = await requireSound(planned, announced);
        return commit(planned, prepared, announced, { chainHash, oracleProofs, passed }, context);
      });
    });
    return record.role === 'both' && record.status === 'offered'
      ? driver.answerAfter(record, context)
      : deps.view(record);
  };

  /** Throws `contract_refused` where one attestation would open CETs that pay differently, or an oracle may open one alone. */
  async function requireSound(
    { accountId, terms, askedAt, request }: Plan,
    announced: readonly StoredAnnouncement[],
  ): Promise<OracleProofs> {
    const announcements = announced.map(({ announcement }) => announcement);
    const repeated = repeatedNonce(announcements);
    if (repeated !== null) {
      throw new DomainError(
        'contract_refused',
        `nonce_repeated: a nonce of event ${announced[repeated]!.event.eventId} stands twice: its oracle would give its key away`,
        { field: 'oracles' },
      );
    }
    const info = contractInfo(terms, announcements);
    const shared = await deps.cets.sharedPoint({ accountId, info, dialect: terms.dialect });
    requireChecks([encryptionPointsCheck(shared)], () => 'oracles');
    const oracleProofs = proofsOfEvents(info, announced, askedAt);
    const check = oracleProofsCheck(oracleProofs.judged, request.acceptUnprovenOracles === true);
    requireChecks([check], () => 'accept_unproven_oracles');
    return oracleProofs;
  }

  async function commit(
    planned: Plan,
    prepared: readonly PreparedSide[],
    announced: readonly StoredAnnouncement[],
    {
      chainHash,
      oracleProofs,
      passed,
    }: { readonly chainHash: Uint8Array; readonly oracleProofs: OracleProofs; readonly passed: readonly Passed[] },
    context: RequestContext,
  ): Promise<ContractRecord> {
    const contractId = newId('ctr', randomBytes);
    const temporary = randomBytes(32);
    const temporaryContractId = Buffer.from(temporary).toString('hex');
    const fundOutputSerialId = randomSerialId(randomBytes);
    const waiting = waitingBy(passed, randomBytes);
    return store.write(async (tx) => {
      await deps.gate.hold(tx, passed);
      // What holds no coins is bounded by nothing else.
      const room =
        planned.role === 'offerer' && prepared[0]!.coins.length === 0
          ? await checkOfferLimits(tx, planned.accountId, 'offerer', deps.offerBounds)
          : null;
      const [offering, accepting] = [
        await prepared[0]!.commit(tx, { contractId }),
        prepared[1] ? await prepared[1].commit(tx, { contractId }) : null,
      ];
      const offer = offerOf(planned, announced, {
        party: offering.party,
        temporary,
        chainHash,
        fundOutputSerialId,
        tlvs: proofsRecord(oracleProofs.proofs),
      });
      const { dialect } = planned.terms;
      const message = serializeOffer(offer, dialect);
      const now = clock();
      const entries: Entry[] = [];
      for (const one of passed) {
        const earlier = entries.flatMap(({ counts }) => counts ?? []);
        entries.push(await deps.gate.commitSpend(tx, one, { owners: NOBODY, at: now, waits: true, earlier }));
      }
      const drafted = recordOf(planned, announced, {
        contractId,
        waiting,
        offerId: offerIdOf(message, dialect),
        oracleProof: oracleProofs.judged.proof,
        temporaryContractId,
        offerSide: offering.side,
        acceptSide: accepting?.side ?? null,
        now,
      });
      const record = { ...drafted, ...entriesTogether(entries) };
      if (record.role === 'offerer') refuseOversized(message, offering.party);
      room?.require(message.length);
      await tx.contracts.insert(record);
      await tx.contracts.putMessage(record.accountId, contractId, 'offer', message);
      // Both sides together make a contract: found out before anything is committed.
      if (accepting) contractOf(offer, accepting.party, dialect);
      const accept = accepting && serializeAccept(draftAccept(offer, accepting.party), dialect);
      if (accept) await tx.contracts.putMessage(record.accountId, contractId, 'accept', accept);
      const { network } = planned.wallets.offer;
      if (waiting)
        await awaitApproval(tx, record, { passed, offer: message, accept, expiresAt: record.expiresAt, network }, now);
      await appendCreatedEvent(tx, record);
      await recordRequest(tx, context, { result: await deps.viewIn(tx, record), target: contractId });
      return record;
    });
  }
}

function refuseExpired({ counterparty }: ContractRequest, now: number): void {
  if (counterparty === undefined || !('mode' in counterparty)) return;
  if (counterparty.expiresAt === undefined || counterparty.expiresAt > now) return;
  const time = new Date(now).toISOString();
  throw new DomainError('invalid_value', `counterparty.expires_at is past: it is ${time}`, {
    field: 'counterparty.expires_at',
  });
}

/** The index has the last word; this one spares the work. */
async function refuseUsedExternalId(
  read: Pick<Repositories, 'contracts'>,
  accountId: AccountId,
  externalId: string | undefined,
): Promise<void> {
  if (externalId === undefined) return;
  const named = await read.contracts.list(accountId, { externalId }, { limit: 1, offset: 0 });
  if (named.data.length === 0) return;
  throw new DomainError(
    'already_exists',
    `contract ${named.data[0]!.contractId} already has this external_id: choose another, or repeat its Idempotency-Key to get its response`,
    { field: 'external_id' },
  );
}

const perKvb = (rateSatVb: bigint): FeeRate => toFeeRate(rateSatVb * 1000n);
const seconds = (atMs: number): number => Math.floor(atMs / 1000);
