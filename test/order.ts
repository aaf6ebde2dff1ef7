/** In which order test files run: those that take long by far first, because one that is begun last leaves a core idle. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each takes at least some twenty seconds. All others follow, the largest first. */
const LONG = [
  'integration/crashes',
  'integration/webhook-crashes',
  'conformance/store-postgres',
  'integration/fuzz-operations',
  'integration/outages',
  'services/ledger/random-histories',
  'integration/retries',
  'integration/esplora',
  'integration/contracts-between-services',
  'signing/dlc-document',
  'integration/contracts-on-node',
  'integration/operations-matrix',
  'integration/rights-matrix',
  'integration/payments-on-a-node',
  'integration/postgres-replicas',
  'integration/siem-outage',
  'app/process',
  'cli/cli',
].map((name) => `/test/${name}.test.ts`);

const rank = ({ moduleId, project }: TestSpecification): number => {
  const at = LONG.findIndex((end) => moduleId.endsWith(end));
  if (at !== -1) return at;
  // Those that share processes stay together, at the end: many and short, they fill what the others leave.
  return project.config.isolate ? LONG.length : LONG.length + 1;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    return usual.sort((a, b) => rank(a) - rank(b));
  }
}
