import type { Logger } from 'pino';
import type { ContractMoves } from '../contract-moves.ts';
import type { ProgressOf } from './remote-dependencies.ts';

/** Fewer are done before anybody could look. */
const LEAST_TOLD = 500;
const STEPS = 20;

/** Tells the contract every twentieth of long work. */
export const createProgressOf =
  ({ moves, log }: { moves: Pick<ContractMoves, 'progress'>; log: Pick<Logger, 'warn'> }): ProgressOf =>
  (contract, stage) => {
    let told = 0;
    return {
      onProgress(done, total) {
        const step = Math.floor((done * STEPS) / total);
        if (total < LEAST_TOLD || step <= told || done >= total) return;
        told = step;
        moves.progress(contract, contract.status, { stage, done, total }).catch((error: unknown) => {
          log.warn({ err: error, contractId: contract.contractId }, 'the progress of a contract could not be told');
        });
      },
    };
  };
