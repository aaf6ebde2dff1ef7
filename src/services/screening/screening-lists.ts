/** Lists of addresses that no payment may go to: uploaded, replaced and deleted by requests. Each is a change of the account's rules. */
import { hex } from '../../core/bytes.ts';
import { DomainError } from '../../core/errors.ts';
import { sha256 } from '../../core/hashes.ts';
import { newId } from '../../core/ids.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import type { ScreeningEntry, ScreeningJobs } from '../../core/screening/screening-csv.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { PageRequest } from '../../store/records.ts';
import type { ListId, ScreeningListRecord } from '../../store/repositories/screening-lists.ts';
import type { Repositories } from '../../store/store.ts';
import { createChangeRules, type RulesDeps } from '../policies/change-rules.ts';
import type { RequestContext } from '../requests/request-context.ts';

export const MAX_LISTS = 20;
/** Read, deleted and compared at once. */
const SLICE = 200;
/** Addresses that approvers are shown of what is added and of what is removed. */
const SHOWN = 20;

export interface SentList {
  readonly name: string;
  readonly csv: string;
}

export function createScreeningLists(
  deps: RulesDeps & { readonly computing: Computing<ScreeningJobs>; readonly onListChanged: () => void },
) {
  const { store, computing, randomBytes } = deps;
  const changeRules = createChangeRules(deps);

  async function found(read: Pick<Repositories, 'screeningLists'>, listId: ListId, { accountId }: RequestContext) {
    const list = await read.screeningLists.find({ accountId, listId });
    if (list === null) throw new DomainError('not_found', 'there is no such screening list', { field: 'list_id' });
    return list;
  }

  const opened = async ({ csv }: SentList, context: RequestContext) => ({
    slices: await computing.run('screening.read', { csv }, context),
    digest: hex(sha256(Buffer.from(csv))),
  });
  type Opened = Awaited<ReturnType<typeof opened>>;

  /** Earlier deposits are compared with it next. */
  async function changed(change: Promise<ScreeningListRecord>): Promise<ScreeningListRecord> {
    const list = await change;
    deps.onListChanged();
    return list;
  }

  return {
    get: (listId: ListId, context: RequestContext): Promise<ScreeningListRecord> => found(store.read, listId, context),

    /** Newest first. */
    page: (page: PageRequest, { accountId }: RequestContext) => store.read.screeningLists.page(accountId, page),

    /** Throws what is wrong with each line, and `policy_refused` where there are as many lists as there may be. */
    async create(sent: SentList, context: RequestContext): Promise<ScreeningListRecord> {
      const file = await opened(sent, context);
      return changed(
        changeRules(context, {
          isLarge: true,
          async apply(tx, { lists }, { at }) {
            if (lists.size >= MAX_LISTS)
              throw new DomainError(
                'policy_refused',
                `an account has at most ${MAX_LISTS} screening lists: delete one`,
              );
            const { accountId } = context;
            const listId = newId('scl', randomBytes);
            const list = {
              listId,
              accountId,
              name: sent.name,
              addresses: 0,
              sha256: '',
              sweep: '',
              createdAt: at,
              updatedAt: at,
            };
            await tx.screeningLists.insert(list);
            const { after, gains } = await fill(tx, list, file, new Map(), context);
            return { result: after, target: listId, old: null, shows: { gains } };
          },
        }),
      );
    },

    /** Throws as `create` does, and `not_found`. */
    async replace(listId: ListId, sent: SentList, context: RequestContext): Promise<ScreeningListRecord> {
      const file = await opened(sent, context);
      return changed(
        changeRules(context, {
          isLarge: true,
          async apply(tx, _, { at }) {
            const old = await found(tx, listId, context);
            const before = await emptied(tx, old, context);
            const { after, gains } = await fill(tx, { ...old, name: sent.name, updatedAt: at }, file, before, context);
            return { result: after, target: listId, old, shows: { gains } };
          },
        }),
      );
    },

    /** Throws `not_found`, and `state_conflict` while a rule names it. */
    delete: (listId: ListId, context: RequestContext): Promise<null> =>
      changeRules(context, {
        isLarge: true,
        async apply(tx, before) {
          const old = await found(tx, listId, context);
          refuseNamed(before, listId);
          const removed = await emptied(tx, old, context);
          await tx.screeningLists.delete(old);
          return { result: null, target: listId, old, shows: { besides: { removed: shownOf([...removed.values()]) } } };
        },
      }),
  };

  /** Writes what the file has, and says what it has that was not there `before`, and the other way round. */
  async function fill(
    tx: Repositories,
    list: ScreeningListRecord,
    { slices, digest }: Opened,
    before: Map<string, string>,
    { signal }: Pick<RequestContext, 'signal'>,
  ) {
    const added: string[] = [];
    let addresses = 0;
    for (const slice of slices) {
      signal.throwIfAborted();
      const entries = JSON.parse(slice) as ScreeningEntry[];
      await tx.screeningLists.addEntries(list, entries);
      addresses += entries.length;
      added.push(...entries.filter(({ scriptPubKey }) => !before.delete(scriptPubKey)).map(({ address }) => address));
    }
    const after: ScreeningListRecord = { ...list, addresses, sha256: digest, sweep: '' };
    await tx.screeningLists.update(after);
    // A deposit that is being written was compared with the lists before this one: it is to be there when earlier deposits are compared.
    await tx.screeningLists.awaitDeposits(list.accountId);
    const same = added.length === 0 && before.size === 0;
    return { after, gains: same ? {} : { added: shownOf(added), removed: shownOf([...before.values()]) } };
  }
}
export type ScreeningLists = ReturnType<typeof createScreeningLists>;

/** Its addresses by script, which are deleted. */
async function emptied(
  { screeningLists }: Pick<Repositories, 'screeningLists'>,
  list: ScreeningListRecord,
  { signal }: Pick<RequestContext, 'signal'>,
): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for (let taken = SLICE; taken === SLICE; ) {
    signal.throwIfAborted();
    const slice = await screeningLists.takeEntries(list, SLICE);
    for (const { scriptPubKey, address } of slice) all.set(scriptPubKey, address);
    taken = slice.length;
  }
  return all;
}

const shownOf = (addresses: readonly string[]) => ({ count: addresses.length, first: addresses.slice(0, SHOWN) });

function refuseNamed({ policies }: AccountRules, listId: string): void {
  const rule = policies.find(({ when }) => when.screening?.lists?.includes(listId));
  if (rule === undefined) return;
  const how = 'a condition without lists would match every list: remove it from the rule first';
  throw new DomainError('state_conflict', `rule "${rule.name}" (${rule.policyId}) names this list, and ${how}`, {
    field: 'list_id',
  });
}
