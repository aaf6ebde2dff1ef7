import type { Logger } from 'pino';
import type { ChainSource } from '../../chain/chain-source.ts';
import type { Store } from '../../store/store.ts';
import type { KeyProvider } from '../secrets/key-provider.ts';
import type { TransactionService } from '../transactions/transaction-service.ts';
import { createAnchorHead } from './anchor-head.ts';
import { createAnchorProofs } from './anchor-proofs.ts';
import { createAuditLog } from './audit-log.ts';
import { createLogKeys } from './log-keys.ts';
import { createRecordRefusal } from './record-refusal.ts';
import { createSealer } from './sealer.ts';
import { createTreeHeads } from './tree-heads.ts';
import { createWalkLog } from './walk-log.ts';

export function createAudit(deps: {
  store: Store;
  chain: Pick<ChainSource, 'block'>;
  provider: KeyProvider;
  transactions: Pick<TransactionService, 'create'>;
  randomBytes: (size: number) => Uint8Array;
  clock: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
}) {
  const { store, transactions, randomBytes, clock, log } = deps;
  const keys = createLogKeys(deps);
  const heads = createTreeHeads({ store, keys, clock });
  const anchorProofs = createAnchorProofs(deps);
  return {
    log: createAuditLog({ store, heads, keys, anchorProofs }),
    anchorHead: createAnchorHead({ heads, transactions, randomBytes, clock }),
    anchorProofs,
    heads,
    keys,
    walkLog: createWalkLog({ store, keys, clock }),
    recordRefusal: createRecordRefusal({ store, clock, log }),
    /** Started by the process, and stopped before the store closes. */
    sealer: createSealer({ store, signHeads: () => heads.signAll(), clock, log }),
  };
}

export type AuditServices = ReturnType<typeof createAudit>;
