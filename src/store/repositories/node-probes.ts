/** What nodes answered last, and when each is asked next: one row however many accounts name the node. */
import { sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import type { NodeProblem } from '../../core/nodes/node-refused.ts';
import { integer, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const probesTable = table('node_probes', ['target'], {
  target: text(),
  /** null: it is reachable, or was not probed. */
  problem: orNull(text<NodeProblem>()),
  protocolVersion: orNull(integer),
  userAgent: orNull(text()),
  claimedHeight: orNull(integer),
  /** Blocks behind the tip of this service at the time. */
  lag: orNull(integer),
  probedAt: orNull(time),
  /** In a row. */
  failures: integer,
  nextAt: time,
});
export type ProbeRecord = RecordOf<typeof probesTable>;

declare module '../schema.ts' {
  interface Schema {
    node_probes: RowOf<typeof probesTable>;
  }
}

/** Between two probes of a node, whoever asks for it how often. */
const APART_MS = 60_000;

/** A new node is due now; one that others named, too, is not before it may be probed again. */
const probes = rowsOf(
  probesTable,
  `on conflict (target) do update set next_at = case
    when node_probes.probed_at + ${APART_MS} > excluded.next_at and node_probes.probed_at + ${APART_MS} < node_probes.next_at
      then node_probes.probed_at + ${APART_MS}
    when node_probes.probed_at + ${APART_MS} <= excluded.next_at and excluded.next_at < node_probes.next_at then excluded.next_at
    else node_probes.next_at end`,
);
const among = prepared((db, p: { targets: string }, kind) =>
  probes.select(db).where(amongTexts(kind, 'target', p.targets)),
);
const due = prepared((db, p: { now: bigint; ofEach: bigint; limit: bigint }) => ({
  compile: () =>
    sql<{ account_id: AccountId | null; target: string }>`select account_id, target from (
        select account_id, probe.target, next_at,
            row_number() over (partition by account_id order by next_at, probe.target) as turn
          from node_probes as probe left join network_nodes as node on node.target = probe.target
          where next_at <= ${p.now}) as waiting
      where turn <= ${p.ofEach} order by turn, next_at, target limit ${p.limit}`.compile(db),
}));
const isNamed = prepared((db, p: { target: string }) =>
  db.selectFrom('network_nodes').select('target').where('target', '=', p.target).limit(1n),
);

export function nodeProbeRepository(session: Session) {
  return {
    find: (target: string) => probes.find(session, { target }),
    among: async (targets: readonly string[]): Promise<ProbeRecord[]> =>
      (await among.all(session, { targets: textList(targets) })).map((row) => probes.record(row)),
    /** They are to be probed soon. */
    ask: async (targets: readonly string[], now: number) => {
      const nothing = { problem: null, protocolVersion: null, userAgent: null, claimedHeight: null, lag: null };
      // In one order, so that no two jobs wait for each other.
      const asked = [...new Set(targets)]
        .toSorted()
        .map((target) => ({ target, ...nothing, probedAt: null, failures: 0, nextAt: now }));
      if (asked.length > 0) await probes.insert(session, asked);
    },
    update: async (target: string, patch: Partial<ProbeRecord>) => {
      await probes.update(session, { target }, patch);
    },
    /** What is to be probed now, for each account that names it: of each its first, accounts in turn. null: nobody names it any more. */
    due: async (now: number, { ofEach, all }: { ofEach: number; all: number }) =>
      (await due.all(session, { now: BigInt(now), ofEach: BigInt(ofEach), limit: BigInt(all) })).map(
        ({ account_id, target }) => ({ accountId: account_id, target }),
      ),
    /** Unless somebody names it: whoever does meanwhile waits for this row. */
    forget: async (target: string) => {
      if ((await probes.findForUpdate(session, { target })) === null) return;
      if ((await isNamed.first(session, { target })) === null) await probes.delete(session, { target });
    },
  };
}
