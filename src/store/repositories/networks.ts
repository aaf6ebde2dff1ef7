/** Networks as accounts describe them, with their nodes in order. */
import type { AccountId } from '../../core/ids.ts';
import { integer, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const networksTable = table('networks', ['networkId'], {
  /** `net_…` */
  networkId: text(),
  accountId: text<AccountId>(),
  name: text(),
  createdAt: time,
  updatedAt: time,
});
const nodesTable = table('network_nodes', ['networkId', 'position'], {
  accountId: text<AccountId>(),
  networkId: text(),
  position: integer,
  /** As it was given. */
  node: text(),
  /** What is probed (core/nodes/node-address.ts); null: nothing. */
  target: orNull(text()),
  /** What was probed before is not shown. */
  addedAt: time,
});
export type NetworkRecord = RecordOf<typeof networksTable>;
export type NodeRecord = RecordOf<typeof nodesTable>;

declare module '../schema.ts' {
  interface Schema {
    networks: RowOf<typeof networksTable>;
    network_nodes: RowOf<typeof nodesTable>;
  }
}

const networks = rowsOf(networksTable);
const nodes = rowsOf(nodesTable);
const nodesOf = prepared((db, p: { accountId: AccountId; networks: string }, kind) =>
  nodes
    .select(db)
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'network_id', p.networks))
    .orderBy('position'),
);

export function networkRepository(session: Session) {
  return {
    insert: async (network: NetworkRecord) => {
      await networks.insert(session, [network]);
    },
    find: (accountId: AccountId, networkId: string) => networks.find(session, { accountId, networkId }),
    /** Newest first. */
    list: (accountId: AccountId, page: PageRequest) =>
      networks.page(session, { name: 'networks', where: { accountId } }, page),
    update: async (accountId: AccountId, networkId: string, patch: Pick<NetworkRecord, 'name' | 'updatedAt'>) => {
      await networks.update(session, { accountId, networkId }, patch);
    },
    /** With its nodes. */
    delete: async (accountId: AccountId, networkId: string) => {
      await nodes.delete(session, { accountId, networkId });
      await networks.delete(session, { accountId, networkId });
    },
    /** Of these networks, in order of position. */
    nodes: async (accountId: AccountId, networkIds: readonly string[]): Promise<NodeRecord[]> =>
      (await nodesOf.all(session, { accountId, networks: textList(networkIds) })).map((row) => nodes.record(row)),
    countNodes: (accountId: AccountId) => nodes.count(session, { accountId }),
    putNodes: async (accountId: AccountId, networkId: string, now: readonly NodeRecord[]) => {
      await nodes.delete(session, { accountId, networkId });
      if (now.length > 0) await nodes.insert(session, now);
    },
  };
}
