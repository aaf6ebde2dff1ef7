import type { Logger } from 'pino';
import type { ContractRecord } from '../../store/repositories/contract-rows.ts';
import type { ContractMoves } from './contract-moves.ts';

export type ProgressStage = 'signing' | 'verifying';

export interface StageProgress {
  readonly onProgress: (done: number, total: number) => void;
}

/** Updates that a stage of long work gives at most, the last one not counted: that is the contract's move. */
const STEPS = 5n;
/** Fewer signatures are made before anybody has read the first update. */
const WORTH_TELLING = 500;

/**
 * Brings the progress of long work to the record and the channel, a few times in all. `onGone`: the contract is in another state by now, so
 * that the work is for nothing.
 */
export function createProgressOf(deps: { moves: Pick<ContractMoves, 'progress'>; log: Pick<Logger, 'warn'> }) {
  return (contract: ContractRecord, stage: ProgressStage, onGone: () => void = () => {}): StageProgress => {
    let told = 0n;
    let writing = false;

    async function write(done: number, total: number): Promise<void> {
      writing = true;
      try {
        if (!(await deps.moves.progress(contract, contract.status, { stage, done, total }))) onGone();
      } catch (error) {
        deps.log.warn({ err: error, contractId: contract.contractId }, 'the progress of a contract was not written');
      } finally {
        writing = false;
      }
    }

    return {
      onProgress(done, total) {
        if (writing || total < WORTH_TELLING || done >= total) return;
        const step = (BigInt(done) * STEPS) / BigInt(total);
        if (step <= told) return;
        told = step;
        void write(done, total);
      },
    };
  };
}
export type ProgressOf = ReturnType<typeof createProgressOf>;
