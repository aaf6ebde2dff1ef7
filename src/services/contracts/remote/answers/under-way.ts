import type { ContractRecord } from '../../../../store/tables/contracts.ts';
import type { ProgressOf } from '../../contract-progress.ts';

/** Of signing: told to the contract as it goes, given up when the process ends or the contract has moved on. */
export function underWay(
  progressOf: ProgressOf,
  contract: ContractRecord,
  signal: AbortSignal | undefined,
): { onProgress: (done: number, total: number) => void; signal: AbortSignal } {
  const gone = new AbortController();
  const { onProgress } = progressOf(contract, 'signing', () => gone.abort());
  return { onProgress, signal: signal === undefined ? gone.signal : AbortSignal.any([signal, gone.signal]) };
}

/** The ring that the key is from is closed by then: the copy lives as long as the work, and no longer. */
export async function signingWith<T>(privateKey: Uint8Array, work: (privateKey: Uint8Array) => Promise<T>): Promise<T> {
  try {
    return await work(privateKey);
  } finally {
    privateKey.fill(0);
  }
}
