import type { Repositories, Store } from '../../store/store.ts';

const SETTING = 'chain_halt';

/** Why spending is halted: the chain turned back further than the node can show, so that balances are not to be trusted. */
export interface Halt {
  readonly reason: string;
  /** Epoch ms. */
  readonly since: number;
}

/** Kept in the database: it outlives restarts and holds for every process. */
export async function readHalt(read: Pick<Repositories, 'settings'>): Promise<Halt | null> {
  const text = await read.settings.get(SETTING);
  return text ? (JSON.parse(text) as Halt) : null;
}

export async function writeHalt(
  store: Pick<Store, 'read' | 'write'>,
  reason: string | null,
  now: number,
): Promise<void> {
  const halt = await readHalt(store.read);
  if ((halt?.reason ?? null) === reason) return;
  const text = reason === null ? '' : JSON.stringify({ reason, since: halt?.since ?? now });
  await store.write((tx) => tx.settings.set(SETTING, text));
}
