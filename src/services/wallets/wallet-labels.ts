/** A wallet's labels, gathered from where they live (scripts, coins, transactions, the labels table), and put there. */
import { DomainError } from '../../core/errors.ts';
import { isTxid, type Outpoint } from '../../core/outpoint.ts';
import { abbreviatedOrigin, type LabelLine, normalOrigin } from '../../core/wallets/label-lines.ts';
import type { LabelRecord, Page, PageRequest, WalletRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import type { ScriptPool } from './script-pool.ts';

/** Every label of the wallet, addresses first. */
export async function collectLabels(
  repositories: Repositories,
  wallet: WalletRecord,
  pool: Pick<ScriptPool, 'model'>,
): Promise<LabelLine[]> {
  const { accountId, walletId } = wallet;
  const origin = abbreviatedOrigin(wallet.externalDescriptor);
  const withOrigin = origin === null ? {} : { origin };
  const lines = new Map<string, LabelLine>();
  const add = (line: LabelLine) => lines.set(`${line.type} ${line.ref}`, line);

  for (const stored of await repositories.labels.list(accountId, walletId)) add(lineOf(stored));
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
  const order = ['addr', 'tx', 'output'];
  return [...lines.values()].sort((a, b) => rank(order, a.type) - rank(order, b.type));
}

/** Lines that say by `origin` that they are another wallet's. */
export function foreignLines(wallet: WalletRecord, lines: readonly LabelLine[]): Set<LabelLine> {
  const own = abbreviatedOrigin(wallet.externalDescriptor);
  if (own === null) return new Set();
  return new Set(lines.filter((line) => line.origin !== undefined && normalOrigin(line.origin) !== own));
}

/** Keeps the lines and applies them to what is there: addresses, coins (label, frozen) and transactions. Idempotent. */
export async function applyLabels(
  tx: Repositories,
  wallet: WalletRecord,
  lines: readonly LabelLine[],
  at: number,
): Promise<void> {
  const { accountId, walletId } = wallet;
  const before = new Map(
    (await tx.labels.list(accountId, walletId)).map((stored) => [`${stored.type} ${stored.ref}`, stored]),
  );
  const kept = new Map<string, LabelRecord>();
  for (const line of lines) {
    const key = `${line.type} ${line.ref}`;
    kept.set(key, recordOf(wallet, line, kept.get(key) ?? before.get(key)));
    if (line.type === 'addr' && line.label !== undefined) {
      const script = await tx.scripts.findByAddress(accountId, walletId, line.ref);
      if (script) await tx.scripts.setLabel(accountId, walletId, script.scriptPubKey, line.label || null);
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

const rank = (order: readonly string[], type: string): number =>
  (order.indexOf(type) + order.length + 1) % (order.length + 1);

async function* pages<T>(read: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read({ limit: 100, offset: 0, ...(cursor === null ? {} : { cursor }) });
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
