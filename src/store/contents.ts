/** What a database holds: the migrations that make its tables, and the repositories over them. A new table has a line in both lists. */
import { walletsAndPayments } from './migrations/0001-wallets-and-payments.ts';
import { signingKeys } from './migrations/0002-signing-keys.ts';
import { apiKeysAndAccounts } from './migrations/0003-api-keys-and-accounts.ts';
import { oauth } from './migrations/0004-oauth.ts';
import { people } from './migrations/0005-people.ts';
import { audit } from './migrations/0006-audit.ts';
import { taproot } from './migrations/0007-taproot.ts';
import { addressScans } from './migrations/0008-address-scans.ts';
import { contracts } from './migrations/0009-contracts.ts';
import { whatContractsWaitFor } from './migrations/0010-what-contracts-wait-for.ts';
import { figures } from './migrations/0011-figures.ts';
import { rights } from './migrations/0012-rights.ts';
import { whatOraclesProve } from './migrations/0013-what-oracles-prove.ts';
import { whatPaymentsSpend } from './migrations/0014-what-payments-spend.ts';
import { noncesOfPayments } from './migrations/0015-nonces-of-payments.ts';
import { howManyScriptsAreWatched } from './migrations/0016-how-many-scripts-are-watched.ts';
import { whatWalletsHold } from './migrations/0017-what-wallets-hold.ts';
import { coinsByAmount } from './migrations/0018-coins-by-amount.ts';
import { whomCredentialsCountAs } from './migrations/0019-whom-credentials-count-as.ts';
import { policies } from './migrations/0020-policies.ts';
import { whatIsSpent } from './migrations/0021-what-is-spent.ts';
import { addressBook } from './migrations/0022-address-book.ts';
import { connections } from './migrations/0023-connections.ts';
import { usage } from './migrations/0024-usage.ts';
import { approvals } from './migrations/0025-approvals.ts';
import { eventChannels } from './migrations/0026-event-channels.ts';
import { contractsThatWait } from './migrations/0027-contracts-that-wait.ts';
import { heldRequests } from './migrations/0028-held-requests.ts';
import { approvalsWaiting } from './migrations/0029-approvals-waiting.ts';
import { replays } from './migrations/0030-replays.ts';
import { secretResults } from './migrations/0031-secret-results.ts';
import { webhooks } from './migrations/0032-webhooks.ts';
import { whoChangesRules } from './migrations/0033-who-changes-rules.ts';
import { fewerIndexEntries } from './migrations/0034-fewer-index-entries.ts';
import { approvalsByStatus } from './migrations/0035-approvals-by-status.ts';
import { approvalsHeld } from './migrations/0036-approvals-held.ts';
import { notificationPreferences } from './migrations/0037-notification-preferences.ts';
import { notifications } from './migrations/0038-notifications.ts';
import { whatWaits } from './migrations/0039-what-waits.ts';
import { devices } from './migrations/0040-devices.ts';
import { notificationRules } from './migrations/0041-notification-rules.ts';
import { notificationTemplates } from './migrations/0042-notification-templates.ts';
import { noticesByRecipient } from './migrations/0043-notices-by-recipient.ts';
import { whatIsKept } from './migrations/0044-what-is-kept.ts';
import { notificationDays } from './migrations/0045-notification-days.ts';
import { idsOfDeliveries } from './migrations/0046-ids-of-deliveries.ts';
import { metrics } from './migrations/0047-metrics.ts';
import { listsByFilter } from './migrations/0048-lists-by-filter.ts';
import { transactionNotes } from './migrations/0049-transaction-notes.ts';
import { emailConfirmations } from './migrations/0050-email-confirmations.ts';
import { approvalsInTurn } from './migrations/0051-approvals-in-turn.ts';
import { requestMetrics } from './migrations/0052-request-metrics.ts';
import { reports } from './migrations/0053-reports.ts';
import { networks } from './migrations/0054-networks.ts';
import { templateMakers } from './migrations/0055-template-makers.ts';
import { customMetrics } from './migrations/0056-custom-metrics.ts';
import { screeningLists } from './migrations/0057-screening-lists.ts';
import { screenedDeposits } from './migrations/0058-screened-deposits.ts';
import { travelRule } from './migrations/0059-travel-rule.ts';
import { complianceChecks } from './migrations/0060-compliance-checks.ts';
import { balances } from './migrations/0061-balances.ts';
import { recordsBehind } from './migrations/0062-records-behind.ts';
import { feeObservations } from './migrations/0063-fee-observations.ts';
import { governance } from './migrations/0064-governance.ts';
import { proposals } from './migrations/0065-proposals.ts';
import { votes } from './migrations/0066-votes.ts';
import { treasury } from './migrations/0067-treasury.ts';
import { recounts } from './migrations/0068-recounts.ts';
import { requestCredentials } from './migrations/0069-request-credentials.ts';
import { governanceCounters } from './migrations/0070-governance-counters.ts';
import { executions } from './migrations/0071-executions.ts';
import { delegationsThatStand } from './migrations/0072-delegations-that-stand.ts';
import { inferenceLedger } from './migrations/0073-inference-ledger.ts';
import { signedVotes } from './migrations/0074-signed-votes.ts';
import { openExecutions } from './migrations/0075-open-executions.ts';
import type { Migration } from './migrations/dialect.ts';
import type { Session } from './queries/session.ts';
import { accountRepository } from './repositories/accounts.ts';
import { addressBookRepository } from './repositories/address-book.ts';
import { addressHistoryRepository } from './repositories/address-history.ts';
import { addressScanRepository } from './repositories/address-scans.ts';
import { aiBudgetRepository } from './repositories/ai-budgets.ts';
import { aiCallRepository } from './repositories/ai-calls.ts';
import { aiMinuteRepository } from './repositories/ai-minutes.ts';
import { aiUsageRepository } from './repositories/ai-usage.ts';
import { apiKeyRepository } from './repositories/api-keys.ts';
import { approvalVoteRepository } from './repositories/approval-votes.ts';
import { approvalRepository } from './repositories/approvals.ts';
import { attestationRepository } from './repositories/attestations.ts';
import { auditRepository } from './repositories/audit.ts';
import { auditWalkRepository } from './repositories/audit-walks.ts';
import { coinRepository } from './repositories/coins.ts';
import { complianceCheckRepository } from './repositories/compliance-checks.ts';
import { connectionRepository } from './repositories/connections.ts';
import type { ContractMove } from './repositories/contract-rows.ts';
import { contractRepository } from './repositories/contracts.ts';
import { customMetricRepository } from './repositories/custom-metrics.ts';
import { delegationRepository } from './repositories/delegations.ts';
import { deviceRepository } from './repositories/devices.ts';
import { emailConfirmationRepository } from './repositories/email-confirmations.ts';
import { enterpriseConfigRepository } from './repositories/enterprise-config.ts';
import { eventRepository } from './repositories/events.ts';
import { executionRepository } from './repositories/executions.ts';
import { feeObservationRepository } from './repositories/fee-observations.ts';
import { governanceRepository } from './repositories/governance.ts';
import { voteRepository } from './repositories/governance-votes.ts';
import { groupRepository } from './repositories/groups.ts';
import { idempotencyRepository } from './repositories/idempotency.ts';
import { labelRepository } from './repositories/labels.ts';
import { ledgerRepository } from './repositories/ledger.ts';
import { loginFailureRepository } from './repositories/login-failures.ts';
import { metricSumRepository } from './repositories/metric-sums.ts';
import { metricsRepository } from './repositories/metrics.ts';
import { musigSessionRepository } from './repositories/musig-sessions.ts';
import { networkRepository } from './repositories/networks.ts';
import { nodeProbeRepository } from './repositories/node-probes.ts';
import { notificationDayRepository } from './repositories/notification-days.ts';
import { notificationDeliveryRepository } from './repositories/notification-deliveries.ts';
import { notificationPreferenceRepository } from './repositories/notification-preferences.ts';
import { notificationRuleRepository } from './repositories/notification-rules.ts';
import { notificationTemplateRepository } from './repositories/notification-templates.ts';
import { notificationRepository } from './repositories/notifications.ts';
import { oauthClientRepository } from './repositories/oauth-clients.ts';
import { oracleEventRepository } from './repositories/oracle-events.ts';
import { oracleNonceRepository } from './repositories/oracle-nonces.ts';
import { oracleRepository } from './repositories/oracles.ts';
import { passwordResetRepository } from './repositories/password-resets.ts';
import { policyRepository } from './repositories/policies.ts';
import { proposalRepository } from './repositories/proposals.ts';
import { recordsBehindRepository } from './repositories/records-behind.ts';
import { recountRepository } from './repositories/recounts.ts';
import { refreshTokenRepository } from './repositories/refresh-tokens.ts';
import { replayRepository } from './repositories/replays.ts';
import { reportSourceRepository } from './repositories/report-sources.ts';
import { reportRepository } from './repositories/reports.ts';
import { requestCredentialRepository } from './repositories/request-credentials.ts';
import { revokedTokenRepository } from './repositories/revoked-tokens.ts';
import { screenedDepositRepository } from './repositories/screened-deposits.ts';
import { screeningListRepository } from './repositories/screening-lists.ts';
import { scriptRepository } from './repositories/scripts.ts';
import { sessionRepository } from './repositories/sessions.ts';
import { settingsRepository } from './repositories/settings.ts';
import { signatureNonceRepository } from './repositories/signature-nonces.ts';
import { signingKeyRepository } from './repositories/signing-keys.ts';
import { spendHistoryRepository } from './repositories/spend-history.ts';
import { spendSumRepository } from './repositories/spend-sums.ts';
import { ssoRepository } from './repositories/sso.ts';
import { taprootOutputRepository } from './repositories/taproot-outputs.ts';
import { tokenKeyRepository } from './repositories/token-keys.ts';
import { transactionNoteRepository } from './repositories/transaction-notes.ts';
import { transactionRepository } from './repositories/transactions.ts';
import { travelRuleRepository } from './repositories/travel-rule.ts';
import { treasuryRepository } from './repositories/treasuries.ts';
import { usageRepository } from './repositories/usage.ts';
import { userRepository } from './repositories/users.ts';
import { walletSumRepository } from './repositories/wallet-sums.ts';
import { walletRepository } from './repositories/wallets.ts';
import { webhookDeliveryRepository } from './repositories/webhook-deliveries.ts';
import { webhookRepository } from './repositories/webhooks.ts';
import { wrappedKeyRepository } from './repositories/wrapped-keys.ts';

