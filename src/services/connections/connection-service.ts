/** Outgoing connections: created, shown, changed and deleted by requests. */
import { DomainError, type TriedStep } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Sending } from '../../engines/sending/sending.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { ConnectionLag, ConnectionRecord, ConnectionType } from '../../store/repositories/connections.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { logIdOf } from '../audit/audit-log.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import {
  type ConnectionSecrets,
  type ConnectionSettings,
  type GivenSecrets,
  joined,
  type KeptSettings,
  namesOf,
  placeOf,
} from './connection-settings.ts';
import { mayReadAudit } from './may-read.ts';
import type { TryConnection } from './try-connection.ts';

/** Of an account. */
const MAX_CONNECTIONS = 20;

export interface NewConnection {
  readonly type: ConnectionType;
  readonly name: string;
  readonly settings: ConnectionSettings;
  readonly secrets: GivenSecrets;
  /** Where deliveries start: at the log's beginning, or at its current end. */
  readonly from: 'beginning' | 'now';
}

export interface ConnectionChange {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly settings?: { readonly settings: ConnectionSettings; readonly secrets: GivenSecrets } | undefined;
}

export type ConnectionStatus = 'active' | 'failing' | 'stopped' | 'disabled';

export interface ConnectionView extends Omit<ConnectionRecord, 'settings' | 'secret'> {
  readonly settings: KeptSettings;
  readonly status: ConnectionStatus;
  readonly lag: { readonly events: number; readonly seconds: number };
  /** The steps of the test that this request made. */
  readonly steps: readonly TriedStep[] | null;
}

