import { Counter, type Registry } from 'prom-client';
import type { RequestMetrics } from '../../hooks/request-log.ts';

/** Refusals by why: of what was asked without the right to, too often, or while it could not be done. */
export function refusalSeries(registry: Registry): Pick<RequestMetrics, 'refused'> {
  const refusals = new Counter({
    name: 'ashlar_refusals_total',
    help: 'Requests answered 401, 403 or 503, by details.code',
    labelNames: ['status', 'reason'],
    registers: [registry],
  });
  const limited = new Counter({
    name: 'ashlar_rate_limited_total',
    help: "Requests answered 429, by the limit's class; address: failed authentications",
    labelNames: ['class'],
    registers: [registry],
  });
  for (const reason of ['unauthorized', 'signature_missing', 'signature_invalid', 'nonce_reused'])
    refusals.inc({ status: '401', reason }, 0);
  refusals.inc({ status: '403', reason: 'forbidden' }, 0);
  for (const reason of ['unavailable', 'node_unavailable', 'overloaded', 'timed_out'])
    refusals.inc({ status: '503', reason }, 0);
  for (const limit of ['standard', 'bulk', 'voting', 'address']) limited.inc({ class: limit }, 0);
  return {
    refused(status, reason, limitClass) {
      if (status === 429) limited.inc({ class: limitClass });
      else if (status === 401 || status === 403 || status === 503) refusals.inc({ status: String(status), reason });
    },
  };
}
