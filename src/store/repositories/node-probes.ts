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
/** In one order, as `ask` takes them. */
const locked = prepared((db, p: { targets: string }, kind) =>
  db
    .selectFrom('node_probes')
    .select('target')
    .where(amongTexts(kind, 'target', p.targets))
    .orderBy('target')
    .forUpdate(),
);
const deleteUnnamed = prepared((db, p: { targets: string; before: bigint }, kind) =>
  db
    .deleteFrom('node_probes')
    .where(amongTexts(kind, 'target', p.targets))
    .where((eb) => eb.or([eb('probed_at', 'is', null), eb('probed_at', '<=', p.before)]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('network_nodes')
            .select('network_nodes.target')
            .whereRef('network_nodes.target', '=', 'node_probes.target'),
        ),
      ),
    ),
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
    /**
     * Those that nobody names and that may be probed again: whoever names one meanwhile waits for its row. In a job of its own, so that no
     * two jobs wait for each other.
     */
    forget: async (targets: readonly string[], now: number) => {
      const list = { targets: textList(targets) };
      // What others named before they gave a row free is seen by the statements after this one alone.
      if (session.kind === 'postgres') await locked.all(session, list);
      await deleteUnnamed.run(session, { ...list, before: BigInt(now - APART_MS) });
    },
  };
}
