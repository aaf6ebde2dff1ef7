import type { JobTools } from '../engines/computing/all-jobs.ts';
import { computeHere } from '../engines/computing/compute-here.ts';
import { decodeContract } from '../families/b-categories/dlc/messages/decode-contract.ts';
import { psbtOperations } from '../families/e-psbt/index.ts';
import type { AnyOperation } from '../hooks/operation.ts';
import { createPsbtService } from '../services/psbt/psbt-service.ts';

/** The operations that are worked on in worker threads, on services that have nothing but the tools. */
export function workerOperations(tools: JobTools): AnyOperation[] {
  const psbts = createPsbtService({ chain: null, network: tools.network, computing: computeHere(tools) });
  return [...psbtOperations({ psbts }), decodeContract()];
}
