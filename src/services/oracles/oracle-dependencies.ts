import type { Logger } from 'pino';
import type { Fetching } from '../../engines/fetching/fetching.ts';
import type { Store } from '../../store/store.ts';
import type { Gate } from '../policies/gate.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

export interface OracleDependencies {
  readonly store: Store;
  readonly box: SecretBox;
  readonly gate: Gate;
  readonly fetching: Fetching;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Logger;
}
