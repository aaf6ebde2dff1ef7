/** In which order test files run: those that take long by far first, because one that is begun last leaves a core idle. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each takes at least some twenty seconds. All others follow, the largest first. */
const LONG = [
  'integration/crashes',
  'integration/fuzz-operations',
  'conformance/store-postgres',
  'integration/serving-thread',
  'integration/retries',
  'integration/webhook-crashes',
  'integration/notification-kills',
  'integration/outages',
  'services/ledger/random-histories',
  'integration/operations-matrix',
  'families/c-platform/approvals-judged-again',
  'app/process',
  'integration/worker-crashes',
  'integration/contracts-between-services',
  'integration/signed-operations',
  'integration/multisig-on-node',
  'integration/siem-outage',
  'integration/report-replicas',
  'integration/executions-on-node',
  'services/contracts/signing/adaptor-work',
  'integration/coin-selection-against-node',
  'integration/payments-on-a-node',
  'signing/dlc-document',
  'integration/rights-matrix',
  'families/c-platform/connections',
  'families/g-governance/histories',
  'integration/contracts-on-node',
  'cli/cli',
  'integration/esplora',
  'signing/languages',
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
