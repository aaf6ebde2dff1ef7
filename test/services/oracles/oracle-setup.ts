/** Services of oracles as processes have them: on one database or several, with a clock, and with a database that ends where a test says. */

import { randomBytes as random } from 'node:crypto';
import type { EventDescriptor } from '../../../src/core/dlc/oracle-event.ts';
import type { AccountId } from '../../../src/core/ids.ts';
import { createFetching } from '../../../src/engines/fetching/create-fetching.ts';
import { createOracleService } from '../../../src/services/oracles/create-oracle-service.ts';
import type { AttestationView, OracleService } from '../../../src/services/oracles/oracle-service.ts';
import { createLocalKeyProvider } from '../../../src/services/secrets/local-key-provider.ts';
import { createSecretBox, type SecretBinding, type SecretBox } from '../../../src/services/secrets/secret-box.ts';
import type { Store } from '../../../src/store/store.ts';
import { gateOver, heldOver } from '../../builders/gate.ts';
import { requestContext } from '../../builders/request-context.ts';
import { silent } from '../../builders/stores.ts';
import { noteSecret } from '../../secrets/collected.ts';

const MASTER_KEY = random(32);
export const context = (accountId: AccountId = 'acc_one') => requestContext({ accountId });
/** Keys and nonces are made of it: none may be logged. */
const randomBytes = (size: number): Uint8Array => {
  const bytes = random(size);
  if (size === 32) noteSecret('oracle key or nonce', bytes.toString('hex'));
  return bytes;
};

/** No two things happen at one time. */
let time = Date.now();
const ticking = (): number => ++time;

export interface OracleSetup {
  /** No rule wants anything approved. */
  readonly oracles: Omit<OracleService, 'attest'> & {
    attest(...given: Parameters<OracleService['attest']>): Promise<AttestationView>;
  };
  /** What was opened, in order. */
  readonly opened: SecretBinding[];
}

export function openOracleSetup(
  store: Store,
  given: { clock?: () => number; allowedHosts?: readonly string[] } = {},
): OracleSetup {
  const { clock = ticking, allowedHosts = ['127.0.0.1'] } = given;
  const provider = createLocalKeyProvider({ masterKey: MASTER_KEY, randomBytes: random });
  const sealed = createSecretBox({ provider, randomBytes: random });
  const opened: SecretBinding[] = [];
  const box: SecretBox = {
    encrypt: sealed.encrypt,
    decrypt(secret, binding) {
      opened.push(binding);
      return sealed.decrypt(secret, binding);
    },
  };
  const fetching = createFetching({ allowedHosts, totalMs: 2_000 });
  return {
    oracles: createOracleService({
      store,
      held: heldOver(store, gateOver(store)),
      box,
      fetching,
      clock,
      randomBytes,
      log: silent,
    }) as OracleSetup['oracles'],
    opened,
  };
}

/** The process ends at its nth write: before its commit, or right after it. */
export function endingAt(store: Store, nth: number, when: 'before' | 'after'): Store {
  let writes = 0;
  const ended = () => new Error(`the process ended ${when} commit ${nth}`);
  return new Proxy(store, {
    get(target, name) {
      if (name !== 'write') {
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (job: Parameters<Store['write']>[0]) => {
        writes++;
        if (writes > nth || (writes === nth && when === 'before')) throw ended();
        const result = await target.write(job);
        if (writes === nth) throw ended();
        return result;
      };
    },
  });
}

export const COIN: EventDescriptor = { kind: 'enum', outcomes: ['heads', 'tails'] };
export const code = (error: unknown): string => (error as { code?: string }).code ?? String(error);
/** How a promise was refused. */
export const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: unknown) => code(error),
  );
