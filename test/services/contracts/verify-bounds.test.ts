/** Verifying for whoever asks is bounded: signing never waits behind it, and nobody works for a request that was given up. */
import { describe, expect, it } from 'vitest';
import { serializeAccept } from '../../../src/core/dlc/messages/accept.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { createVerifyContract } from '../../../src/services/contracts/remote/verify-contract.ts';
import { coinTossInfo, testContract } from '../../builders/dlc-messages.ts';
import { requestContext } from '../../builders/request-context.ts';

const { offer, accept } = testContract({ info: coinTossInfo(2_000_000n) });
const given = {
  offer: serializeOffer(offer, 'tagged'),
  accept: serializeAccept(accept, 'tagged'),
  dialect: 'tagged',
} as const;

/** Signatures that are never done with: what is under way, and how it ends. */
function endless() {
  const underWay = new Set<AbortSignal>();
  const seen = { most: 0 };
  const verifyAllCets = ({ signal }: { signal?: AbortSignal }) =>
    new Promise<never>((_resolve, reject) => {
      underWay.add(signal!);
      seen.most = Math.max(seen.most, underWay.size);
      signal!.addEventListener('abort', () => {
        underWay.delete(signal!);
        reject(signal!.reason as Error);
      });
    });
  return { underWay, seen, cets: { verifyAllCets, sharedPoint: async () => null } };
}

describe('verifying messages', () => {
  it('goes on two at a time, refuses what is too much, and gives up in time', async () => {
    const { underWay, seen, cets } = endless();
    const { verifySignatures } = createVerifyContract({ network: 'regtest', cets, longestMs: 500 } as never);
    const codes = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        verifySignatures(given, requestContext({ accountId: `acc_${at % 4}` })).then(
          () => 'verified',
          (error: { code?: string }) => error.code,
        ),
      ),
    );
    expect(seen.most).toBe(2);
    // Theirs takes too long whose turn came at once; others may come again.
    expect(codes.slice(0, 2)).toEqual(['too_large', 'too_large']);
    expect(new Set(codes)).toEqual(new Set(['too_large', 'unavailable']));
    expect(underWay.size).toBe(0);
  });
});
