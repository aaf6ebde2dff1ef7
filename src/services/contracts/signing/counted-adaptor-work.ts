import type { AdaptorWork, CetMessages } from './adaptor-work.ts';

/** Since the process began. */
export interface AdaptorCounts {
  readonly signatures: { readonly made: number; readonly verified: number };
  /** Contracts whose signatures are being made or verified now, those that wait for their turn among them. */
  readonly running: { readonly signing: number; readonly verifying: number };
}

/** Adaptor work, counted as it goes. */
export function countedAdaptorWork(work: AdaptorWork): AdaptorWork & { counts(): AdaptorCounts } {
  const signatures = { made: 0, verified: 0 };
  const running = { signing: 0, verifying: 0 };

  async function counted<M extends CetMessages, T>(
    job: (messages: M) => Promise<T>,
    messages: M,
    [stage, result]: ['signing', 'made'] | ['verifying', 'verified'],
  ): Promise<T> {
    let before = 0;
    const onProgress = (done: number, total: number): void => {
      signatures[result] += done - before;
      before = done;
      messages.onProgress?.(done, total);
    };
    running[stage] += 1;
    try {
      return await job({ ...messages, onProgress });
    } finally {
      running[stage] -= 1;
    }
  }

  return {
    ...work,
    signAllCets: (messages) => counted(work.signAllCets, messages, ['signing', 'made']),
    verifyAllCets: (messages) => counted(work.verifyAllCets, messages, ['verifying', 'verified']),
    counts: () => ({ signatures: { ...signatures }, running: { ...running } }),
  };
}
