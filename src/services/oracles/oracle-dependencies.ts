import type { Logger } from 'pino';
import type { Fetching } from '../../engines/fetching/fetching.ts';
import type { Store } from '../../store/store.ts';
import type { HeldRequests } from '../approvals/held-requests.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

export interface OracleDependencies {
  readonly store: Store;
  readonly box: SecretBox;
  readonly held: Pick<HeldRequests, 'operation'>;
  readonly fetching: Fetching;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Logger;
}
