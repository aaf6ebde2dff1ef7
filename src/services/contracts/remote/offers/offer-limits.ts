/** Coins bound how many offers an account can have open that hold some. Those that hold none (others', and ours without collateral) are bounded here. */
import { DomainError } from '../../../../core/errors.ts';
import type { AccountId } from '../../../../core/ids.ts';
import type { Repositories } from '../../../../store/store.ts';

export interface OfferBounds {
  readonly count: number;
  /** Of their messages. */
  readonly bytes: number;
}

const OFFER_BOUNDS: OfferBounds = { count: 500, bytes: 64 * 1024 * 1024 };

/**
 * In the job that keeps the offer, first of all: what it counts stays as it is until the job ends. Answers how to go on where it is a new
 * one: that throws `state_conflict` where the account has as many as may be.
 */
export async function checkOfferLimits(
  tx: Pick<Repositories, 'contracts'>,
  accountId: AccountId,
  role: 'offerer' | 'accepter',
  bounds: OfferBounds = OFFER_BOUNDS,
): Promise<{ require(bytes: number): void }> {
  const open = await tx.contracts.openOffers(accountId, role);
  return {
    require(bytes) {
      if (open.count < bounds.count && open.bytes + bytes <= bounds.bytes) return;
      const { field, whose } = ROLES[role];
      throw new DomainError(
        'state_conflict',
        `${whose} ${open.count} open offers of ${mebibytes(open.bytes)} together, and ${bounds.count} of ${mebibytes(bounds.bytes)} are kept ` +
          `at most: cancel some (GET /api/v1/dlc/offers?role=${role} lists them), or wait until they are accepted or expire`,
        { field },
      );
    },
  };
}

const ROLES = {
  offerer: { field: 'offer_collateral', whose: 'an offer without collateral of ours holds no coins: the account made' },
  accepter: { field: 'message', whose: 'the account was made' },
} as const;

const mebibytes = (bytes: number): string => `${(bytes / (1024 * 1024)).toFixed(1)} MiB`;
