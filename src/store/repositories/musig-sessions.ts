import { insertRows } from '../queries/insert-rows.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { PageRequest } from '../records.ts';
import type { MusigSessionFilter, MusigSessionRecord } from '../tables/taproot.ts';
import { musigSessions } from '../tables/taproot.ts';

const sessions = rowsOf(musigSessions);
const insertNonces = insertRows('musig_nonces', ['account_id', 'public_nonce', 'used_by'], 'on conflict do nothing');

export function musigSessionRepository(session: Session) {
  return {
    insert: async (record: MusigSessionRecord) => {
      await sessions.insert(session, [record]);
    },
    find: (accountId: string, sessionId: string) => sessions.find(session, { accountId, sessionId }),
    /** For a job that goes by what it reads: until that ends no other job changes the record. */
    hold: (accountId: string, sessionId: string) => sessions.hold(session, { accountId, sessionId }),
    /** Newest first. */
    list: (accountId: string, { state, name, externalId }: MusigSessionFilter, page: PageRequest) =>
      sessions.page(session, { name: 'musig-sessions', where: { accountId, state, name, externalId } }, page),
    /** Of a session that the job holds. */
    advance: async (
      accountId: string,
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
    takeNonce: async (accountId: string, usedBy: string, publicNonce: string) =>
      (await insertNonces(session, [{ account_id: accountId, public_nonce: publicNonce, used_by: usedBy }])).changes >
      0n,
  };
}
