/** Oracles as an account keeps them. Its default local oracle comes into being when `local` is first asked for. */
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId, type OracleName } from '../../core/ids.ts';
import { ecc } from '../../core/keys/ecc.ts';
import type { OracleRecord } from '../../store/repositories/oracles.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { draftLocalOracle } from './local/local-keys.ts';
import type { OracleDependencies } from './oracle-dependencies.ts';
import type { OracleService } from './oracle-service.ts';

/** What a request calls the account's own. */
const LOCAL = 'local';

type Registry = Pick<OracleService, 'register' | 'createLocal' | 'resolve' | 'get' | 'list' | 'update' | 'delete'>;

export function createRegistry(deps: OracleDependencies): Registry {
  const { store, clock, randomBytes, fetching } = deps;

  async function resolve(accountId: AccountId, oracle: OracleName): Promise<OracleRecord> {
    if (oracle !== LOCAL) return required(await store.read.oracles.find(accountId, oracle), 'oracle');
    const standing = await store.read.oracles.findDefault(accountId);
    if (standing !== null) return standing;
    const fresh = await draftLocalOracle(deps, { accountId, name: LOCAL, externalId: null, isDefault: true });
    try {
      await store.write((tx) => tx.oracles.insert(fresh));
      return fresh;
    } catch (error) {
      if (!isTaken(error)) throw error;
      // Somebody else, in this process or another, was first: theirs is the account's, and this key was never shown.
      return required(await store.read.oracles.findDefault(accountId), 'oracle');
    }
  }

  const insert = (oracle: OracleRecord, context: RequestContext): Promise<OracleRecord> =>
    store.write(async (tx) => {
      await tx.oracles.insert(oracle);
      await recordRequest(tx, context, { result: oracle, target: oracle.oracleId });
      return oracle;
    });

  return {
    resolve,
    async register({ name, publicKey, url, externalId = null }, context) {
      const at = clock();
      return insert(
        {
          oracleId: newId('ora', randomBytes),
          accountId: context.accountId,
          name,
          externalId,
          kind: 'external',
          publicKey: checkedKey(publicKey),
          url: url === undefined ? null : checkedUrl(url),
          secret: null,
          isDefault: false,
          equivocatedAt: null,
          nonceReusedAt: null,
          createdAt: at,
          updatedAt: at,
        },
        context,
      );
    },
    async createLocal({ name, externalId = null }, context) {
      const { accountId } = context;
      return insert(await draftLocalOracle(deps, { accountId, name, externalId, isDefault: false }), context);
    },
    get: (oracle, { accountId }) => resolve(accountId, oracle).catch(atPath),
    list: (filter, page, { accountId }) => store.read.oracles.list(accountId, filter, page),
    async update(oracle, { url, ...patch }, context) {
      const { accountId } = context;
      const { oracleId, kind } = await resolve(accountId, oracle).catch(atPath);
      if (kind === 'local' && url !== undefined && url !== null) {
        throw new DomainError('invalid_value', 'a local oracle has no URL: it is asked here', { field: 'url' });
      }
      const changes = {
        ...(patch.name !== undefined && { name: patch.name }),
        ...(patch.externalId !== undefined && { externalId: patch.externalId }),
        ...(url !== undefined && { url: url === null ? null : checkedUrl(url) }),
        updatedAt: clock(),
      };
      return store.write(async (tx) => {
        const result = required(await tx.oracles.update(accountId, oracleId, changes), 'oracle_id');
        await recordRequest(tx, context, { result, target: oracleId });
        return result;
      });
    },
    async delete(oracle, context) {
      const { accountId } = context;
      const { oracles } = store.read;
      const found = oracle === LOCAL ? await oracles.findDefault(accountId) : await oracles.find(accountId, oracle);
      const { oracleId } = required(found, 'oracle_id');
      await store.write(async (tx) => {
        if (!(await tx.oracles.delete(accountId, oracleId))) {
          required(await tx.oracles.find(accountId, oracleId), 'oracle_id');
          throw new DomainError('state_conflict', 'events or contracts refer to the oracle: it stays', {
            field: 'oracle_id',
          });
        }
        await recordRequest(tx, context, { result: undefined, target: oracleId });
      });
    },
  };

  /** Without the slashes at its end: paths are put behind it. */
  function checkedUrl(text: string): string {
    const problem = fetching.problem(text) ?? (/[?#]/.test(text) ? 'must have neither query nor fragment' : null);
    if (problem !== null) throw new DomainError('invalid_value', `the URL ${problem}`, { field: 'url' });
    return new URL(text).href.replace(/\/+$/, '');
  }
}

function checkedKey(publicKey: string): string {
  const bytes = Buffer.from(publicKey, 'hex');
  if (bytes.length === 32 && ecc.isXOnlyPoint(bytes)) return bytes.toString('hex');
  throw new DomainError('invalid_key', 'this is no x-only public key on the curve', { field: 'public_key' });
}

function required(oracle: OracleRecord | null, field: string): OracleRecord {
  if (oracle !== null) return oracle;
  throw new DomainError('not_found', 'there is no such oracle', { field });
}

function atPath(error: unknown): never {
  throw error instanceof DomainError && error.code === 'not_found' ? error.at('oracle_id') : error;
}

const isTaken = (error: unknown): boolean => error instanceof DomainError && error.code === 'already_exists';
