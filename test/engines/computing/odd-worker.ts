/** A worker of the pool whose jobs are what can happen to one. */
import { threadId } from 'node:worker_threads';
import { DomainError } from '../../../src/core/errors.ts';
import { PsbtError } from '../../../src/core/psbt/psbt-error.ts';
import { serveJobs } from '../../../src/engines/computing/serve-jobs.ts';

const KEPT: unknown[] = [];

serveJobs((name, given) => {
  switch (name) {
    case 'echo':
      return given;
    case 'refuse':
      throw new DomainError('fee_too_high', 'it pays too much', { field: 'psbt', retryAfterSeconds: 3 });
    case 'no psbt':
      throw new PsbtError('truncated', 'the bytes end', { place: { map: 'input', index: 3 } });
    case 'defect':
      throw new TypeError(`cannot read ${given}\n${given}`);
    case 'answer a function':
      return () => given;
    case 'die':
      return process.exit(1);
    case 'environment':
      return { ...process.env };
    case 'grow':
      for (;;) KEPT.push(new Array(10_000).fill({}));
    case 'keep':
      KEPT.push(new Array(25_000_000).fill(0.5), new Array(25_000_000).fill(0.5));
      return threadId;
    case 'thread':
      return threadId;
    case 'hang':
      for (;;);
    default:
      throw new Error(`no job ${name}`);
  }
});
