import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountId } from '../../../core/ids.ts';
import { createFairQueue } from '../../../scheduling/fair-queue.ts';

const queue = createFairQueue({ all: 1 });

/** Payments that come together do not read, search and sign in one turn of the event loop: each has its own, and accounts come in turn. */
export const ownTurn = (accountId: AccountId, signal?: AbortSignal): Promise<void> =>
  queue.take({ accountId, signal }, () => nextTurn());
