/** What counts and reports: usage, metrics, analytics, reports, compliance. */
import type { ChainSource } from '../chain/chain-source.ts';
import type { Follower } from '../chain/follower/index.ts';
import type { ClosableComputing } from '../engines/computing/all-jobs.ts';
import { createAnalytics } from '../services/analytics/analytics.ts';
import { createFeePredictions } from '../services/analytics/fee-predictions.ts';
import type { AuditServices } from '../services/audit/index.ts';
import { sharedAnswer } from '../services/blockchain/shared-answer.ts';
import { createChainWitness } from '../services/compliance/chain-witness.ts';
import { createChecks } from '../services/compliance/checks.ts';
import { complianceSeries } from '../services/compliance/compliance-series.ts';
import { createComplianceStatus } from '../services/compliance/compliance-status.ts';
import { createComplianceWorker } from '../services/compliance/compliance-worker.ts';
import { createMetrics } from '../services/metrics/metrics.ts';
import type { Gate } from '../services/policies/gate.ts';
import type { RulesOf } from '../services/policies/rules-of.ts';
import { createReports } from '../services/reports/index.ts';
import { openReports, reportSeries } from '../services/reports/report-series.ts';
import { reportTypes } from '../services/reports/report-types.ts';
import { createProofOfReserves } from '../services/reports/types/proof-of-reserves.ts';
import type { KeyProvider } from '../services/secrets/key-provider.ts';
import type { TravelRules } from '../services/travel-rule/travel-rules.ts';
import { createUsage } from '../services/usage/usage.ts';
import type { OpenOwnAccount } from '../services/wallets/wallet-keys.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './app-context.ts';
import { openWitness } from './open-chain.ts';

export async function openInsight(
  context: AppContext,
  store: Store,
  parts: {
    chain: ChainSource;
    keyProvider: KeyProvider;
    computing: Omit<ClosableComputing, 'close'>;
    follower: Follower;
    rulesOf: RulesOf;
    gate: Gate;
    audit: AuditServices;
    travelRules: TravelRules;
    openOwnAccount: OpenOwnAccount;
  },
) {
  const { config, clock, background } = context;
  const { read } = store;
  const { follower, audit, rulesOf, travelRules } = parts;
  const { network } = config;
  const { log, randomBytes } = context;
  const base = { ...parts, store, read, network, clock, log, randomBytes };
  const usage = createUsage(base);
  const { reports, worker: reportWorker } = await createReports({
    ...base,
    types: [...reportTypes({ usage, travelRules }), createProofOfReserves(base)],
  });
  const metrics = createMetrics({ ...base, lag: () => follower.status().lag });
  const feePredictions = createFeePredictions(base);
  const witnessSource = openWitness(config, context);
  const witness = witnessSource && createChainWitness({ ...base, witness: witnessSource });
  const checks = createChecks({ rulesOf, anchors: audit.anchorProofs, lookAtChain: witness?.look ?? null });
  const complianceStatus = createComplianceStatus({ ...base, checks });
  const compliance = createComplianceWorker({ ...base, walkLog: audit.walkLog, look: complianceStatus.look });

  background.whileFollowing(follower, compliance, feePredictions.worker);
  background.add(usage.worker, reportWorker);
  if (witness !== null) {
    context.disposables.defer(() => witnessSource?.close());
    background.add(witness.worker);
  }
  for (const { sweep } of [usage, metrics, reports]) background.sweep(sweep);
  context.metrics.add(
    reportSeries({ clock, openReports: sharedAnswer(() => openReports(read), clock) }),
    complianceSeries({
      wrongLogs: sharedAnswer(() => read.auditWalks.wrong(), clock),
      chainAgrees: () => witness?.agrees(clock()) ?? null,
    }),
  );
  return {
    ...{ usage, reports, metrics, feePredictions, complianceStatus },
    analytics: createAnalytics({ ...base, metrics }),
  };
}
