/** Queries that know no account, each with the reason and the files under src that may ask them. `Repository.*`: all of its. */
interface Unscoped {
  why: string;
  /** File names, or how they begin. */
  from: readonly string[];
}

const SERVICE_FACTS = 'facts of the service itself, of no account';
const FINDS_ACCOUNT = 'finds out whose credential it is: nothing is known before';
const EXPIRED = 'deletes by age alone, answers a count';
const CHAIN = 'a block or transaction of the chain concerns whoever it concerns';
const DELIVERS = 'one worker delivers for every account';
const BEFORE_ANYBODY = 'goes by what a login presented, before anybody is known';

export const UNSCOPED: Readonly<Record<string, Unscoped>> = {
  'AddressScanRepository.open': {
    why: 'one worker scans for every account',
    from: ['services/addresses/address-scanner.ts'],
  },
  'AddressScanRepository.stale': {
    why: 'one worker scans for every account',
    from: ['services/addresses/address-scanner.ts'],
  },
  'NodeProbeRepository.*': {
    why: 'what a node answers is the same for whoever names it, and it is asked once',
    from: ['services/networks/'],
  },
  'AiMinuteRepository.*': {
    why: 'how models do, for every account alike',
    from: ['services/inference/activity.ts'],
  },
  'AiCallRepository.due': {
    why: 'one sweep charges what processes of every account left',
    from: ['services/inference/ledger.ts'],
  },
  'AiUsageRepository.deleteBefore': { why: EXPIRED, from: ['services/inference/ledger.ts'] },
  'SettingsRepository.*': {
    why: SERVICE_FACTS,
    from: [
      'app/chain-binding.ts',
      'app/open-counters.ts',
      'cli/backup.ts',
      'services/audit/',
      'services/compliance/checks.ts',
      'services/credentials/first-start.ts',
      'services/ledger/halt.ts',
      'services/secrets/',
      'services/webhooks/',
      'services/write-probe.ts',
    ],
  },
  'AuditWalkRepository.wrong': {
    why: 'how many there are, for those who watch the service',
    from: ['services/readiness.ts', 'app/open-insight.ts'],
  },
  'AccountRepository.findByName': { why: 'for the platform and the command line', from: ['services/credentials/'] },
  'AccountRepository.list': {
    why: 'every account has an audit log to sign and to verify; for the command line',
    from: [
      'services/audit/',
      'services/compliance/compliance-worker.ts',
      'services/credentials/accounts.ts',
      'cli/accounts.ts',
    ],
  },
  'AccountRepository.page': {
    why: 'for the platform administrator',
    from: ['services/credentials/manage-accounts.ts', 'families/c-platform/accounts/'],
  },
  'AccountRepository.count': {
    why: 'whether it is the first start, and whether there is anybody else',
    from: ['services/credentials/first-start.ts', 'services/wallets/server-bound.ts'],
  },
  'WrappedKeyRepository.*': {
    why: 'one master key wraps what is of every account, and is changed for all at once',
    from: ['services/secrets/'],
  },
  'ConnectionRepository.due': {
    why: 'one worker delivers for every account',
    from: ['services/connections/deliveries.ts'],
  },
  'ConnectionRepository.overall': { why: SERVICE_FACTS, from: ['app/open-deliveries.ts'] },
  'WebhookRepository.due': { why: DELIVERS, from: ['services/webhooks/index.ts'] },
  'WebhookRepository.readingBlocks': { why: DELIVERS, from: ['services/webhooks/index.ts'] },
  'WebhookRepository.bringForward': { why: DELIVERS, from: ['services/webhooks/index.ts'] },
  'WebhookDeliveryRepository.bringForward': { why: DELIVERS, from: ['services/webhooks/index.ts'] },
  'WebhookRepository.overall': { why: SERVICE_FACTS, from: ['app/open-deliveries.ts'] },
  'NotificationRuleRepository.due': { why: DELIVERS, from: ['services/notifications/rules/index.ts'] },
  'NotificationRuleRepository.bringForward': { why: DELIVERS, from: ['services/notifications/rules/index.ts'] },
  'NotificationRuleRepository.readingBlocks': { why: DELIVERS, from: ['services/notifications/rules/index.ts'] },
  'NotificationDeliveryRepository.queues': { why: DELIVERS, from: ['services/notifications/delivering.ts'] },
  'NotificationDayRepository.deleteBefore': { why: EXPIRED, from: ['services/notifications/index.ts'] },
  'NotificationRepository.deleteEnded': { why: EXPIRED, from: ['services/notifications/index.ts'] },
  'WebhookDeliveryRepository.deleteEnded': { why: EXPIRED, from: ['services/webhooks/index.ts'] },
  'DeviceRepository.deleteRevoked': { why: EXPIRED, from: ['services/mobile/devices.ts'] },
  'ApiKeyRepository.findByPrefix': { why: FINDS_ACCOUNT, from: ['services/credentials/verify-api-key.ts'] },
  'SigningKeyRepository.findByKeyId': { why: FINDS_ACCOUNT, from: ['services/credentials/signing-keys.ts'] },
  'ApiKeyRepository.expiring': {
    why: 'every account is told of its keys that expire',
    from: ['services/credentials/tell-expiring.ts'],
  },
  'OauthClientRepository.expiring': {
    why: 'every account is told of its clients that expire',
    from: ['services/credentials/tell-expiring.ts'],
  },
  'OauthClientRepository.findByClientId': { why: FINDS_ACCOUNT, from: ['services/credentials/', 'services/tokens/'] },
  'UserRepository.findById': { why: FINDS_ACCOUNT, from: ['services/users/user-subjects.ts'] },
  'UserRepository.findByLoginName': {
    why: BEFORE_ANYBODY,
    from: ['services/users/login.ts', 'services/users/login-throttle.ts', 'services/users/sso-login.ts'],
  },
  'RefreshTokenRepository.find': { why: FINDS_ACCOUNT, from: ['services/users/refresh.ts'] },
  'PasswordResetRepository.find': { why: FINDS_ACCOUNT, from: ['services/users/'] },
  'SsoRepository.findIdentity': { why: FINDS_ACCOUNT, from: ['services/users/'] },
  'SsoRepository.useState': { why: BEFORE_ANYBODY, from: ['services/users/'] },
  'LoginFailureRepository.*': { why: BEFORE_ANYBODY, from: ['services/users/'] },
  'SignatureNonceRepository.find': { why: 'a nonce belongs to a key', from: ['services/requests/nonces.ts'] },
  'SignatureNonceRepository.spend': { why: 'a nonce belongs to a key', from: ['services/requests/nonces.ts'] },
  'TokenKeyRepository.*': { why: SERVICE_FACTS, from: ['services/tokens/token-keys.ts'] },
  'RevokedTokenRepository.has': { why: 'goes by a token that names its account', from: ['services/tokens/'] },
  'AuditRepository.append': { why: 'the record that is made names its log', from: ['services/audit/'] },
  'AuditRepository.unsealed': { why: 'one sealer for all logs', from: ['services/audit/sealer.ts', 'cli/audit.ts'] },
  'OracleRepository.toPoll': { why: 'one poller asks for every account', from: ['services/oracles/'] },
  'OracleNonceRepository.*': {
    why: 'what an oracle signed is a fact for every account, and its key is public',
    from: ['services/oracles/remembered-nonces.ts'],
  },
  'OracleEventRepository.pollAwaited': { why: 'one poller asks for every account', from: ['services/oracles/'] },
  'OracleEventRepository.freezeUnattested': {
    why: 'a restored database is restored for every account',
    from: ['services/oracles/', 'app/', 'cli/'],
  },
  'ContractRepository.open': {
    why: 'one driver goes on with the contracts of every account',
    from: ['services/contracts/'],
  },
  'ContractRepository.due': {
    why: 'one driver goes on with the contracts of every account',
    from: ['services/contracts/'],
  },
  'ContractMoves.note': { why: 'stores nothing; the contract names its account', from: ['services/contracts/'] },
  'ReplayRepository.due': {
    why: 'the worker goes on with the replays of all accounts, by turns',
    from: ['services/policies/replay/replay-worker.ts', 'services/policies/replay/replay-series.ts'],
  },
  'SpendHistoryRepository.deleteChanges': { why: EXPIRED, from: ['services/policies/replay/replay-service.ts'] },
  'SpendHistoryRepository.deleteWaits': { why: EXPIRED, from: ['services/policies/replay/replay-service.ts'] },
  'ReportSourceRepository.heights': { why: CHAIN, from: ['services/reports/types/movements.ts'] },
  'ReportRepository.due': {
    why: 'the worker makes the reports of all accounts, by turns',
    from: ['services/reports/report-worker.ts', 'services/reports/report-series.ts'],
  },
  'ReportRepository.over': { why: EXPIRED, from: ['services/reports/report-service.ts'] },
  'ReportRepository.deleteClosed': { why: EXPIRED, from: ['services/reports/report-service.ts'] },
  'ReplayRepository.deleteClosed': { why: EXPIRED, from: ['services/policies/replay/replay-service.ts'] },
  'ApprovalRepository.due': {
    why: 'what nobody approved in time ends in every account',
    from: ['services/approvals/approval-worker.ts'],
  },
  'ApprovalRepository.toDo': {
    why: 'what was approved is carried out in every account',
    from: ['services/approvals/approval-worker.ts'],
  },
  'ProposalRepository.time': { why: SERVICE_FACTS, from: ['services/governance/dao-time.ts'] },
  'ProposalRepository.dueAccounts': {
    why: 'voting and windows of execution end in every account',
    from: ['services/governance/ends.ts'],
  },
  'ApprovalRepository.eraseResults': { why: EXPIRED, from: ['services/approvals/held-requests.ts'] },
  'MetricsRepository.*': {
    why: 'counts for metrics, of every account together',
    from: [
      'services/contracts/contract-metrics.ts',
      'services/policies/replay/replay-series.ts',
      'app.ts',
      'app/open-services.ts',
    ],
  },
  'ContractRepository.byFundingTxid': { why: CHAIN, from: ['services/contracts/tracking/', 'services/ledger/'] },
  'ContractRepository.byFundingTxids': {
    why: 'a transaction of the chain concerns whoever it concerns; the name of held coins must be the txid of nobody here',
    from: ['services/contracts/tracking/', 'services/contracts/remote/temporary-ids.ts', 'services/ledger/'],
  },
  'ContractRepository.byClosingTxid': { why: CHAIN, from: ['services/contracts/tracking/', 'services/ledger/'] },
  'WalletSumRepository.walletsAfter': {
    why: 'one worker checks the wallets of every account',
    from: ['services/ledger/check-sums.ts'],
  },
  'WalletSumRepository.check': {
    why: 'one worker checks the wallets of every account',
    from: ['services/ledger/check-sums.ts'],
  },
  'LedgerRepository.tip': { why: CHAIN, from: ['chain/follower/', 'services/'] },
  'LedgerRepository.holdTip': {
    why: CHAIN,
    from: ['services/addresses/', 'services/ledger/', 'services/wallets/scan/'],
  },
  'FeeObservationRepository.*': {
    why: 'what feerates blocks took is the same for everybody',
    from: ['services/analytics/fee-predictions.ts'],
  },
  'LedgerRepository.blockAt': {
    why: CHAIN,
    from: [
      'services/addresses/',
      'services/compliance/chain-witness.ts',
      'services/reports/types/movements.ts',
      'services/wallets/export-wallet.ts',
      'services/wallets/scan/',
    ],
  },
  'ScreeningListRepository.toSweep': {
    why: 'one worker compares the earlier deposits of every account',
    from: ['services/screening/screened-deposits.ts'],
  },
  'LedgerRepository.scriptsMatching': {
    why: 'whose wallets a transaction pays, on making it and on seeing it',
    from: [
      'services/ledger/',
      'services/policies/gate.ts',
      'services/transactions/drafting/replaceable.ts',
      'services/transactions/sending/',
      'services/transactions/signing/compose-psbt.ts',
    ],
  },
  'LedgerRepository.spendersOf': {
    why: "whose payments a transaction's coins are in; a replacement looks for the caller's among them",
    from: ['services/ledger/', 'services/transactions/drafting/replaceable.ts', 'services/transactions/sending/'],
  },
  'LedgerRepository.coinsOf': {
    why: "a transaction's coins; cpfp looks for the caller's among them",
    from: [
      'services/ledger/',
      'services/contracts/tracking/',
      'services/transactions/cpfp-transaction.ts',
      'services/transactions/sending/',
    ],
  },
  'LedgerRepository.updateCoinsOf': {
    why: CHAIN,
    from: ['services/ledger/', 'services/contracts/contract-transactions.ts', 'services/transactions/sending/'],
  },
  'LedgerRepository.*': {
    why: CHAIN,
    from: ['chain/follower/', 'services/ledger/', 'services/transactions/sending/', 'services/wallets/scan/'],
  },
  'EventRepository.*': {
    why: 'numbers all events in one sequence; the fan-out gives each account its own',
    from: [
      'events/',
      'services/ledger/',
      'services/contracts/tracking/',
      'services/credentials/tell-expiring.ts',
      'services/mobile/',
      'services/notifications/rules/',
      'services/webhooks/',
    ],
  },
  'IdempotencyRepository.deleteExpired': { why: EXPIRED, from: ['services/requests/'] },
  'SignatureNonceRepository.deleteExpired': { why: EXPIRED, from: ['services/requests/'] },
  'SpendSumRepository.deleteBefore': { why: EXPIRED, from: ['services/policies/'] },
  'RequestCredentialRepository.allForUpdate': {
    why: 'what a process counted is written at once, of the accounts whose credentials asked',
    from: ['services/usage/'],
  },
  'RequestCredentialRepository.deleteBefore': { why: EXPIRED, from: ['services/metrics/'] },
  'MetricSumRepository.deleteCustom': { why: EXPIRED, from: ['services/metrics/'] },
  'CustomMetricRepository.deleteBefore': { why: EXPIRED, from: ['services/metrics/'] },
  'MetricSumRepository.deleteRequests': { why: EXPIRED, from: ['services/metrics/'] },
  'MetricSumRepository.deleteMinutes': { why: EXPIRED, from: ['services/metrics/'] },
  'UsageRepository.ofDay': { why: 'counters of every credential go on after a start', from: ['app/open-counters.ts'] },
  'UsageRepository.deleteBefore': { why: EXPIRED, from: ['services/usage/'] },
  'UsageRepository.takeOver': {
    why: 'hourly sums of all accounts become daily ones before they expire',
    from: ['services/policies/sweep-spend-sums.ts'],
  },
  'RevokedTokenRepository.deleteExpired': { why: EXPIRED, from: ['services/tokens/'] },
  'SessionRepository.deleteExpiredBefore': { why: EXPIRED, from: ['services/users/'] },
  'EmailConfirmationRepository.find': {
    why: 'an address gets few mails a day, whichever accounts had it',
    from: ['services/users/email-confirmation.ts'],
  },
  'EmailConfirmationRepository.deleteExpired': { why: EXPIRED, from: ['services/users/'] },
  'PasswordResetRepository.deleteExpired': { why: EXPIRED, from: ['services/users/'] },
  'LoginFailureRepository.deleteOlderThan': { why: EXPIRED, from: ['services/users/'] },
  'SsoRepository.deleteExpiredStates': { why: EXPIRED, from: ['services/users/'] },
};
