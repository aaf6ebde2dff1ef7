import type { AccountId } from '../../core/ids.ts';
import { flag, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { insertRows } from '../queries/insert-rows.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const MUSIG_STATES = ['awaiting_nonces', 'awaiting_signatures', 'complete', 'cancelled'] as const;

export type MusigState = (typeof MUSIG_STATES)[number];

/** All in hex. */
export interface MusigParticipant {
  /** Compressed. */
  readonly publicKey: string;
  readonly publicNonce: string | null;
  readonly partialSignature: string | null;
}

export interface MusigSessionFilter {
  state?: MusigState;
  name?: string;
  externalId?: string;
}

export const musigSessions = table('musig_sessions', ['sessionId'], {
  sessionId: text(),
  accountId: text<AccountId>(),
  name: orNull(text()),
  externalId: orNull(text()),
  state: text<MusigState>(),
  message: text(),
  /** Whether the participants were sorted for aggregation. */
  sorted: flag,
  /** Without taproot's. */
  tweaks: json<readonly { readonly tweak: string; readonly xOnly: boolean }[]>(),
  taproot: orNull(json<{ readonly merkleRoot: string | null }>()),
  /** In the order of aggregation. */
  participants: json<readonly MusigParticipant[]>(),
  /** x-only, tweaked. */
  aggregateKey: text(),
  /** x-only, before the taproot tweak. */
  internalKey: orNull(text()),
  aggregateNonce: orNull(text()),
  signature: orNull(text()),
  createdAt: time,
  updatedAt: time,
});
/** All keys, nonces and signatures in hex. */
export type MusigSessionRecord = RecordOf<typeof musigSessions>;

declare module '../schema.ts' {
  interface Schema {
    musig_sessions: RowOf<typeof musigSessions>;
    /** Every public nonce that a session or payment of the account was given; used_by: its session's id, or its unsigned txid. */
    musig_nonces: { account_id: AccountId; public_nonce: string; used_by: string };
  }
}

const sessions = rowsOf(musigSessions);
const insertNonces = insertRows('musig_nonces', ['account_id', 'public_nonce', 'used_by'], 'on conflict do nothing');

export function musigSessionRepository(session: Session) {
  return {
    insert: async (record: MusigSessionRecord) => {
      await sessions.insert(session, [record]);
    },
    find: (accountId: AccountId, sessionId: string) => sessions.find(session, { accountId, sessionId }),
    /** For a job that goes by what it reads: until that ends no other job changes the record. */
    findForUpdate: (accountId: AccountId, sessionId: string) =>
      sessions.findForUpdate(session, { accountId, sessionId }),
    /** Newest first. */
    list: (accountId: AccountId, { state, name, externalId }: MusigSessionFilter, page: PageRequest) =>
      sessions.page(session, { name: 'musig-sessions', where: { accountId, state, name, externalId } }, page),
    /** Of a session that the job holds. */
    advance: async (
      accountId: AccountId,
      sessionId: string,
      {
        name,
        externalId,
        state,
        participants,
        aggregateNonce,
        signature,
        updatedAt,
      }: Pick<
        MusigSessionRecord,
        'name' | 'externalId' | 'state' | 'participants' | 'aggregateNonce' | 'signature' | 'updatedAt'
      >,
    ) => {
      const to = { name, externalId, state, participants, aggregateNonce, signature, updatedAt };
      await sessions.update(session, { accountId, sessionId }, to);
    },
    /** Gives a public nonce to a session or payment, for ever. False where it was given to one of the account's before. */
    takeNonce: async (
      accountId: AccountId,
      { publicNonce, usedBy }: { readonly publicNonce: string; readonly usedBy: string },
    ) =>
      (await insertNonces(session, [{ account_id: accountId, public_nonce: publicNonce, used_by: usedBy }])).changes >
      0n,
  };
}
