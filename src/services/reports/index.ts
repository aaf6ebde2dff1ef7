import type { Logger } from 'pino';
import type { LongComputing } from '../../engines/computing/computing.ts';
import type { printJobs } from '../../engines/printing/print-report.ts';
import type { Store } from '../../store/store.ts';
import type { KeyProvider } from '../secrets/key-provider.ts';
import { openServiceKey } from '../secrets/service-key.ts';
import { createTextCipher } from '../secrets/text-cipher.ts';
import { createReportContent } from './content.ts';
import { createFormats } from './formats/format.ts';
import { createReportService } from './report-service.ts';
import type { ReportType } from './report-type.ts';
import { createReportWorker } from './report-worker.ts';

/** `types`: all that this service makes. */
export async function createReports(deps: {
  store: Store;
  keyProvider: KeyProvider;
  computing: Pick<LongComputing<typeof printJobs>, 'runPart'>;
  types: readonly ReportType[];
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}) {
  const { store, keyProvider: provider, types, randomBytes, computing } = deps;
  const key = await openServiceKey({ store, provider, randomBytes }, 'reports');
  const known = new Map(types.map((type) => [`${type.kind} ${type.name}`, type]));
  const shared = {
    ...deps,
    content: createReportContent(key, randomBytes),
    formats: createFormats(async (report, { accountId }) => {
      const { made } = await computing.runPart('report.print', report, { accountId, transfer: [report.rows] });
      return made.answer;
    }),
    cipher: createTextCipher(key, randomBytes),
    typeOf: ({ kind, type }: { kind: string; type: string }) => known.get(`${kind} ${type}`),
  };
  const worker = createReportWorker(shared);
  return { reports: createReportService({ ...shared, onQueued: () => worker.wake() }), worker };
}
