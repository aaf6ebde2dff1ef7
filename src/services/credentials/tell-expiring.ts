import type { UpdateData } from '../../core/events/channels.ts';
import type { Store } from '../../store/store.ts';

const AHEAD_MS = 7 * 24 * 3_600_000;
/** Looked at in one job. */
const AT_ONCE = 100;

/** Writes an event of each credential that expires within 7 days, once: events are kept for longer. Answers how many. */
export async function tellExpiring({ store, clock }: { store: Store; clock: () => number }): Promise<number> {
  const span = { from: clock(), to: clock() + AHEAD_MS };
  const found = [
    ...(await store.read.apiKeys.expiring(span)).map((key) => ({ ...key, kind: 'api_key' as const, id: key.keyId })),
    ...(await store.read.oauthClients.expiring(span)).map((client) => ({
      ...{ ...client, kind: 'oauth_client' as const, id: client.clientId },
    })),
  ];
  let told = 0;
  for (let start = 0; start < found.length; start += AT_ONCE) {
    told += await store.write(async (tx) => {
      let count = 0;
      for (const { accountId, kind, id, name, expiresAt } of found.slice(start, start + AT_ONCE)) {
        if (expiresAt === null || (await tx.events.latestFor('keys', id, accountId)) !== null) continue;
        const data: UpdateData['keys'] = { kind, id, name, expires_at: new Date(expiresAt).toISOString() };
        await tx.events.append({ accountId, channel: 'keys', ref: id, data });
        count++;
      }
      return count;
    });
  }
  return told;
}
