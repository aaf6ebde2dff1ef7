import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRepositories } from '../../../src/store/contents.ts';
import { encodeCursor } from '../../../src/store/queries/cursor.ts';
import type { Session } from '../../../src/store/queries/session.ts';
import { createSession } from '../../../src/store/queries/session.ts';
import { preparedOnce } from '../../../src/store/sqlite/connection.ts';
import type { Repositories } from '../../../src/store/store.ts';
import { blockHashOf, outpointOf, txidOf } from '../../builders/store-records.ts';
import { openTemporarySqlite, type TemporarySqlite } from '../../builders/stores.ts';

/** The plans of the statements that a repository call runs: hot queries walk an index and neither scan nor sort. */
describe('query plans', () => {
  let sqlite: TemporarySqlite;
  let database: DatabaseSync;
  beforeAll(async () => {
    sqlite = await openTemporarySqlite();
    database = new DatabaseSync(sqlite.path);
    database.exec(`insert into accounts (account_id, name, created_at, transaction_count) values ('acc_one', 'one', 1, 1000);
      insert into wallets (wallet_id, account_id, name, type, backup_type, network, external_descriptor, is_default,
        birthday_height, next_external_index, next_internal_index, scan_state, transaction_count, created_at)
      values ('wal_one', 'acc_one', 'one', 'segwit', 'none', 'regtest', 'd', 0, 0, 0, 0, 'idle', 1000, 1);
      insert into coins (wallet_id, account_id, txid, vout, amount_sats, script_pubkey, change, derivation_index, coinbase, live, own, tx_version,
        height, locked, frozen, created_at)
      values ('wal_one', 'acc_one', '${txidOf('one')}', 0, 9, '00', 0, 0, 0, 1, 0, 2, 9, 0, 0, 1),
        ('wal_one', 'acc_one', '${txidOf('one')}', 1, 9, '00', 0, 0, 0, 1, 0, 2, 9, 1, 0, 1),
        ('wal_one', 'acc_one', '${txidOf('one')}', 2, 9, '00', 0, 0, 0, 1, 0, 2, 9, 0, 1, 1),
        ('wal_one', 'acc_one', '${txidOf('one')}', 3, 9, '00', 0, 0, 0, 1, 0, 2, null, 0, 0, 1);
      insert into scripts (wallet_id, account_id, script_pubkey, change, derivation_index, address, reserved_at)
      values ('wal_one', 'acc_one', '00', 0, 0, 'a', 1), ('wal_one', 'acc_one', '01', 0, 1, 'b', 1), ('wal_one', 'acc_one', '02', 0, 2, 'c', 1);`);
  });
  afterAll(async () => {
    database.close();
    await sqlite.close();
  });

  async function plansOf(call: (repositories: Repositories) => Promise<unknown>): Promise<string[]> {
    const plans: string[] = [];
    const run: Session['run'] = async <R>(query: { sql: string; parameters: readonly unknown[] }) => {
      const { parameters } = query;
      const sql = preparedOnce(query.sql);
      const values = parameters as SQLInputValue[];
      for (const row of database.prepare(`explain query plan ${sql}`).all(...values)) plans.push(String(row.detail));
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return { rows: statement.all(...values) as R[], changes: 0n };
    };
    await call(createRepositories(createSession('sqlite', run), Date.now));
    return plans.filter((plan) => !plan.includes('json_each'));
  }
  const page = { limit: 50, offset: 900 };
  /** Of few: the first half is passed from the start, the second from the end. */
  const [second, third] = [
    { limit: 50, offset: 1 },
    { limit: 50, offset: 2 },
  ];
  const behind = (list: string, ...position: (string | number)[]) => encodeCursor(list, position);
  const spendable = { deepest: 9, mature: 9, unconfirmed: 'own' } as const;
  const sizes = { largest: 9, largestUnconfirmed: 9, places: [0.5] };

  test.each<[string, (repositories: Repositories) => Promise<unknown>, RegExp]>([
    ['a page of the account', ({ transactions }) => transactions.list('acc_one', {}, page), /ordinal/],
    [
      'a page of a wallet',
      ({ transactions }) => transactions.list('acc_one', { walletId: 'wal_one' }, page),
      /ordinal/,
    ],
    ['a page by status', ({ transactions }) => transactions.list('acc_one', { status: 'signed' }, page), /by_status/],
    [
      'a page of approvals by status',
      ({ approvals }) => approvals.page('acc_one', { status: 'approved' }, page),
      /approvals_by_status \(account_id=\? AND status=\?\)/,
    ],
    [
      'approvals to carry out',
      ({ approvals }) => approvals.toDo({ ofEach: 9, all: 9 }),
      /SCAN approvals USING COVERING INDEX approvals_to_do/,
    ],
    [
      'approvals to expire',
      ({ approvals }) => approvals.due(9, { ofEach: 9, all: 9 }),
      /approvals USING COVERING INDEX approvals_pending \(expires_at<\?\)/,
    ],
    [
      'a page of approvals by operation',
      ({ approvals }) => approvals.page('acc_one', { operation: 'backup' }, page),
      /approvals_by_operation \(account_id=\? AND operation=\?\)/,
    ],
    [
      'a page of approvals by operation and status',
      ({ approvals }) => approvals.page('acc_one', { operation: 'backup', status: 'approved' }, page),
      /approvals_by_operation_and_status \(account_id=\? AND operation=\? AND status=\?\)/,
    ],
    [
      'what was sent by a channel',
      ({ notifications }) => notifications.list('acc_one', { channel: 'email' }, page),
      /notifications_by_channel \(account_id=\? AND channel=\?\)/,
    ],
    ...[true, false].map((read): [string, (repositories: Repositories) => Promise<unknown>, RegExp] => [
      `an inbox, read: ${read}`,
      ({ notificationDeliveries }) => notificationDeliveries.inbox('acc_one', 'usr_a', read, page),
      read ? /notification_deliveries_read \(account_id=\? AND recipient=\?\)/ : /notification_deliveries_unread \(/,
    ]),
    ['people by id', ({ users }) => users.among('acc_one', ['usr_a']), /users USING PRIMARY KEY|autoindex_users/],
    ['keys by id', ({ apiKeys }) => apiKeys.among('acc_one', ['key_a']), /autoindex_api_keys|PRIMARY KEY/],
    [
      'clients by id',
      ({ oauthClients }) => oauthClients.among('acc_one', ['cli_a']),
      /autoindex_oauth_clients|PRIMARY KEY/,
    ],
    [
      'notifications by id',
      ({ notifications }) => notifications.among('acc_one', ['not_a' as never]),
      /autoindex_notifications|PRIMARY KEY/,
    ],
    [
      'address book entries by id',
      ({ addressBook }) => addressBook.findAll('acc_one', ['abe_a']),
      /autoindex_address_book|PRIMARY KEY/,
    ],
    [
      'address book entries by script',
      ({ addressBook }) => addressBook.byScript('acc_one', ['00']),
      /script_pubkey=\?/,
    ],
    ['one transaction', ({ transactions }) => transactions.find('acc_one', txidOf('t')), /by_unsigned_txid/],
    [
      'a balance',
      ({ coins }) => coins.balance('acc_one', 'wal_one', 9),
      /wallet_sums USING PRIMARY KEY.*coins_of_coinbases.*coins_by_spender.*transactions_by_status/s,
    ],
    ['coins, if few', ({ coins }) => coins.few('acc_one', 'wal_one', 9), /coins_unspent/],
    [
      'a pool of coins',
      ({ coins }) => coins.pool('acc_one', 'wal_one', { ...spendable, ...sizes }, { partly: false }),
      /COVERING INDEX coins_by_amount.*COVERING INDEX coins_unconfirmed_by_amount.*coins_unspent.*coins_sharing_script \(wallet_id=\? AND derivation_index=\? AND change=\? AND coin_id<\?\)/s,
    ],
    [
      'coins next to an amount',
      ({ coins }) => coins.near('acc_one', 'wal_one', spendable, [{ amountSats: 9n, above: 9, below: 9 }]),
      /COVERING INDEX coins_by_amount \(wallet_id=\? AND amount_sats>\?\)/,
    ],
    [
      'coins summed',
      ({ coins }) => coins.sums('acc_one', 'wal_one', spendable, 9n),
      /COVERING INDEX coins_by_amount \(wallet_id=\? AND amount_sats=\? AND coin_id>\?\).*COVERING INDEX coins_unconfirmed_by_amount \(wallet_id=\? AND amount_sats=\? AND coin_id>\?\)/s,
    ],
    ['a balance at a height', ({ coins }) => coins.balanceAt('acc_one', 'wal_one', 9), /coins_by_height/],
    ['a claim', ({ coins }) => coins.claim('acc_one', [outpointOf('c')], txidOf('p')), /txid=\? AND vout=\?/],
    ['open contracts counted', ({ metrics }) => metrics.openContracts(), /COVERING INDEX contracts_unfinished/],
    [
      'overdue contracts counted',
      ({ metrics }) => metrics.overdueContracts({ height: 9, medianTime: 9 }),
      /COVERING INDEX contracts_unfinished/,
    ],
    ['unsent transactions counted', ({ metrics }) => metrics.unsentOfContracts(9), /transactions_unsettled/],
    ['oracles counted', ({ metrics }) => metrics.oracles(), /oracles_equivocated|oracle_events_frozen/],
    ['an API key', ({ apiKeys }) => apiKeys.findByPrefix('AbCd1234'), /api_keys_by_prefix/],
    ['scripts matching', ({ ledger }) => ledger.scriptsMatching(['00']), /script_pubkey=\?/],
    ['coins at outpoints', ({ ledger }) => ledger.coinsAt([outpointOf('c')]), /txid=\? AND vout=\?/],
    ['watched outpoints', ({ ledger }) => ledger.watchedOutpoints(0n, () => {}), /coins_watched/],
    ['spenders', ({ ledger }) => ledger.spendersOf([outpointOf('c')], txidOf('p')), /transaction_inputs_by_outpoint/],
    ['children', ({ ledger }) => ledger.childrenOf(txidOf('p')), /transaction_inputs_by_outpoint/],
    ['unconfirmed', ({ ledger }) => ledger.unconfirmed(), /transactions_unsettled/],
    ['unconfirmed inputs', ({ ledger }) => ledger.unconfirmedInputs(), /transactions_unsettled/],
    [
      'events of a reader',
      ({ events }) => events.after(0n, 9, { accountId: 'acc_a', channel: 'blocks' }),
      /events_by_reader/,
    ],
    [
      "events of a subject's own",
      ({ events }) => events.ownAfter({ accountId: 'acc_a', ref: 'usr_a' }, 0n, 9),
      /events_by_recipient \(account_id=\? AND ref=\? AND seq>\?\)/,
    ],
    [
      'notices of an account, without a look at those of others',
      ({ events }) => events.changesAfter('acc_a', 'security', 0n, 9),
      /^SEARCH event USING INDEX events_by_reader \(channel=\? AND account_id=\? AND seq>\?\)(?!.*events_by_subject)/s,
    ],
    ['numbering', ({ events }) => events.number(9), /USING COVERING INDEX .*seq=\?/],
    ['latest event', ({ events }) => events.latestFor('blocks', 'b', null), /events_by_subject/],
    ['a release', ({ coins }) => coins.release('acc_one', txidOf('p')), /coins_by_spender/],
    ['an unspend', ({ ledger }) => ledger.unspendCoins(txidOf('p')), /coins_by_spender/],
    ['a spend', ({ ledger }) => ledger.spendCoins([outpointOf('c')], txidOf('p'), 5), /txid=\? AND vout=\?/],
    ['coins of a transaction', ({ ledger }) => ledger.coinsOf(txidOf('p')), /coins.*txid=\?/],
    ['by external id', ({ transactions }) => transactions.findByExternalId('acc_one', 'x'), /by_external_id/],
    ['a page by label', ({ transactions }) => transactions.list('acc_one', { label: 'x' }, page), /by_label/],
    [
      'a page of a wallet by status',
      ({ transactions }) => transactions.list('acc_one', { walletId: 'wal_one', status: 'signed' }, page),
      /^SEARCH link USING (COVERING INDEX|PRIMARY KEY|INDEX) ?\S* ?\(wallet_id=\? AND ordinal>\? AND ordinal<\?\)\nSEARCH transaction USING INDEX sqlite_autoindex_transactions_1 \(txid=\? AND account_id=\?\)/m,
    ],
    [
      'a page by status and direction',
      ({ transactions }) => transactions.list('acc_one', { status: 'signed', direction: 'incoming' }, page),
      /SEARCH transaction USING INDEX \S+ \(account_id=\? AND (status=\? AND |direction=\? AND )?ordinal>\? AND ordinal<\?\)/,
    ],
    ['a block left', ({ ledger }) => ledger.transactionsInBlock(1, blockHashOf(1)), /by_block/],
    [
      'transactions behind a figure',
      ({ recordsBehind }) => recordsBehind.of({ accountId: 'acc_one', from: 1, to: 9_000, limit: 9 }, 'transactions'),
      /^SEARCH b USING INDEX blocks_by_time \(time>\? AND time<\?\)\nSEARCH t USING INDEX transactions_by_block \(block_height=\? AND account_id=\?\).*SEARCH t USING INDEX transactions_by_time \(account_id=\? AND created_at>\? AND created_at<\?\)/s,
    ],
    ['a page of coins', ({ coins }) => coins.list('acc_one', 'wal_one', {}, second), /coins_unspent/],
    [
      'coins passed from the end',
      ({ coins }) => coins.list('acc_one', 'wal_one', {}, { limit: 50, offset: 3 }),
      /SEARCH coins USING INDEX coins_unspent \(wallet_id=\?\)/,
    ],
    [
      'a page of locked coins',
      ({ coins }) => coins.list('acc_one', 'wal_one', { locked: true, confirmed: true }, second),
      /coins_set_aside/,
    ],
    [
      'a page of frozen coins',
      ({ coins }) => coins.list('acc_one', 'wal_one', { frozen: true, locked: false }, second),
      /coins_set_aside/,
    ],
    [
      'a page of unconfirmed coins',
      ({ coins }) => coins.list('acc_one', 'wal_one', { confirmed: false }, second),
      /coins_unconfirmed/,
    ],
    [
      'a page of an address’s coins',
      ({ coins }) => coins.list('acc_one', 'wal_one', { scriptPubKey: 'a' }, second),
      /coins_by_script/,
    ],
    [
      'a page of addresses by label',
      ({ scripts }) => scripts.list('acc_one', 'wal_one', { label: 'a' }, second),
      /scripts_labelled/,
    ],
    [
      'a page of unused addresses',
      ({ scripts }) => scripts.list('acc_one', 'wal_one', { used: false, reservedOnly: true }, second),
      /scripts_unused/,
    ],
    [
      'addresses behind one',
      ({ scripts }) =>
        scripts.list('acc_one', 'wal_one', {}, { limit: 9, offset: 0, cursor: behind('addresses', 9, 1, 5) }),
      /\(wallet_id=\? AND \(change,derivation_index\)>\(\?,\?\)\)/,
    ],
    [
      'wallets behind one',
      ({ wallets }) => wallets.list('acc_one', {}, { limit: 9, offset: 0, cursor: behind('wallets', 9, 1, 'wal_one') }),
      /\(account_id=\? AND \(created_at,wallet_id\)<\(\?,\?\)\)/,
    ],
    [
      'oracle events behind one',
      ({ oracleEvents }) =>
        oracleEvents.list('acc_one', {}, { limit: 9, offset: 0, cursor: behind('oracle-events', 9, 1, 'o e') }),
      /\(account_id=\? AND \(created_at,oracle_id,event_id\)<\(\?,\?,\?\)\)/,
    ],
    ['a page of wallets', ({ wallets }) => wallets.list('acc_one', {}, page), /wallets_by_account/],
    ['a page of addresses', ({ scripts }) => scripts.list('acc_one', 'wal_one', {}, second), /wallet_id=\?/],
    [
      'an address',
      ({ scripts }) => scripts.findByScript('acc_one', 'wal_one', 'a'),
      /script_pubkey=\? AND wallet_id=\?/,
    ],
    [
      'another wallet with a script',
      ({ scripts }) => scripts.otherHolder('acc_one', 'wal_one', 'a', true),
      /sqlite_autoindex_scripts/,
    ],
    ['a branch of a wallet', ({ scripts }) => scripts.branch('acc_one', 'wal_one', false), /scripts_used/],
    ['old events', ({ events }) => events.deleteOlderThan(1), /events_by_age/],
    ['expired keys', ({ idempotency }) => idempotency.deleteExpired(1), /by_expiry/],
    [
      'what payments were asked',
      ({ spendHistory }) => spendHistory.payments('acc_one', 5, 900, 50),
      /transactions_asked/,
    ],
    [
      'a place by its time',
      ({ spendHistory }) => spendHistory.placeAt('acc_one', 9),
      /transactions_asked|sqlite_autoindex_accounts/,
    ],
    [
      'payments between places',
      ({ spendHistory }) => spendHistory.count('acc_one', 5, 900, 50),
      /COVERING INDEX transactions_asked|CO-ROUTINE|SCAN/,
    ],
    [
      'changes of the sums',
      ({ spendHistory }) => spendHistory.changes('acc_one', { behind: 5, changeId: 7n }, 900, 50),
      /spend_changes_by_account/,
    ],
    ['replays that run', ({ replays }) => replays.due(8), /replays_running/],
    [
      'what waited at a place',
      ({ spendHistory }) => spendHistory.waiting('acc_one', 9, { until: 8n, waitId: -1n }, 5),
      /spend_waits_by_place/,
    ],
    ['what ended to wait', ({ spendHistory }) => spendHistory.deleteWaits(9, 5), /spend_waits_by_time/],
    ['old changes of the sums', ({ spendHistory }) => spendHistory.deleteChanges(9, 5), /spend_changes_by_time/],
    [
      'notifications that have ended',
      ({ notifications }) => notifications.deleteEnded(9, 5),
      /notifications_ended|sqlite_autoindex_notification|VIRTUAL TABLE/,
    ],
    [
      'deliveries of old events',
      ({ webhookDeliveries }) => webhookDeliveries.deleteEnded(9, 5),
      /webhook_deliveries_ended/,
    ],
    [
      'notifications that failed',
      ({ notifications }) => notifications.list('acc_one', { status: 'failed' }, page),
      /notifications_unsent/,
    ],
    [
      'the key before a rotated one',
      ({ apiKeys }) => apiKeys.firstOfLine('acc_one', 'key_one'),
      /api_keys_by_successor/,
    ],
    [
      'mails of a day',
      ({ emailConfirmations }) => emailConfirmations.sentOn('acc_one', 9),
      /email_confirmations_by_day/,
    ],
    [
      'deliveries to bring forward',
      ({ notificationDeliveries }) =>
        notificationDeliveries.bringForward({ accountId: 'acc_one', queue: 'q' }, { now: 9, beyond: 9 }, 5),
      /notification_deliveries_again \(account_id=\? AND queue=\? AND next_at>\?\)/,
    ],
    ['devices that were revoked', ({ devices }) => devices.deleteRevoked(9, 5), /devices_revoked/],
    ['replays that are old', ({ replays }) => replays.deleteClosed(9, 5), /replays_closed/],
    ['contracts of a transaction', ({ contracts }) => contracts.byFundingTxids([txidOf('f')]), /contracts_by_funding/],
    ['contracts closed', ({ contracts }) => contracts.byClosingTxid(txidOf('c')), /contracts_by_closing/],
    ['contracts of an offer', ({ contracts }) => contracts.byOfferIds('acc_one', ['t']), /offer_id=\?/],
    ['contracts that hold coins', ({ contracts }) => contracts.byCoinHolds('acc_one', [txidOf('h')]), /coin_hold=\?/],
    ['open contracts', ({ contracts }) => contracts.open({ createdAt: 1, contractId: 'ctr_c' }, 9), /contracts_open/],
    [
      'contracts in hand',
      ({ contracts }) => contracts.due({ now: 9, height: 9, medianTime: 9 }, null, 9),
      /CO-ROUTINE in_hand.*contracts_in_hand.*contracts_expiring.*contracts_refundable.*contracts_attested/s,
    ],
    [
      'contracts that wait',
      ({ contracts }) => contracts.waitingFor('acc_one', 'ora_o', 'e'),
      /contract_oracles_by_event/,
    ],
    ['a page of contracts', ({ contracts }) => contracts.list('acc_one', {}, page), /contracts_by_account/],
    [
      'a page of contracts by status',
      ({ contracts }) => contracts.list('acc_one', { status: 'confirmed' }, page),
      /contracts_by_status/,
    ],
    ['watched fundings', ({ ledger }) => ledger.watchedFundings(0n, () => {}), /PRIMARY KEY \(rowid>\?\)/],
    ['a page of oracles', ({ oracles }) => oracles.list('acc_one', {}, page), /oracles_by_account/],
    ['a page of events', ({ oracleEvents }) => oracleEvents.list('acc_one', {}, page), /oracle_events_by_account/],
    ['a page of attestations', ({ attestations }) => attestations.list('acc_one', {}, page), /attestations_by_account/],
    ['events to poll', ({ oracles }) => oracles.toPoll(9, { ofEach: 9, all: 9 }), /oracle_events_to_poll/],
    ['events that are waited for', ({ oracleEvents }) => oracleEvents.pollAwaited(), /contracts_open/],
    ['wallets to scan', ({ ledger }) => ledger.walletsToScan(), /wallets_to_scan/],
  ])('%s', async (_, call, index) => {
    const plans = await plansOf(call);
    expect(plans.join('\n')).toMatch(index);
    // A scan without an index reads the whole table.
    expect(
      plans.filter((plan) =>
        /^SCAN (?!.*USING (COVERING )?INDEX)(?!waiting|approved|late|numbered|in_hand|counted|largest|unconfirmed|above|below|ends|line|small|c$|[js] VIRTUAL|CONSTANT|\()/.test(
          plan,
        ),
      ),
    ).toEqual([]);
  });

  test('of a wallet that has no coins of a kind none is read', async () => {
    const frozen = { locked: true, frozen: true, confirmed: true };
    const plans = await plansOf(({ coins }) => coins.list('acc_one', 'wal_one', frozen, page));
    expect(plans.join('\n')).toMatch(/wallet_sums/);
    expect(plans.join('\n')).not.toMatch(/coins_set_aside|coins_unspent/);
  });

  test.each<[string, (repositories: Repositories) => Promise<unknown>]>([
    ['a page of the account', ({ transactions }) => transactions.list('acc_one', {}, page)],
    ['a page of a wallet', ({ transactions }) => transactions.list('acc_one', { walletId: 'wal_one' }, page)],
    ['events of a reader', ({ events }) => events.after(0n, 9, { accountId: 'acc_a', channel: 'blocks' })],
    ['all events', ({ events }) => events.after(0n, 9)],
    ['own events', ({ events }) => events.ownAfter({ accountId: 'acc_a', ref: 'usr_a' }, 0n, 9)],
    ['a page of addresses', ({ scripts }) => scripts.list('acc_one', 'wal_one', { reservedOnly: true }, second)],
    ['addresses from the end', ({ scripts }) => scripts.list('acc_one', 'wal_one', { reservedOnly: true }, third)],
    [
      'a page of an index of unused addresses',
      ({ scripts }) => scripts.list('acc_one', 'wal_one', { used: false, change: false }, second),
    ],
  ])('%s comes in order, unsorted', async (_, call) => {
    expect((await plansOf(call)).join('\n')).not.toMatch(/TEMP B-TREE|SCAN/);
  });
});
