import type { Network } from '../../../network.ts';
import type { Dialect } from '../../dialect.ts';
import type { OracleAnnouncement } from '../../oracle-event.ts';

export interface CheckContext {
  readonly network: Network;
  readonly dialect: Dialect;
  /** sat/vB: outside of them the fee rate is refused. */
  readonly feeRateLimits: { readonly leastSatVb: bigint; readonly mostSatVb: bigint };
  /** The tip's height and its median time past, Unix seconds: a refund locktime that is past by then is refused. null: not known, skipped. */
  readonly tip: { readonly height: number; readonly medianTime: number } | null;
  /** It was agreed on: what locktimes are good for whoever might agree is not asked any more. */
  readonly stands?: true;
  /** Announcements of the same events as they are known here: those of the message must be the same. */
  readonly announcements?: readonly OracleAnnouncement[];
}
