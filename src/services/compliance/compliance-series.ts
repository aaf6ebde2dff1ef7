import { type AddSeries, gauge } from '../../metrics/series.ts';

export const complianceSeries =
  ({ wrongLogs }: { wrongLogs: () => Promise<readonly string[]> }): AddSeries =>
  (registry) => {
    gauge(registry, {
      name: 'ashlar_audit_logs_wrong',
      help: 'Audit logs in which the verification found something changed or missing; at most 1,000 are counted',
      value: async () => (await wrongLogs()).length,
    });
    return undefined;
  };