export function createConnectionService(deps: {
  store: Store;
  box: SecretBox;
  sending: Pick<Sending, 'urlProblem' | 'hostProblem'>;
  tryOut: TryConnection;
  onChanged: () => void;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { store, box, sending, tryOut, onChanged, clock, randomBytes } = deps;

  function assertSettings(settings: ConnectionSettings, secrets: ConnectionSecrets): void {
    const [field, problem] = placeProblem(settings, sending);
    if (problem !== null) throw new DomainError('invalid_value', `${field} ${problem}`, { field: `settings.${field}` });
    const lacks = (name: string, what: string) =>
      new DomainError('invalid_value', `${name} ${what}`, { field: `settings.${name}` });
    if (settings.transport === 's3' && secrets.secretAccessKey === undefined)
      throw lacks(
        'secret_access_key',
        'is required: stored secrets are only sent to the server for which they were given',
      );
    if (settings.transport !== 'syslog') return;
    if ((settings.certificate === null) === (secrets.privateKey === undefined)) return;
    throw settings.certificate === null
      ? lacks('certificate', 'must be given with private_key')
      : lacks('private_key', 'must be given with certificate');
  }

  /** The log that is delivered. Throws `forbidden` where the caller may not read it. */
  function logOf({ log }: ConnectionSettings, context: RequestContext): string {
    if (!mayReadAudit(context.credential))
      throw new DomainError(
        'forbidden',
        'a connection delivers the audit log, which requires the scope compliance:read',
      );
    return logIdOf(log, context);
  }

  async function sealed(connectionId: string, secrets: ConnectionSecrets): Promise<ConnectionRecord['secret']> {
    if (namesOf(secrets).length === 0) return null;
    const bytes = Buffer.from(JSON.stringify(secrets));
    try {
      return await box.encrypt(bytes, { connectionId, purpose: 'connection-secrets' });
    } finally {
      bytes.fill(0);
    }
  }

  async function opened({ connectionId, secret }: ConnectionRecord): Promise<ConnectionSecrets> {
    if (secret === null) return {};
    const bytes = await box.decrypt(secret, { connectionId, purpose: 'connection-secrets' });
    try {
      return JSON.parse(Buffer.from(bytes).toString()) as ConnectionSecrets;
    } finally {
      bytes.fill(0);
    }
  }

  async function required(read: Pick<Repositories, 'connections'>, accountId: AccountId, connectionId: string) {
    const record = await read.connections.find(accountId, connectionId);
    if (record === null) throw noSuchConnection();
    return record;
  }

  async function lagsOf(accountId: AccountId): Promise<ReadonlyMap<string, ConnectionLag>> {
    return new Map((await store.read.connections.lags(accountId)).map((lag) => [lag.connectionId, lag]));
  }

  const viewed = (
    { settings, secret: _, ...record }: ConnectionRecord,
    lag: ConnectionLag | undefined,
    steps: readonly TriedStep[] | null = null,
  ): ConnectionView => ({
    ...record,
    settings: settings as unknown as KeptSettings,
    status: statusOf(record),
    lag: {
      events: lag?.events ?? 0,
      seconds: lag?.oldestAt == null ? 0 : Math.max(0, Math.floor((clock() - lag.oldestAt) / 1000)),
    },
    steps,
  });

  /** The record after a change of settings, or one that resumes deliveries. The new settings are tested first. */
  async function setUpAnew(record: ConnectionRecord, change: ConnectionChange, context: RequestContext) {
    const before = record.settings as unknown as KeptSettings;
    const settings = change.settings?.settings ?? plainSettings(before);
    if ((settings.transport === 's3') !== (record.type === 'archive')) {
      throw new DomainError('invalid_value', `transport must be one that connections of type ${record.type} have`, {
        field: 'settings.transport',
      });
    }
    const logId = logOf(settings, context);
    if (logId !== record.logId) {
      throw new DomainError('invalid_value', 'log cannot be changed: create another connection', {
        field: 'settings.log',
      });
    }
    const kept = placeOf(settings) === placeOf(before) ? await opened(record) : {};
    const secrets = joined(kept, change.settings?.secrets ?? {});
    assertSettings(settings, secrets);
    const { connectionId, accountId } = record;
    const { steps, lockedUntil } = await tryOut({ connectionId, accountId, settings, secrets }, context.signal);
    const { kind, id } = context.credential;
    return {
      steps,
      patch: {
        settings: { ...settings, secrets: namesOf(secrets) },
        secret: await sealed(connectionId, secrets),
        ...{ makerKind: kind, makerId: id, stoppedReason: null, failures: 0, nextAt: clock(), lockedUntil },
      },
    };
  }

  return {
    /** Tests the connection first. Throws `connection_failed`, `invalid_value`, `forbidden`, `policy_refused`. */
    async create({ type, name, settings, secrets: given, from }: NewConnection, context: RequestContext) {
      const { accountId, credential } = context;
      const logId = logOf(settings, context);
      const secrets = joined({}, given);
      assertSettings(settings, secrets);
      await assertRoom(store.read, accountId);
      const connectionId = newId('con', randomBytes);
      const { steps, lockedUntil } = await tryOut({ connectionId, accountId, settings, secrets }, context.signal);
      const last = from === 'now' ? await store.read.audit.lastSeal(logId) : null;
      const at = clock();
      const record: ConnectionRecord = {
        ...{ connectionId, accountId, name, type, logId, enabled: true },
        settings: { ...settings, secrets: namesOf(secrets) },
        secret: await sealed(connectionId, secrets),
        ...{ makerKind: credential.kind, makerId: credential.id, stoppedReason: null },
        ...{ position: last === null ? 0 : last.position + 1, segmentEnd: null, failures: 0, revision: 1 },
        ...{ lastError: null, lastErrorAt: null, lastDeliveredAt: null, lockedUntil },
        ...{ nextAt: at, createdAt: at, updatedAt: at },
      };
      const result = viewed(record, undefined, steps);
      await store.write(async (tx) => {
        await tx.accounts.lock(accountId);
        await assertRoom(tx, accountId);
        await tx.connections.insert(record);
        await recordRequest(tx, context, { result, target: connectionId });
      });
      onChanged();
      return result;
    },

    /** Throws `not_found`. */
    async get(connectionId: string, { accountId }: RequestContext) {
      const record = await required(store.read, accountId, connectionId);
      return viewed(record, (await lagsOf(accountId)).get(connectionId));
    },

    async list(
      filter: { type?: ConnectionType },
      page: PageRequest,
      { accountId }: RequestContext,
    ): Promise<Page<ConnectionView>> {
      const found = await store.read.connections.list(accountId, filter, page);
      const lags = await lagsOf(accountId);
      return { ...found, data: found.data.map((record) => viewed(record, lags.get(record.connectionId))) };
    },

    /** All connections of the account. */
    async all({ accountId }: Pick<RequestContext, 'accountId'>): Promise<ConnectionView[]> {
      const found = await store.read.connections.list(accountId, {}, { limit: MAX_CONNECTIONS * 2, offset: 0 });
      const lags = await lagsOf(accountId);
      return found.data.map((record) => viewed(record, lags.get(record.connectionId)));
    },

    /**
     * Whoever changes its destination or resumes it becomes its creator, whose rights deliveries need. Throws as `create`, and `not_found`,
     * `state_conflict`.
     */
    async update(connectionId: string, change: ConnectionChange, context: RequestContext) {
      const { accountId } = context;
      const record = await required(store.read, accountId, connectionId);
      // Whoever may not read the log may not stop it either.
      logOf(record.settings as unknown as KeptSettings, context);
      const begins = change.settings !== undefined || (change.enabled === true && statusOf(record) !== 'active');
      const anew = begins ? await setUpAnew(record, change, context) : null;
      const patch = {
        ...(change.name !== undefined && { name: change.name }),
        ...(change.enabled !== undefined && { enabled: change.enabled }),
        ...anew?.patch,
        ...{ revision: record.revision + 1, updatedAt: clock() },
      };
      const lag = (await lagsOf(accountId)).get(connectionId);
      const result = await store.write(async (tx) => {
        if (!(await tx.connections.update(record, patch))) {
          await required(tx, accountId, connectionId);
          throw new DomainError('state_conflict', 'the connection was changed meanwhile: read it again', {
            field: 'connection_id',
          });
        }
        const made = viewed(await required(tx, accountId, connectionId), lag, anew?.steps ?? null);
        await recordRequest(tx, context, { result: made, target: connectionId });
        return made;
      });
      onChanged();
      return result;
    },

    /** What was delivered stays with the receiver. Throws `not_found`, `forbidden`. */
    delete: (connectionId: string, context: RequestContext) =>
      store.write(async (tx) => {
        const record = await required(tx, context.accountId, connectionId);
        logOf(record.settings as unknown as KeptSettings, context);
        await tx.connections.delete(context.accountId, connectionId);
        await recordRequest(tx, context, { result: undefined, target: connectionId });
      }),
  };
}

export type ConnectionService = ReturnType<typeof createConnectionService>;

const noSuchConnection = (): DomainError =>
  new DomainError('not_found', 'there is no such connection', { field: 'connection_id' });

async function assertRoom(read: Pick<Repositories, 'connections'>, accountId: AccountId): Promise<void> {
  if ((await read.connections.count(accountId)) < MAX_CONNECTIONS) return;
  throw new DomainError('policy_refused', `an account has at most ${MAX_CONNECTIONS} connections: delete one`);
}

function statusOf({
  enabled,
  stoppedReason,
  failures,
}: Pick<ConnectionRecord, 'enabled' | 'stoppedReason' | 'failures'>): ConnectionStatus {
  if (!enabled) return 'disabled';
  if (stoppedReason !== null) return 'stopped';
  return failures > 0 ? 'failing' : 'active';
}

function placeProblem(
  settings: ConnectionSettings,
  sending: Pick<Sending, 'urlProblem' | 'hostProblem'>,
): [field: string, problem: string | null] {
  if (settings.transport === 'syslog') return ['host', sending.hostProblem(settings.host, settings.port)];
  return settings.transport === 'https'
    ? ['url', sending.urlProblem(settings.url)]
    : ['endpoint', sending.urlProblem(settings.endpoint)];
}

function plainSettings({ secrets: _, ...settings }: KeptSettings): ConnectionSettings {
  return settings as ConnectionSettings;
}
