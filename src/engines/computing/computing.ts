import type { Given, Made, PsbtJobName } from '../../core/psbt/jobs/psbt-jobs.ts';

/** Computes what may take long beside the thread that answers requests. */
export interface Computing {
  /**
   * Throws what the job throws (a refusal of the same code, sentence and details, whose class may be DomainError alone), `too_large` where
   * it takes too long or too much memory, `unavailable` where too much waits, the worker ends or the service closes. Byte arrays in
   * `transfer` are empty here afterwards.
   */
  run<Name extends PsbtJobName>(
    name: Name,
    given: Given<Name>,
    transfer?: readonly Uint8Array<ArrayBuffer>[],
  ): Promise<Made<Name>>;
}

export interface ClosableComputing extends Computing {
  /** Refuses what comes and what waits; what is under way has `graceMs` to end. */
  close(graceMs?: number): Promise<void>;
}
