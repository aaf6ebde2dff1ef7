import { type AddSeries, gauge } from '../../metrics/series.ts';

interface Deps {
  readonly wrongLogs: () => Promise<readonly string[]>;
  /** null: it is not known, or no second source is configured. */
  readonly chainAgrees: () => boolean | null;
}

export const complianceSeries =
  ({ wrongLogs, chainAgrees }: Deps): AddSeries =>
  (registry) => {
    gauge(registry, {
      name: 'ashlar_audit_logs_wrong',
      help: 'Audit logs in which the verification found something changed or missing; at most 1,000 are counted',
      value: async () => (await wrongLogs()).length,
    });
    gauge(registry, {
      name: 'ashlar_chain_witness_agrees',
      help: '1 if the second chain source has the block that the service follows two below the lower of both tips, 0 if it has another; NaN if that is not known',
      value: () => {
        const agrees = chainAgrees();
        return agrees === null ? null : Number(agrees);
      },
    });
    return undefined;
  };
