import type { ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import type { ProgressOf } from '../../contract-progress.ts';

/** Reports the progress of signing to the contract; aborts when the process stops or the contract changes state. */
export function trackSigning(
  progressOf: ProgressOf,
  contract: ContractRecord,
  signal: AbortSignal | undefined,
): { onProgress: (done: number, total: number) => void; signal: AbortSignal } {
  const gone = new AbortController();
  const { onProgress } = progressOf(contract, 'signing', () => gone.abort());
  return { onProgress, signal: signal === undefined ? gone.signal : AbortSignal.any([signal, gone.signal]) };
}

/** Wipes the copy of the key after the work. */
export async function wipedAfter<T>(privateKey: Uint8Array, work: (privateKey: Uint8Array) => Promise<T>): Promise<T> {
  try {
    return await work(privateKey);
  } finally {
    privateKey.fill(0);
  }
}
