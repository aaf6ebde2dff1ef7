import { type SqlBool, sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { type CoinClass, coinClass, FIRST_OF_SCRIPTS, type ScriptClass, type Sum, scriptClass } from './sum-rows.ts';

/** On PostgreSQL several rows may be of one class (migrations/0017). */
const sumsOf = prepared((db, p: { accountId: AccountId; walletId: WalletId }) =>
  db
    .selectFrom('wallet_sums')
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .select(['class', 'items', 'amount_sats']),
);

/** Of the wallet's live coins that nothing spends, and of its scripts. */
export async function walletSums(
  session: Session,
  accountId: AccountId,
  walletId: WalletId,
): Promise<{ coins: Sum<CoinClass>[]; scripts: Sum<ScriptClass>[] }> {
  const coins: Sum<CoinClass>[] = [];
  const scripts: Sum<ScriptClass>[] = [];
  for (const { class: bits, items, amount_sats: amountSats } of await sumsOf.all(session, { accountId, walletId })) {
    if (bits < FIRST_OF_SCRIPTS) coins.push({ of: coinClass(bits), items, amountSats });
    else scripts.push({ of: scriptClass(bits), items, amountSats });
  }
  return { coins, scripts };
}

/** Rows that one statement adds up: on SQLite others get their turn between any two. */
const AT_ONCE = 2_000n;

const totals = [
  sql<bigint>`max(position)`.as('last'),
  sql<bigint>`count(*)`.as('items'),
  sql<bigint>`cast(sum(amount) as bigint)`.as('amount'),
] as const;
/** The classes of both are as the triggers say (migrations/0017). */
const someCoins = prepared((db, p: { walletId: WalletId; after: bigint }) =>
  db
    .selectFrom(
      db
        .selectFrom('coins')
        .where(sql<SqlBool>`live = 1 and spent_by is null`)
        .where('wallet_id', '=', p.walletId)
        .where('coin_id', '>', p.after)
        .orderBy('coin_id')
        .limit(AT_ONCE)
        .select([
          'coin_id as position',
          sql<bigint>`(case when height is not null then 1 else 0 end) + 2 * coinbase + 4 * locked + 8 * frozen`.as(
            'class',
          ),
          'amount_sats as amount',
        ])
        .as('part'),
    )
    .groupBy('class')
    .select(['class', ...totals]),
);
const someScripts = prepared((db, p: { walletId: WalletId; change: bigint; after: bigint }) =>
  db
    .selectFrom(
      db
        .selectFrom('scripts')
        .where('wallet_id', '=', p.walletId)
        .where('change', '=', p.change)
        .where('derivation_index', '>', p.after)
        .orderBy('derivation_index')
        .limit(AT_ONCE)
        .select([
          'derivation_index as position',
          sql<bigint>`16 + change + (case when reserved_at is not null then 2 else 0 end)
            + (case when used_at is not null then 4 else 0 end)`.as('class'),
          sql<bigint>`0`.as('amount'),
        ])
        .as('part'),
    )
    .groupBy('class')
    .select(['class', ...totals]),
);
const kept = prepared((db, p: { walletId: WalletId }) =>
  db.selectFrom('wallet_sums').where('wallet_id', '=', p.walletId).select(['class', 'items', 'amount_sats as amount']),
);
const forget = prepared((db, p: { walletId: WalletId }) =>
  db.deleteFrom('wallet_sums').where('wallet_id', '=', p.walletId),
);
const insert = insertRows('wallet_sums', ['wallet_id', 'account_id', 'class', 'items', 'amount_sats']);
const walletsAfter = prepared((db, p: { after: string; limit: bigint }) =>
  db
    .selectFrom('wallets')
    .select((eb) => [
      eb.ref('wallet_id').$castTo<WalletId>().as('walletId'),
      eb.ref('account_id').$castTo<AccountId>().as('accountId'),
    ])
    .where('wallet_id', '>', p.after)
    .orderBy('wallet_id')
    .limit(p.limit),
);

interface Totals {
  items: bigint;
  amount: bigint;
}
type ByClass = Map<bigint, Totals>;

/** One class of a wallet that is kept as something else than its rows come to. */
export interface WrongSum {
  readonly class: bigint;
  readonly kept: Totals;
  readonly counted: Totals;
}

const NOTHING: Totals = { items: 0n, amount: 0n };

function added(rows: readonly (Totals & { class: bigint })[], to: ByClass = new Map()): ByClass {
  for (const row of rows) {
    const { items, amount } = to.get(row.class) ?? NOTHING;
    to.set(row.class, { items: items + row.items, amount: amount + row.amount });
  }
  return to;
}

export function walletSumRepository(session: Session) {
  async function count(walletId: WalletId): Promise<ByClass> {
    const counted: ByClass = new Map();
    const parts = async (part: (after: bigint) => ReturnType<typeof someCoins.all>): Promise<void> => {
      for (let after = -1n; ; ) {
        const rows = await part(after);
        added(rows, counted);
        if (rows.reduce((sum, { items }) => sum + items, 0n) < AT_ONCE) return;
        for (const { last } of rows) if (last > after) after = last;
      }
    };
    await parts((after) => someCoins.all(session, { walletId, after }));
    for (const change of [0n, 1n]) await parts((after) => someScripts.all(session, { walletId, change, after }));
    return counted;
  }

  async function compare(walletId: WalletId): Promise<{ wrong: WrongSum[]; counted: ByClass }> {
    const [counted, stands] = [await count(walletId), added(await kept.all(session, { walletId }))];
    const wrong = [];
    for (const of of new Set([...counted.keys(), ...stands.keys()])) {
      const sum = { class: of, kept: stands.get(of) ?? NOTHING, counted: counted.get(of) ?? NOTHING };
      if (sum.kept.items !== sum.counted.items || sum.kept.amount !== sum.counted.amount) wrong.push(sum);
    }
    return { wrong, counted };
  }

  return {
    /** Wallets of all accounts behind one, by id. */
    walletsAfter: (after: string, limit: number) => walletsAfter.all(session, { after, limit: BigInt(limit) }),
    /** Counts the wallet's coins and scripts, in a job that does nothing else; answers how many rows, and where what is kept differs. */
    check: async (walletId: WalletId) => {
      // Every statement of the job sees the same state. On SQLite the writer's does anyway.
      if (session.kind === 'postgres') {
        await session.run({ sql: 'set transaction isolation level repeatable read, read only', parameters: [] });
      }
      const { wrong, counted } = await compare(walletId);
      return { wrong, rows: Number([...counted.values()].reduce((sum, { items }) => sum + items, 0n)) };
    },
    /** Puts what is counted in the place of what is kept; answers where that differed. Meanwhile nobody changes coins or scripts. */
    correct: async (accountId: AccountId, walletId: WalletId) => {
      if (session.kind === 'postgres') {
        await session.run({ sql: 'lock table coins, scripts in share row exclusive mode', parameters: [] });
      }
      const { wrong, counted } = await compare(walletId);
      if (wrong.length === 0) return wrong;
      await forget.run(session, { walletId });
      const rows = [...counted].map(([of, { items, amount }]) => ({ class: of, items, amount_sats: amount }));
      await insert(
        session,
        rows.map((row) => ({ wallet_id: walletId, account_id: accountId, ...row })),
      );
      return wrong;
    },
  };
}
