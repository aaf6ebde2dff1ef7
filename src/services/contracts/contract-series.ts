import { Counter, Gauge } from 'prom-client';
import { type AddSeries, counted, databaseGauge, databaseGauges } from '../../metrics/series.ts';
import { CONTRACT_KINDS } from '../../store/records.ts';
import { CONTRACT_STATUSES } from '../../store/repositories/contract-rows.ts';
import type { Store } from '../../store/store.ts';
import type { ContractMetrics } from './contract-metrics.ts';
import { OPEN_STATUSES } from './contract-states.ts';
import type { AdaptorCounts } from './signing/counted-adaptor-work.ts';

interface ContractSources {
  /** Of every account; kept for some seconds. Throws where the database does not answer. */
  contractMetrics(): Promise<ContractMetrics>;
  adaptorCounts(): AdaptorCounts;
  onContractMoves: Store['onContractMoves'];
}

export const contractSeries =
  ({ contractMetrics, adaptorCounts, onContractMoves }: ContractSources): AddSeries =>
  (registry) => {
    databaseGauges(registry, contractMetrics, {
      name: 'ashlar_contracts_open',
      help: 'Contracts of every account that are not over, by status',
      label: 'status',
      of: OPEN_STATUSES,
      values: ({ open }) => open,
    });
    databaseGauge(registry, contractMetrics, {
      name: 'ashlar_contracts_overdue',
      help: 'Confirmed contracts whose refund locktime is over: neither settled nor refunded',
      value: ({ overdue }) => overdue,
    });
    databaseGauges(registry, contractMetrics, {
      name: 'ashlar_contract_transactions_unsent',
      help: 'Signed transactions of contracts that have been in no mempool and no block for ten minutes, by kind',
      label: 'kind',
      of: CONTRACT_KINDS,
      values: ({ unsent }) => unsent,
    });

    counted(registry, {
      name: 'ashlar_adaptor_signatures_total',
      help: 'Adaptor signatures made and verified by this process',
      label: 'work',
      values: () => Object.entries(adaptorCounts().signatures),
    });
    new Gauge({
      name: 'ashlar_adaptor_jobs',
      help: 'Contracts whose adaptor signatures this process makes or verifies now, waiting ones among them',
      labelNames: ['stage'],
      registers: [registry],
      collect() {
        for (const [stage, jobs] of Object.entries(adaptorCounts().running)) this.set({ stage }, jobs);
      },
    });

    const moves = new Counter({
      name: 'ashlar_contract_moves_total',
      help: 'Transitions of contracts that this process made, by the status that they led to',
      labelNames: ['to'],
      registers: [registry],
    });
    for (const to of CONTRACT_STATUSES) moves.inc({ to }, 0);
    return onContractMoves(({ contract }) => moves.inc({ to: contract.status }));
  };
