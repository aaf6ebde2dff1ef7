/** Services of oracles as processes have them: on one database or several, with a clock, and with a database that ends where a test says. */
import { createHash, randomBytes as random } from 'node:crypto';
import { serializeAnnouncement, serializeOracleEvent } from '../../../src/core/dlc/messages/announcement.ts';
import { serializeAttestation } from '../../../src/core/dlc/messages/attestation.ts';
import { signAnnouncement } from '../../../src/core/dlc/oracle/announcements.ts';
import { signAttestation } from '../../../src/core/dlc/oracle/attestations.ts';
import type { EventDescriptor, OracleEvent } from '../../../src/core/dlc/oracle-event.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { createFetching } from '../../../src/engines/fetching/create-fetching.ts';
import { createOracleService } from '../../../src/services/oracles/create-oracle-service.ts';
import type { OracleService } from '../../../src/services/oracles/oracle-service.ts';
import { createLocalKeyProvider } from '../../../src/services/secrets/local-key-provider.ts';
import { createSecretBox, type SecretBinding, type SecretBox } from '../../../src/services/secrets/secret-box.ts';
import type { Store } from '../../../src/store/store.ts';
import { requestContext } from '../../builders/request-context.ts';
import { silent } from '../../builders/stores.ts';
import { noteSecret } from '../../secrets/collected.ts';

export const MASTER_KEY = random(32);
export const context = (accountId = 'acc_one') => requestContext({ accountId });
/** Keys and nonces are made of it: none may be logged. */
const randomBytes = (size: number): Uint8Array => {
  const bytes = random(size);
  if (size === 32) noteSecret('oracle key or nonce', bytes.toString('hex'));
  return bytes;
};

export interface OracleHouse {
  readonly oracles: OracleService;
  /** What was opened, in order. */
  readonly opened: SecretBinding[];
}

export function openOracleHouse(
  store: Store,
  given: { clock?: () => number; allowedHosts?: readonly string[] } = {},
): OracleHouse {
  const { clock = Date.now, allowedHosts = ['127.0.0.1'] } = given;
  const provider = createLocalKeyProvider({ masterKey: MASTER_KEY, randomBytes: random });
  const sealed = createSecretBox({ provider, randomBytes: random });
  const opened: SecretBinding[] = [];
  const box: SecretBox = {
    seal: sealed.seal,
    open(secret, binding) {
      opened.push(binding);
      return sealed.open(secret, binding);
    },
  };
  const fetching = createFetching({ allowedHosts, totalMs: 2_000 });
  return { oracles: createOracleService({ store, box, fetching, clock, randomBytes, log: silent }), opened };
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

/** An oracle elsewhere, who keeps to nothing. */
export interface ForeignOracle {
  readonly publicKey: string;
  announce(descriptor: EventDescriptor, eventId?: string, maturityEpoch?: number): ForeignEvent;
}
export interface ForeignEvent {
  readonly event: OracleEvent;
  /** TLV. */
  readonly announcement: Uint8Array;
  readonly announcementSignature: Uint8Array;
  attest(...outcomes: string[]): Uint8Array;
  signatures(...outcomes: string[]): Uint8Array[];
}

let made = 0;
const scalar = (): Uint8Array => Uint8Array.from(createHash('sha256').update(`foreign ${made++}`).digest());
const tools = { randomBytes: random };

export function foreignOracle(): ForeignOracle {
  const key = scalar();
  const publicKey = ecc.xOnlyPointFromScalar(key);
  return {
    publicKey: Buffer.from(publicKey).toString('hex'),
    announce(descriptor, eventId = `event ${made}`, maturityEpoch = 1_000) {
      const count = descriptor.kind === 'enum' ? 1 : descriptor.digits + (descriptor.signed ? 1 : 0);
      const nonces = Array.from({ length: count }, scalar);
      const event = { nonces: nonces.map((one) => ecc.xOnlyPointFromScalar(one)), maturityEpoch, descriptor, eventId };
      const signature = signAnnouncement(key, serializeOracleEvent(event), 'tagged', tools);
      const signatures = (...outcomes: string[]) =>
        outcomes.map((outcome, at) => signAttestation(key, nonces[at] as Uint8Array, outcome, 'tagged', tools));
      return {
        event,
        announcement: serializeAnnouncement({ signature, publicKey, event }),
        announcementSignature: signature,
        signatures,
        attest: (...outcomes) =>
          serializeAttestation({ eventId, publicKey, signatures: signatures(...outcomes), outcomes }),
      };
    },
  };
}

export const COIN: EventDescriptor = { kind: 'enum', outcomes: ['heads', 'tails'] };
export const code = (error: unknown): string => (error as { code?: string }).code ?? String(error);
/** How a promise was refused. */
export const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: unknown) => code(error),
  );