/** In the order in which they are applied: version 1, 2, 3, … */
export const MIGRATIONS: readonly Migration[] = [
  walletsAndPayments,
  signingKeys,
  apiKeysAndAccounts,
  oauth,
  people,
  audit,
  taproot,
  addressScans,
  contracts,
  whatContractsWaitFor,
  figures,
  rights,
  whatOraclesProve,
  whatPaymentsSpend,
  noncesOfPayments,
  howManyScriptsAreWatched,
  whatWalletsHold,
  coinsByAmount,
  whomCredentialsCountAs,
  policies,
  whatIsSpent,
  addressBook,
  connections,
  usage,
  approvals,
  eventChannels,
  contractsThatWait,
  heldRequests,
  approvalsWaiting,
  replays,
  secretResults,
  webhooks,
  whoChangesRules,
  fewerIndexEntries,
  approvalsByStatus,
  approvalsHeld,
  notificationPreferences,
  notifications,
  whatWaits,
  devices,
  notificationRules,
  notificationTemplates,
  noticesByRecipient,
  whatIsKept,
  notificationDays,
  idsOfDeliveries,
  metrics,
  listsByFilter,
  transactionNotes,
  emailConfirmations,
  approvalsInTurn,
  requestMetrics,
  reports,
  networks,
  templateMakers,
  customMetrics,
  screeningLists,
  screenedDeposits,
  travelRule,
  complianceChecks,
  balances,
  recordsBehind,
  feeObservations,
  governance,
  proposals,
  votes,
  treasury,
  recounts,
  requestCredentials,
  governanceCounters,
  executions,
  delegationsThatStand,
  inferenceLedger,
  signedVotes,
  openExecutions,
];

