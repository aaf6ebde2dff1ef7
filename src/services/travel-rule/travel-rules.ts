/** Who is behind payments (IVMS101): kept encrypted with the payment, carried on by what replaces it, read and replaced by requests. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { TravelRuleData } from '../../core/travel-rule/ivms101.ts';
import { missingFields } from '../../core/travel-rule/missing-fields.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { TravelRuleKey, TravelRuleRow } from '../../store/repositories/travel-rule.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRead } from '../audit/record-read.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { TextCipher } from '../secrets/text-cipher.ts';

export interface TravelRule {
  readonly txid: Txid;
  readonly recipient: number;
  readonly data: TravelRuleData | null;
  /** What the data lack; of none, all that is required. */
  readonly missing: readonly string[];
  readonly updatedAt: number | null;
}

/** What a commit knows of the transaction that it writes. */
interface Made {
  /** By recipient, of what the request brought. */
  readonly travelRules?: readonly (TravelRuleData | undefined)[] | undefined;
  /** What it pays again. */
  readonly paidAgain: readonly Txid[];
}

/** Of paths that are listed; of longer lists more is wrong than anybody reads. */
const MOST_MISSING = 100;

const bindingOf = ({ accountId, unsignedTxid, recipient }: TravelRuleKey): string =>
  `travel rule ${accountId} ${unsignedTxid} ${recipient}`;

export function createTravelRules(deps: { store: Store; cipher: TextCipher; clock: () => number }) {
  const { store, cipher, clock } = deps;

  const rowOf = (key: TravelRuleKey, text: string, updatedAt: number): TravelRuleRow => ({
    ...key,
    content: cipher.encrypt(text, bindingOf(key)),
    updatedAt,
  });
  const textOf = (row: TravelRuleRow): string => cipher.decrypt(row.content, bindingOf(row));
  const open = (row: TravelRuleRow): TravelRuleData => JSON.parse(textOf(row)) as TravelRuleData;

  /**
   * What the transaction pays again: each recipient's data go with it, in order where an address is paid more than once. A statement for each,
   * between which others get their turn.
   */
  async function carry(
    tx: Repositories,
    { accountId, unsignedTxid, recipients }: Committed,
    paidAgain: readonly Txid[],
  ): Promise<void> {
    const left = recipients.map(({ address }, recipient) => ({ address, recipient }));
    for (const txid of paidAgain) {
      const before = await tx.transactions.findShown(accountId, txid);
      if (before === null) continue;
      const rows = await tx.travelRule.of(accountId, [before.unsignedTxid]);
      for (const [place, { address }] of before.recipients.entries()) {
        const at = left.findIndex((one) => one.address === address);
        const [now] = at < 0 ? [] : left.splice(at, 1);
        const row = rows.find(({ recipient }) => recipient === place);
        if (now === undefined || row === undefined) continue;
        const key = { accountId, unsignedTxid, recipient: now.recipient };
        await tx.travelRule.insert([rowOf(key, textOf(row), row.updatedAt)]);
      }
    }
  }

  /** Which recipient is meant. Throws `invalid_value`. */
  function recipientOf({ recipients }: Committed, given: number | undefined, field: string): number {
    if (given === undefined && recipients.length > 1)
      throw new DomainError('invalid_value', `must be given: the transaction has ${recipients.length} recipients`, {
        field,
      });
    const recipient = given ?? 0;
    if (recipient < Math.max(1, recipients.length)) return recipient;
    throw new DomainError('invalid_value', 'must be the index of a recipient of the transaction, counted from 0', {
      field,
    });
  }

  async function required(read: Pick<Repositories, 'transactions'>, accountId: AccountId, txid: Txid) {
    const record = await read.transactions.findShown(accountId, txid);
    if (record === null)
      throw new DomainError('not_found', `there is no transaction ${txid} in this account`, { field: 'txid' });
    return record;
  }

  const shown = (txid: Txid, recipient: number, data: TravelRuleData | null, updatedAt: number | null): TravelRule => ({
    ...{ txid, recipient, data, missing: missingFields(data ?? {}).slice(0, MOST_MISSING), updatedAt },
  });

  return {
    /** In the job that writes the transaction. */
    async keep(tx: Repositories, record: Committed, { travelRules = [], paidAgain }: Made): Promise<void> {
      const { accountId, unsignedTxid } = record;
      const given = travelRules.flatMap((data, recipient) =>
        data === undefined
          ? []
          : [rowOf({ accountId, unsignedTxid, recipient }, JSON.stringify(data), record.createdAt)],
      );
      await tx.travelRule.insert(given);
      await carry(tx, record, paidAgain);
    },

    /** That it was read is in the audit log. */
    async get(txid: Txid, given: number | undefined, context: RequestContext): Promise<TravelRule> {
      const { accountId } = context;
      const record = await required(store.read, accountId, txid);
      const recipient = recipientOf(record, given, 'query.recipient');
      const row = await store.read.travelRule.find({ accountId, unsignedTxid: record.unsignedTxid, recipient });
      if (row === null) return shown(record.txid, recipient, null, null);
      await recordRead(store, context, record.txid);
      return shown(record.txid, recipient, open(row), row.updatedAt);
    },

    /** In the place of what was there of this recipient. */
    replace: (
      txid: Txid,
      { recipient: given, data }: { readonly recipient: number | undefined; readonly data: TravelRuleData },
      context: RequestContext,
    ): Promise<TravelRule> =>
      store.write(async (tx) => {
        const { accountId } = context;
        const { txid: now } = await required(tx, accountId, txid);
        // What replaces it takes what is there then.
        await tx.transactions.findForUpdate(accountId, now);
        const record = await required(tx, accountId, txid);
        const recipient = recipientOf(record, given, 'recipient');
        const at = clock();
        await tx.travelRule.put(
          rowOf({ accountId, unsignedTxid: record.unsignedTxid, recipient }, JSON.stringify(data), at),
        );
        const result = shown(record.txid, recipient, data, at);
        await recordRequest(tx, context, { result, target: record.txid });
        return result;
      }),

    open,
  };
}
type Committed = Pick<TransactionRecord, 'accountId' | 'unsignedTxid' | 'recipients' | 'createdAt'>;
export type TravelRules = ReturnType<typeof createTravelRules>;
