/** A wallet's labels, gathered from where they live (scripts, coins, transactions, the labels table), and put there. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainError } from '../../core/errors.ts';
import { isTxid, type Outpoint } from '../../core/outpoint.ts';
import { abbreviatedOrigin, formatLabelLines, type LabelLine } from '../../core/wallets/label-lines.ts';
import type { LabelRecord, Page, PageRequest, WalletRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { scriptOfAddress } from '../ledger/script-address.ts';
import type { ScriptPool } from './database-script-pool.ts';

/** JSON lines. Others get their turn between each few hundred of them. */
export async function labelFile(
  read: Repositories,
  wallet: WalletRecord,
  pool: Pick<ScriptPool, 'model'>,
): Promise<string> {
  const lines = await collectLabels(read, wallet, pool);
  const texts: string[] = [];
  for (let at = 0; at < lines.length; at += PAGE) {
    await nextTurn();
    texts.push(formatLabelLines(lines.slice(at, at + PAGE)));
  }
  return texts.join('');
}

const PAGE = 500;

/** Every label of the wallet, addresses first. */
async function collectLabels(
  repositories: Repositories,
  wallet: WalletRecord,
  pool: Pick<ScriptPool, 'model'>,
): Promise<LabelLine[]> {
  const { accountId, walletId } = wallet;
  const origin = abbreviatedOrigin(wallet.externalDescriptor);
  const withOrigin = origin === null ? {} : { origin };
  const lines = new Map<string, LabelLine>();
  const add = (line: LabelLine) => lines.set(`${line.type} ${line.ref}`, line);

  for await (const page of labelPages(repositories, wallet)) {
    for (const stored of page) add(lineOf(stored));
    await nextTurn();
  }
  for (const script of await repositories.scripts.all(accountId, walletId)) {
    if (!script.label) continue;
    const keypath = pool.model(wallet).ranged ? { keypath: `/${script.change ? 1 : 0}/${script.index}` } : {};
    add({ type: 'addr', ref: script.address, label: script.label, ...withOrigin, extra: keypath });
  }
  for await (const transaction of pages((page) => repositories.transactions.list(accountId, { walletId }, page))) {
    if (transaction.label)
      add({ type: 'tx', ref: transaction.txid, label: transaction.label, ...withOrigin, extra: {} });
  }
  for await (const coin of pages((page) => repositories.coins.list(accountId, walletId, {}, page))) {
    if (!coin.label && !coin.frozen) continue;
    const label = coin.label ? { label: coin.label } : {};
    add({ type: 'output', ref: `${coin.txid}:${coin.vout}`, ...label, spendable: !coin.frozen, extra: {} });
  }
  const all = [...lines.values()];
  const first = ['addr', 'tx', 'output'] as const;
  const rest = all.filter(({ type }) => !(first as readonly string[]).includes(type));
  return [...first.flatMap((type) => all.filter((line) => line.type === type)), ...rest];
}

/** The labels table's, page by page. */
export async function* labelPages(
  repositories: Pick<Repositories, 'labels'>,
  { accountId, walletId }: WalletRecord,
): AsyncGenerator<LabelRecord[]> {
  let after: LabelRecord | null = null;
  do {
    const page: LabelRecord[] = await repositories.labels.page(accountId, walletId, after, PAGE);
    yield page;
    after = page.at(-1) ?? null;
  } while (after !== null);
}

/** Those that readLabels answered. Throws the signal's reason once nobody waits for it any more. */
export async function applySlices(
  tx: Repositories,
  wallet: WalletRecord,
  slices: readonly string[],
  { at, signal }: { at: number; signal: AbortSignal | undefined },
): Promise<void> {
  for (const slice of slices) {
    signal?.throwIfAborted();
    await applyLabels(tx, wallet, JSON.parse(slice) as LabelLine[], at);
  }
}

/** Keeps the lines and applies them to what is there: addresses, coins (label, frozen) and transactions. Idempotent. */
export async function applyLabels(
  tx: Repositories,
  wallet: WalletRecord,
  lines: readonly LabelLine[],
  at: number,
): Promise<void> {
  const { accountId, walletId } = wallet;
  const refs = lines.map(({ ref }) => ref);
  const before = new Map(
    (await tx.labels.find(accountId, walletId, refs)).map((stored) => [`${stored.type} ${stored.ref}`, stored]),
  );
  const kept = new Map<string, LabelRecord>();
  for (const line of lines) {
    const key = `${line.type} ${line.ref}`;
    kept.set(key, recordOf(wallet, line, kept.get(key) ?? before.get(key)));
    if (line.type === 'addr' && line.label !== undefined) {
      const scriptPubKey = scriptOfAddress(line.ref, wallet.network);
      if (scriptPubKey) await tx.scripts.setLabel(accountId, walletId, scriptPubKey, line.label || null);
    }
    if (line.type === 'output') {
      await tx.coins.setFlags(accountId, walletId, outpointOf(line.ref), {
        ...(line.label === undefined ? {} : { label: line.label || null }),
        ...(line.spendable === undefined ? {} : { frozen: !line.spendable }),
      });
    }
    if (line.type === 'tx' && line.label !== undefined && isTxid(line.ref)) {
      const effects = await tx.transactions.effects(accountId, line.ref);
      if (effects.some((effect) => effect.walletId === walletId)) {
        await tx.transactions.update(accountId, line.ref, { label: line.label || null, updatedAt: at });
      }
    }
  }
  if (kept.size > 0) await tx.labels.upsert([...kept.values()]);
}

/** Labels in the table as lines again. */
export function lineOf(stored: LabelRecord): LabelLine {
  const { origin, spendable, ...extra } = stored.extra ?? {};
  return {
    type: stored.type,
    ref: stored.ref,
    ...(stored.label === '' ? {} : { label: stored.label }),
    ...(typeof origin === 'string' ? { origin } : {}),
    ...(typeof spendable === 'boolean' ? { spendable } : {}),
    extra,
  };
}

function recordOf(wallet: WalletRecord, line: LabelLine, before: LabelRecord | undefined): LabelRecord {
  const { origin, spendable } = line;
  const extra = {
    ...before?.extra,
    ...line.extra,
    ...(origin === undefined ? {} : { origin }),
    ...(spendable === undefined ? {} : { spendable }),
  };
  return {
    accountId: wallet.accountId,
    walletId: wallet.walletId,
    type: line.type,
    ref: line.ref,
    // BIP329: an absent label leaves the one that is there.
    label: line.label ?? before?.label ?? '',
    extra: Object.keys(extra).length > 0 ? extra : null,
  };
}

function outpointOf(ref: string): Outpoint {
  const [txid = '', vout = ''] = ref.split(':');
  if (!isTxid(txid)) throw new DomainError('invalid_label_file', 'an output is written txid:index');
  return { txid, vout: Number(vout) };
}

async function* pages<T>(read: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read({ limit: 100, offset: 0, ...(cursor === null ? {} : { cursor }) });
    yield* page.data;
    await nextTurn();
    cursor = page.nextCursor;
  } while (cursor !== null);
}
