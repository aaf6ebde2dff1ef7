import type { OracleId, WalletId } from '../../core/ids.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { connections } from './connections.ts';
import { events } from './oracle-events.ts';
import { oracles } from './oracles.ts';
import { type EncryptedSecret, wallets } from './wallet-rows.ts';

/** A page begins after it: empty before the first. */
type Place = { readonly oracleId: OracleId | ''; readonly eventId: string };

export interface EventKey {
  readonly oracleId: OracleId;
  readonly eventId: string;
}

/** The first name that does not begin so any more: both databases compare names byte by byte. */
const endOf = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

const settingsBetween = prepared((db, p: { from: string; to: string }) =>
  db.selectFrom('settings').selectAll().where('name', '>=', p.from).where('name', '<', p.to).orderBy('name'),
);
const countSecrets = prepared((db) =>
  db
    .selectFrom('wallets')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('secret', 'is not', null),
);
const secretsAfter = prepared((db, p: { after: string; limit: bigint }) =>
  db
    .selectFrom('wallets')
    .select(['wallet_id', 'secret'])
    .where('wallet_id', '>', p.after)
    .where('secret', 'is not', null)
    .orderBy('wallet_id')
    .limit(p.limit),
);
const countOracles = prepared((db) =>
  db
    .selectFrom('oracles')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('secret', 'is not', null),
);
const oraclesAfter = prepared((db, p: { after: string; limit: bigint }) =>
  db
    .selectFrom('oracles')
    .select(['oracle_id', 'secret'])
    .where('oracle_id', '>', p.after)
    .where('secret', 'is not', null)
    .orderBy('oracle_id')
    .limit(p.limit),
);
const countEvents = prepared((db) =>
  db
    .selectFrom('oracle_events')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('nonces', 'is not', null),
);
const eventsAfter = prepared((db, p: Place & { limit: bigint }) =>
  db
    .selectFrom('oracle_events')
    .select(['oracle_id', 'event_id', 'nonces'])
    .where((eb) => eb(eb.refTuple('oracle_id', 'event_id'), '>', eb.tuple(p.oracleId as OracleId, p.eventId)))
    .where('nonces', 'is not', null)
    .orderBy('oracle_id')
    .orderBy('event_id')
    .limit(p.limit),
);
const countConnections = prepared((db) =>
  db
    .selectFrom('connections')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('secret', 'is not', null),
);
const connectionsAfter = prepared((db, p: { after: string; limit: bigint }) =>
  db
    .selectFrom('connections')
    .select(['connection_id', 'secret'])
    .where('connection_id', '>', p.after)
    .where('secret', 'is not', null)
    .orderBy('connection_id')
    .limit(p.limit),
);
const counted = (row: { count: bigint } | null): number => Number(row?.count ?? 0n);

/** What the master key wraps, in whatever account: for changing that key and nothing else. */
export function wrappedKeyRepository(session: Session) {
  return {
    /** Settings whose names begin so, in order of name. */
    settings: (prefix: string) => settingsBetween.all(session, { from: prefix, to: endOf(prefix) }),
    countWalletSecrets: async () => counted(await countSecrets.first(session, {})),
    /** Wallets with a secret, in order of id, after one. */
    walletSecrets: async (after: string, limit: number) =>
      (await secretsAfter.all(session, { after, limit: BigInt(limit) })).map((row) => ({
        walletId: row.wallet_id as WalletId,
        secret: JSON.parse(row.secret as string) as EncryptedSecret,
      })),
    replaceWalletSecret: async (walletId: WalletId, secret: EncryptedSecret) => {
      await wallets.update(session, { walletId }, { secret });
    },
    countOracleSecrets: async () => counted(await countOracles.first(session, {})),
    /** Local oracles, in order of id, after one. */
    oracleSecrets: async (after: string, limit: number) =>
      (await oraclesAfter.all(session, { after, limit: BigInt(limit) })).map((row) => ({
        oracleId: row.oracle_id as OracleId,
        secret: JSON.parse(row.secret as string) as EncryptedSecret,
      })),
    replaceOracleSecret: async (oracleId: OracleId, secret: EncryptedSecret) => {
      await oracles.update(session, { oracleId }, { secret });
    },
    countConnectionSecrets: async () => counted(await countConnections.first(session, {})),
    /** Connections with secrets, in order of id, after one. */
    connectionSecrets: async (after: string, limit: number) =>
      (await connectionsAfter.all(session, { after, limit: BigInt(limit) })).map((row) => ({
        connectionId: row.connection_id,
        secret: JSON.parse(row.secret as string) as EncryptedSecret,
      })),
    replaceConnectionSecret: async (connectionId: string, secret: EncryptedSecret) => {
      await connections.update(session, { connectionId }, { secret });
    },
    countEventNonces: async () => counted(await countEvents.first(session, {})),
    /** Events with nonces, in order of oracle and id, after one. */
    eventNonces: async ({ oracleId, eventId }: Place, limit: number) =>
      (await eventsAfter.all(session, { oracleId, eventId, limit: BigInt(limit) })).map((row) => ({
        oracleId: row.oracle_id as OracleId,
        eventId: row.event_id,
        nonces: JSON.parse(row.nonces as string) as EncryptedSecret,
      })),
    replaceEventNonces: async ({ oracleId, eventId }: EventKey, nonces: EncryptedSecret) => {
      await events.update(session, { oracleId, eventId }, { nonces });
    },
  };
}
