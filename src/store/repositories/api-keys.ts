import { sql } from 'kysely';
import type { Role, Tier } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import { flag, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, ofAccountByIds, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const apiKeys = table('api_keys', ['keyId'], {
  keyId: text(),
  accountId: text<AccountId>(),
  name: text(),
  /** The 8 public characters in the middle of `ak_<8>_<43>`: what the lookup goes by. */
  prefix: text(),
  /** SHA-256 of the whole key, hex. */
  secretHash: text(),
  role: text<Role>(),
  /** `<plural noun>:read|write`, or `*` for all. */
  scopes: json<readonly string[]>(),
  tier: text<Tier>(),
  limits: orNull(json<Readonly<Record<string, number>>>()),
  allowedIps: orNull(json<readonly string[]>()),
  /** False only where an administrator issued it so under SIGNATURE_POLICY=per-key. */
  requireSignature: flag,
  /** It may give what goes beyond itself (services/credentials/grants.ts). */
  mayGrant: flag,
  /** The credential that made it; null for the first start and the command line. */
  createdBy: orNull(text()),
  /** The person who made it, or whom the key that made it counts as; null where nobody did: it counts as itself. */
  countsAs: orNull(text()),
  /** Its successor, and until when the key itself still works beside it. */
  rotatedTo: orNull(text()),
  overlapEndsAt: orNull(time),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
});
export type ApiKeyRecord = RecordOf<typeof apiKeys>;

declare module '../schema.ts' {
  interface Schema {
    api_keys: RowOf<typeof apiKeys>;
  }
}

const findAmong = prepared((db, p: { accountId: AccountId; ids: string }, kind) =>
  db
    .selectFrom('api_keys')
    .selectAll()
    .where(ofAccountByIds(kind, p.accountId))
    .where(amongTexts(kind, 'key_id', p.ids)),
);
const keys = rowsOf(apiKeys);
/** Rotations that are followed back. */
const LONGEST_LINE = 500;
const firstOfLine = prepared((db, p: { accountId: AccountId; keyId: string }) => ({
  compile: () =>
    sql<{ key_id: string }>`with recursive line (key_id, depth) as (
      select key_id, 0 from api_keys where key_id = ${p.keyId} and account_id = ${p.accountId}
      union all
      select api_keys.key_id, line.depth + 1 from line join api_keys on api_keys.rotated_to = line.key_id
        where api_keys.account_id = ${p.accountId} and line.depth < ${sql.raw(String(LONGEST_LINE))}
    ) select key_id from line order by depth desc limit 1`.compile(db),
}));
/** The newest of its line, if it is not revoked. */
const standing = prepared((db, p: { accountId: AccountId; keyId: string }) => ({
  compile: () =>
    sql<{ key_id: string }>`with recursive line (key_id, rotated_to, revoked_at, depth) as (
      select key_id, rotated_to, revoked_at, 0 from api_keys where key_id = ${p.keyId} and account_id = ${p.accountId}
      union all
      select api_keys.key_id, api_keys.rotated_to, api_keys.revoked_at, line.depth + 1 from line join api_keys on api_keys.key_id = line.rotated_to
        where api_keys.account_id = ${p.accountId} and line.depth < ${sql.raw(String(LONGEST_LINE))}
    ) select key_id from line where revoked_at is null and rotated_to is null limit 1`.compile(db),
}));
const expiring = prepared((db, p: { from: bigint; to: bigint }) =>
  keys
    .select(db)
    .where('expires_at', '>', p.from)
    .where('expires_at', '<=', p.to)
    .where('revoked_at', 'is', null)
    .where('rotated_to', 'is', null),
);

export function apiKeyRepository(session: Session) {
  const noteIf = (changed: bigint): boolean => {
    if (changed > 0n) session.note('credentials');
    return changed > 0n;
  };
  return {
    insert: async (key: ApiKeyRecord) => {
      await keys.insert(session, [key]);
    },
    /** By the 8 public characters, whatever the account: this is how a caller's account becomes known. */
    findByPrefix: (prefix: string) => keys.find(session, { prefix }),
    /** Those of these that there are, in whatever state. */
    among: async (accountId: AccountId, ids: readonly string[]) =>
      (await findAmong.all(session, { accountId, ids: textList(ids) })).map(keys.record),
    find: (accountId: AccountId, keyId: string) => keys.find(session, { accountId, keyId }),
    /** The key that its rotations began with: itself where it was made anew. */
    firstOfLine: async (accountId: AccountId, keyId: string) =>
      (await firstOfLine.first(session, { accountId, keyId }))?.key_id ?? keyId,
    /** Whether the key that it was rotated to last, or itself, is not revoked. */
    isStanding: async (accountId: AccountId, keyId: string): Promise<boolean> =>
      (await standing.first(session, { accountId, keyId })) !== null,
    /** Of every account: those that end within the span, epoch milliseconds, and have no successor. */
    expiring: async ({ from, to }: { from: number; to: number }) =>
      (await expiring.all(session, { from: BigInt(from), to: BigInt(to) })).map(keys.record),
    /** All of them, newest first. */
    list: (accountId: AccountId) => keys.all(session, { accountId }, 'order by created_at desc, key_id desc'),
    /** Newest first. `active` goes by the time given with it: neither revoked nor over then. */
    page: (
      accountId: AccountId,
      { name, role, active }: { name?: string; role?: Role; active?: { is: boolean; at: number } },
      page: PageRequest,
    ) =>
      keys.page(
        session,
        {
          name: 'api-keys',
          where: { accountId, name, role },
          and: (eb) => {
            if (active === undefined) return [];
            const at = BigInt(active.at);
            const stands = eb.and([
              eb('revoked_at', 'is', null),
              eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]),
              eb.or([eb('overlap_ends_at', 'is', null), eb('overlap_ends_at', '>', at)]),
            ]);
            return [active.is ? stands : eb.not(stands)];
          },
        },
        page,
      ),
    /** Every process forgets the key. False where it is not the account's or is revoked already. */
    revoke: async (accountId: AccountId, keyId: string, at: number) =>
      noteIf(await keys.update(session, { accountId, keyId, revokedAt: null }, { revokedAt: at })),
    /** Names a key's successor and when the key itself ends. False where it has one already, is revoked, or is not the account's. */
    succeed: async (
      accountId: AccountId,
      keyId: string,
      { keyId: rotatedTo, overlapEndsAt }: { keyId: string; overlapEndsAt: number },
    ) =>
      noteIf(
        await keys.update(
          session,
          { accountId, keyId, rotatedTo: null, revokedAt: null },
          { rotatedTo, overlapEndsAt },
        ),
      ),
    touch: async (accountId: AccountId, keyId: string, at: number) => {
      await keys.update(session, { accountId, keyId }, { lastUsedAt: at });
    },
  };
}