/** Every repository over one session. `clock` gives the time that events are written with. */
export function createRepositories(session: Session, clock: () => number) {
  return {
    settings: settingsRepository(session),
    accounts: accountRepository(session),
    apiKeys: apiKeyRepository(session),
    signingKeys: signingKeyRepository(session),
    signatureNonces: signatureNonceRepository(session),
    wallets: walletRepository(session),
    walletSums: walletSumRepository(session),
    scripts: scriptRepository(session),
    coins: coinRepository(session),
    transactions: transactionRepository(session),
    spendSums: spendSumRepository(session),
    spendHistory: spendHistoryRepository(session),
    ledger: ledgerRepository(session),
    events: eventRepository(session, clock),
    idempotency: idempotencyRepository(session),
    labels: labelRepository(session),
    wrappedKeys: wrappedKeyRepository(session),
    audit: auditRepository(session, clock),
    tokenKeys: tokenKeyRepository(session),
    oauthClients: oauthClientRepository(session),
    revokedTokens: revokedTokenRepository(session),
    users: userRepository(session),
    sessions: sessionRepository(session),
    refreshTokens: refreshTokenRepository(session),
    passwordResets: passwordResetRepository(session),
    emailConfirmations: emailConfirmationRepository(session),
    loginFailures: loginFailureRepository(session),
    sso: ssoRepository(session),
    addressScans: addressScanRepository(session),
    addressHistory: addressHistoryRepository(session),
    taprootOutputs: taprootOutputRepository(session),
    musigSessions: musigSessionRepository(session),
    oracles: oracleRepository(session),
    oracleEvents: oracleEventRepository(session),
    oracleNonces: oracleNonceRepository(session),
    attestations: attestationRepository(session),
    contracts: contractRepository(session),
    /** Nothing is stored: listeners of Store.onContractMoves hear of it where this run of the job commits. */
    contractMoves: { note: (move: ContractMove): void => session.note(move) },
    policies: policyRepository(session),
    replays: replayRepository(session),
    reports: reportRepository(session),
    reportSources: reportSourceRepository(session),
    screeningLists: screeningListRepository(session),
    screenedDeposits: screenedDepositRepository(session),
    groups: groupRepository(session),
    enterpriseConfig: enterpriseConfigRepository(session),
    addressBook: addressBookRepository(session),
    connections: connectionRepository(session),
    usage: usageRepository(session),
    aiBudgets: aiBudgetRepository(session),
    aiCalls: aiCallRepository(session),
    aiMinutes: aiMinuteRepository(session),
    aiUsage: aiUsageRepository(session),
    approvals: approvalRepository(session),
    approvalVotes: approvalVoteRepository(session),
    webhooks: webhookRepository(session),
    webhookDeliveries: webhookDeliveryRepository(session),
    notificationPreferences: notificationPreferenceRepository(session),
    notificationTemplates: notificationTemplateRepository(session),
    notifications: notificationRepository(session),
    notificationRules: notificationRuleRepository(session),
    notificationDays: notificationDayRepository(session),
    notificationDeliveries: notificationDeliveryRepository(session),
    devices: deviceRepository(session),
    transactionNotes: transactionNoteRepository(session),
    networks: networkRepository(session),
    nodeProbes: nodeProbeRepository(session),
    metrics: metricsRepository(session),
    metricSums: metricSumRepository(session),
    recordsBehind: recordsBehindRepository(session),
    recounts: recountRepository(session),
    customMetrics: customMetricRepository(session),
    requestCredentials: requestCredentialRepository(session),
    feeObservations: feeObservationRepository(session),
    travelRule: travelRuleRepository(session),
    auditWalks: auditWalkRepository(session),
    complianceChecks: complianceCheckRepository(session),
    governance: governanceRepository(session),
    delegations: delegationRepository(session),
    votes: voteRepository(session),
    treasuries: treasuryRepository(session),
    proposals: proposalRepository(session, clock),
    executions: executionRepository(session),
  };
}

export type Repositories = ReturnType<typeof createRepositories>;
