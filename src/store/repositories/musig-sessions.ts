import type { MusigSessionRepository } from '../interfaces/musig-sessions.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { musigSessions } from '../tables/taproot.ts';

const sessions = rowsOf(musigSessions);
const insertNonces = insertRows('musig_nonces', ['account_id', 'public_nonce', 'used_by'], 'on conflict do nothing');

export function musigSessionRepository(session: Session): MusigSessionRepository {
  return {
    insert: async (record) => {
      await sessions.insert(session, [record]);
    },
    find: (accountId, sessionId) => sessions.find(session, { accountId, sessionId }),
    hold: (accountId, sessionId) => sessions.hold(session, { accountId, sessionId }),
    list: (accountId, { state, name, externalId }, page) =>
      sessions.page(session, { name: 'musig-sessions', where: { accountId, state, name, externalId } }, page),
    advance: async (
      accountId,
      sessionId,
      { name, externalId, state, participants, aggregateNonce, signature, updatedAt },
    ) => {
      const to = { name, externalId, state, participants, aggregateNonce, signature, updatedAt };
      await sessions.update(session, { accountId, sessionId }, to);
    },
    takeNonce: async (accountId, usedBy, publicNonce) =>
      (await insertNonces(session, [{ account_id: accountId, public_nonce: publicNonce, used_by: usedBy }])).changes >
      0n,
  };
}
