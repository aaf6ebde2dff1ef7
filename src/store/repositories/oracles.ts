import { DomainError } from '../../core/errors.ts';
import type { AccountId, OracleId } from '../../core/ids.ts';
import { flag, json, orNull, type RecordOf, type RowOf, selected, table, text, time } from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { events } from './oracle-events.ts';
import { eventsToPoll } from './polled-events.ts';
import type { EncryptedSecret } from './wallet-rows.ts';

/** local: the account's own, whose key is here. external: known by its public key. */
export type OracleKind = 'local' | 'external';

const oraclesTable = table('oracles', ['oracleId'], {
  /** `ora_…`. The account's first local oracle is also meant by the word `local`. */
  oracleId: text<OracleId>(),
  accountId: text<AccountId>(),
  name: text(),
  externalId: orNull(text()),
  kind: text<OracleKind>(),
  /** x-only, hex; unique per account. */
  publicKey: text(),
  url: orNull(text()),
  /** Of a local oracle: its private key, encrypted. */
  secret: orNull(json<EncryptedSecret>()),
  /** The one that `local` means. At most one per account. */
  isDefault: flag,
  /** When two attestations of one event were found. */
  equivocatedAt: orNull(time),
  /** When it was found, by whatever account, to have announced two events with one nonce. */
  nonceReusedAt: selected(
    '(select min(reused_at) from oracle_nonces where oracle_nonces.public_key = oracles.public_key and reused_at is not null)',
    orNull(time),
  ),
  createdAt: time,
  updatedAt: time,
});
export type OracleRecord = RecordOf<typeof oraclesTable>;

declare module '../schema.ts' {
  interface Schema {
    oracles: RowOf<typeof oraclesTable>;
  }
}

/** A refused row answers no change and leaves the transaction going. */
export const oracles = rowsOf(oraclesTable, 'on conflict do nothing');
const compromisedAmong = prepared((db, p: { accountId: AccountId; ids: string }, kind) =>
  oracles
    .select(db)
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'oracle_id', p.ids))
    .where((eb) =>
      eb.or([
        eb('equivocated_at', 'is not', null),
        eb.exists(
          eb
            .selectFrom('oracle_nonces')
            .select('oracle_nonces.public_key')
            .whereRef('oracle_nonces.public_key', '=', 'oracles.public_key')
            .where('reused_at', 'is not', null),
        ),
      ]),
    ),
);
const deleteUnused = prepared((db, p: { accountId: AccountId; oracleId: OracleId }) =>
  db
    .deleteFrom('oracles')
    .where('oracle_id', '=', p.oracleId)
    .where('account_id', '=', p.accountId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('oracle_events')
            .select('event_id')
            .whereRef('oracle_events.oracle_id', '=', 'oracles.oracle_id')
            .where('oracle_events.account_id', '=', p.accountId),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('contract_oracles')
            .select('contract_id')
            .whereRef('contract_oracles.oracle_id', '=', 'oracles.oracle_id')
            .where('contract_oracles.account_id', '=', p.accountId),
        ),
      ),
    ),
);

export function oracleRepository(session: Session) {
  const find = (accountId: AccountId, oracleId: OracleId) => oracles.find(session, { accountId, oracleId });
  const findByPublicKey = (accountId: AccountId, publicKey: string) => oracles.find(session, { accountId, publicKey });
  return {
    /** Throws `already_exists` (field public_key) where the account has the key; for a default, where it has one. */
    insert: async (oracle: OracleRecord) => {
      if ((await oracles.insert(session, [oracle])) > 0n) return;
      if ((await findByPublicKey(oracle.accountId, oracle.publicKey)) !== null) {
        throw new DomainError('already_exists', 'an oracle of this public key is registered already', {
          field: 'public_key',
        });
      }
      throw new DomainError('already_exists', 'the account has its own oracle already');
    },
    find,
    /** Of these, those that announced two events with one nonce, or attested two outcomes of one event. */
    compromised: async (accountId: AccountId, oracleIds: readonly OracleId[]) =>
      (await compromisedAmong.all(session, { accountId, ids: textList(oracleIds) })).map(oracles.record),
    findDefault: (accountId: AccountId) => oracles.find(session, { accountId, isDefault: true }),
    findByPublicKey,
    list: (accountId: AccountId, { kind, externalId }: { kind?: OracleKind; externalId?: string }, page: PageRequest) =>
      oracles.page(session, { name: 'oracles', where: { accountId, kind, externalId } }, page),
    update: async (
      accountId: AccountId,
      oracleId: OracleId,
      {
        name,
        externalId,
        url,
        equivocatedAt,
        updatedAt,
      }: Partial<Pick<OracleRecord, 'name' | 'externalId' | 'url' | 'equivocatedAt' | 'updatedAt'>>,
    ) => {
      await oracles.update(session, { accountId, oracleId }, { name, externalId, url, equivocatedAt, updatedAt });
      return await find(accountId, oracleId);
    },
    /** False where something refers to it (events, contracts). */
    delete: async (accountId: AccountId, oracleId: OracleId) =>
      (await deleteUnused.run(session, { accountId, oracleId })) > 0n,
    /**
     * External oracles' matured events for whose attestation a contract (signed, funded, confirmed) waits, and whose time to be asked for has
     * come, in every account: of each its first `ofEach`, the accounts in turn. `now` in epoch milliseconds. Whoever asks says so by
     * `oracleEvents.polled`, and of what is not asked for by `pollLater`. awaited: false where no contract waits for it any more.
     */
    toPoll: async (now: number, { ofEach, all }: { readonly ofEach: number; readonly all: number }) => {
      const rows = await eventsToPoll.all(session, { now: BigInt(now), ofEach: BigInt(ofEach), all: BigInt(all) });
      const known = new Map<string, OracleRecord | null>();
      const found = [];
      for (const { awaited, ...row } of rows) {
        const oracle = known.get(row.oracle_id) ?? (await find(row.account_id as AccountId, row.oracle_id as OracleId));
        known.set(row.oracle_id, oracle);
        if (oracle) found.push({ oracle, event: events.record(row), awaited: awaited === 1n });
      }
      return found;
    },
  };
}
