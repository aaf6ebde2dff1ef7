import type { Network } from '../../core/network.ts';
import { familyPlugin } from '../../hooks/family.ts';
import type { AddressBook } from '../../services/address-book/address-book.ts';
import type { Analytics } from '../../services/analytics/analytics.ts';
import type { FeePredictions } from '../../services/analytics/fee-predictions.ts';
import type { ApprovalService } from '../../services/approvals/approval-service.ts';
import type { AuditServices } from '../../services/audit/index.ts';
import type { BlockchainStatusService } from '../../services/blockchain/blockchain-status.ts';
import type { ChainServices } from '../../services/blockchain/index.ts';
import type { ComplianceStatus } from '../../services/compliance/compliance-status.ts';
import type { ConnectionService } from '../../services/connections/connection-service.ts';
import { createAccountManagement } from '../../services/credentials/manage-accounts.ts';
import { createApiKeyManagement } from '../../services/credentials/manage-api-keys.ts';
import type { OAuthClientManagement } from '../../services/credentials/manage-oauth-clients.ts';
import type { SigningKeyManagement } from '../../services/credentials/manage-signing-keys.ts';
import type { GetEnterpriseStatus } from '../../services/enterprise-status.ts';
import type { ChooseFeeRate } from '../../services/fees/choose-fee-rate.ts';
import type { Guide } from '../../services/inference/guide/guide.ts';
import { createAiBudgets } from '../../services/inference/manage-budgets.ts';
import type { Metrics } from '../../services/metrics/metrics.ts';
import type { Mobile } from '../../services/mobile/index.ts';
import type { NotificationService } from '../../services/notifications/notification-service.ts';
import type { PreferencesService } from '../../services/notifications/preferences.ts';
import type { RuleService } from '../../services/notifications/rules/rule-service.ts';
import type { TemplateService } from '../../services/notifications/template-service.ts';
import type { RulesDeps } from '../../services/policies/change-rules.ts';
import { createEvaluatePolicies } from '../../services/policies/evaluate-policies.ts';
import { createConfigManagement } from '../../services/policies/manage-config.ts';
import { createGroupManagement } from '../../services/policies/manage-groups.ts';
import { createPolicyManagement } from '../../services/policies/manage-policies.ts';
import type { Replays } from '../../services/policies/replay/replay-service.ts';
import type { Reports } from '../../services/reports/report-service.ts';
import type { IdempotencyService } from '../../services/requests/idempotency.ts';
import { createScreenedDeposits } from '../../services/screening/screened-deposits.ts';
import { createScreeningLists } from '../../services/screening/screening-lists.ts';
import type { TravelRules } from '../../services/travel-rule/travel-rules.ts';
import type { Usage } from '../../services/usage/usage.ts';
import type { UserServices } from '../../services/users/index.ts';
import type { WebhookKeys } from '../../services/webhooks/webhook-keys.ts';
import type { WebhookService } from '../../services/webhooks/webhook-service.ts';
import { orWaiting } from '../approvals/or-waiting.ts';
import { createAccount } from './accounts/create-account.ts';
import { freezeAccount } from './accounts/freeze-account.ts';
import { getAccount } from './accounts/get-account.ts';
import { listAccount } from './accounts/list-account.ts';
import { unfreezeAccount } from './accounts/unfreeze-account.ts';
import { getAccountAiBudget } from './ai/get-account-ai-budget.ts';
import { getAiBudget } from './ai/get-ai-budget.ts';
import { listAiUsage } from './ai/list-ai-usage.ts';
import { replaceAccountAiBudget } from './ai/replace-account-ai-budget.ts';
import { replaceAiBudget } from './ai/replace-ai-budget.ts';
import { getPrediction } from './analytics/get-prediction.ts';
import { getTrend } from './analytics/get-trend.ts';
import { createApiKey } from './api-keys/create-api-key.ts';
import { getApiKey } from './api-keys/get-api-key.ts';
import { listApiKey } from './api-keys/list-api-key.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { rotateApiKey } from './api-keys/rotate-api-key.ts';
import { confirmAuthEmail } from './auth/confirm-auth-email.ts';
import { confirmAuthTotp } from './auth/confirm-auth-totp.ts';
import { endAuthSession } from './auth/end-auth-session.ts';
import { finishSso } from './auth/finish-sso.ts';
import { getAuthPerson } from './auth/get-auth-person.ts';
import { listAuthSession } from './auth/list-auth-session.ts';
import { loginAuth } from './auth/login-auth.ts';
import { logoutAuth } from './auth/logout-auth.ts';
import { refreshAuth } from './auth/refresh-auth.ts';
import { removeAuthTotp } from './auth/remove-auth-totp.ts';
import type { Sso } from './auth/sso.ts';
import { startAuthEmail } from './auth/start-auth-email.ts';
import { startAuthTotp } from './auth/start-auth-totp.ts';
import { startSso } from './auth/start-sso.ts';
import { getBlockchainBlock } from './blockchain/get-blockchain-block.ts';
import { getBlockchainStatus } from './blockchain/get-blockchain-status.ts';
import { getBlockchainTransaction } from './blockchain/get-blockchain-transaction.ts';
import { submitBlockchainTransaction } from './blockchain/submit-blockchain-transaction.ts';
import { anchorAudit } from './compliance/anchor-audit.ts';
import { exportAudit } from './compliance/export-audit.ts';
import { getAudit } from './compliance/get-audit.ts';
import { getAuditCheckpoint } from './compliance/get-audit-checkpoint.ts';
import { listAudit } from './compliance/list-audit.ts';
import { listAuditAnchor } from './compliance/list-audit-anchor.ts';
import { proveAudit } from './compliance/prove-audit.ts';
import { statusCompliance } from './compliance/status-compliance.ts';
import { createAddressBookEntry } from './enterprise/address-book/create-address-book-entry.ts';
import { deleteAddressBookEntry } from './enterprise/address-book/delete-address-book-entry.ts';
import { exportAddressBookEntry } from './enterprise/address-book/export-address-book-entry.ts';
import { getAddressBookEntry } from './enterprise/address-book/get-address-book-entry.ts';
import { importAddressBookEntry } from './enterprise/address-book/import-address-book-entry.ts';
import { listAddressBookEntry } from './enterprise/address-book/list-address-book-entry.ts';
import { updateAddressBookEntry } from './enterprise/address-book/update-address-book-entry.ts';
import { approveApproval } from './enterprise/approvals/approve-approval.ts';
import { exportApproval } from './enterprise/approvals/export-approval.ts';
import { getApproval } from './enterprise/approvals/get-approval.ts';
import { listApproval } from './enterprise/approvals/list-approval.ts';
import { rejectApproval } from './enterprise/approvals/reject-approval.ts';
import { getEnterpriseConfig } from './enterprise/config/get-enterprise-config.ts';
import { replaceEnterpriseConfig } from './enterprise/config/replace-enterprise-config.ts';
import { connectionOperations } from './enterprise/connections/index.ts';
import { createGroup } from './enterprise/groups/create-group.ts';
import { deleteGroup } from './enterprise/groups/delete-group.ts';
import { getGroup } from './enterprise/groups/get-group.ts';
import { listGroup } from './enterprise/groups/list-group.ts';
import { updateGroup } from './enterprise/groups/update-group.ts';
import { listEnterprise } from './enterprise/list-enterprise.ts';
import { createPolicy } from './enterprise/policies/create-policy.ts';
import { deletePolicy } from './enterprise/policies/delete-policy.ts';
import { evaluatePolicy } from './enterprise/policies/evaluate-policy.ts';
import { getPolicy } from './enterprise/policies/get-policy.ts';
import { listPolicy } from './enterprise/policies/list-policy.ts';
import { updatePolicy } from './enterprise/policies/update-policy.ts';
import { replayOperations } from './enterprise/replays/index.ts';
import { statusEnterprise } from './enterprise/status-enterprise.ts';
import { listUsage } from './enterprise/usage/list-usage.ts';
import { getIdempotency } from './idempotency/get-idempotency.ts';
import { createMetricPoint } from './metrics/create-metric-point.ts';
import { listMetric } from './metrics/list-metric.ts';
import { readMetric } from './metrics/read-metric.ts';
import { summarizeMetric } from './metrics/summarize-metric.ts';
import { getMobilePreferences } from './mobile/get-mobile-preferences.ts';
import { mobileOperations } from './mobile/index.ts';
import { replaceMobilePreferences } from './mobile/replace-mobile-preferences.ts';
import { notificationOperations } from './notifications/index.ts';
import { notificationRuleOperations } from './notifications/rules/index.ts';
import { createOAuthClient } from './oauth-clients/create-oauth-client.ts';
import { getOAuthClient } from './oauth-clients/get-oauth-client.ts';
import { listOAuthClient } from './oauth-clients/list-oauth-client.ts';
import { revokeOAuthClient } from './oauth-clients/revoke-oauth-client.ts';
import { rotateOAuthClient } from './oauth-clients/rotate-oauth-client.ts';
import { answerQuestion } from './questions/answer-question.ts';
import { reportOperations } from './reports/index.ts';
import { createScreeningList } from './screening/create-screening-list.ts';
import { deleteScreeningList } from './screening/delete-screening-list.ts';
import { getScreeningList } from './screening/get-screening-list.ts';
import { listScreenedDeposit } from './screening/list-screened-deposit.ts';
import { listScreeningList } from './screening/list-screening-list.ts';
import { releaseScreenedDeposit } from './screening/release-screened-deposit.ts';
import { replaceScreeningList } from './screening/replace-screening-list.ts';
import { createSigningKey } from './signing-keys/create-signing-key.ts';
import { getSigningKey } from './signing-keys/get-signing-key.ts';
import { listSigningKey } from './signing-keys/list-signing-key.ts';
import { revokeSigningKey } from './signing-keys/revoke-signing-key.ts';
import { getTravelRule } from './travel-rule/get-travel-rule.ts';
import { replaceTravelRule } from './travel-rule/replace-travel-rule.ts';
import { createUser } from './users/create-user.ts';
import { deleteUser } from './users/delete-user.ts';
import { endUserSession } from './users/end-user-session.ts';
import { getUser } from './users/get-user.ts';
import { listUser } from './users/list-user.ts';
import { listUserSession } from './users/list-user-session.ts';
import { removeUserTotp } from './users/remove-user-totp.ts';
import { resetUserPassword } from './users/reset-user-password.ts';
import { updateUser } from './users/update-user.ts';
import { webhookOperations } from './webhooks/index.ts';

type Services = Parameters<typeof createAccountManagement>[0] &
  Parameters<typeof createAiBudgets>[0] &
  Parameters<typeof createApiKeyManagement>[0] &
  RulesDeps &
  Parameters<typeof createScreeningLists>[0] &
  Parameters<typeof createEvaluatePolicies>[0] & {
    signingKeyManagement: SigningKeyManagement;
    oauthClients: OAuthClientManagement;
    userServices: UserServices;
    /** null where no provider is configured. */
    sso: Sso | null;
    blockchain: BlockchainStatusService;
    chainData: ChainServices;
    network: Network;
    idempotency: IdempotencyService;
    audit: Pick<AuditServices, 'log' | 'anchorHead' | 'anchorProofs'>;
    chooseFeeRate: ChooseFeeRate;
    addressBook: AddressBook;
    connections: ConnectionService;
    usage: Usage;
    complianceStatus: ComplianceStatus;
    enterpriseStatus: GetEnterpriseStatus;
    approvals: ApprovalService;
    replays: Replays;
    reports: Reports;
    travelRules: TravelRules;
    webhooks: WebhookService;
    webhookKeys: WebhookKeys;
    preferences: PreferencesService;
    notifications: NotificationService;
    notificationRules: RuleService;
    notificationTemplates: TemplateService;
    mobile: Mobile;
    metrics: Metrics;
    analytics: Analytics;
    feePredictions: FeePredictions;
    guide: Guide;
  };

/** Family C: accounts, credentials, users, chain status, the audit log. */
export const platform = familyPlugin<Services>({
  name: 'c-platform',
  tags: {
    Accounts: 'Tenants of the service, managed by its operator.',
    'API keys': 'Credentials of programs: scopes, expiry, rotation.',
    'Signing keys': 'Keys that sign requests: [guide](/docs/signing).',
    'OAuth clients': 'Programs that present access tokens instead of an API key.',
    Authentication: 'Log in, refresh and log out, for users.',
    Users: 'People of an account: roles, passwords, second factors, sessions.',
    Blockchain: 'The state of the chain as the service sees it.',
    Idempotency: 'The outcome of a request that was sent with an idempotency key.',
    Connections: 'Log collectors and archives that the audit log is delivered to: [guide](/docs/connections).',
    Policies: 'Rules: who may spend how much, to whom, when, and who must approve: [guide](/docs/policies).',
    Groups: 'Lists of people and credentials that rules refer to.',
    Compliance: 'The audit log, its proofs and exports, reports, and screening lists: [guide](/docs/compliance).',
    'Address book': 'Named addresses that the account pays: [guide](/docs/address-book).',
    Replays: 'Rules evaluated over past payments, before they are in force: [guide](/docs/policies).',
    Usage: 'Requests and payments of each credential by day, what models cost, and what they may.',
    Notifications: 'Messages to people of the account: [guide](/docs/notifications).',
    Webhooks: 'Events that are POSTed to endpoints, signed: [guide](/docs/webhooks).',
    Metrics: 'Figures of the account over time: [guide](/docs/metrics).',
    Analytics: 'Trends and predictions of these figures, and reports: [guide](/docs/analytics).',
    Mobile: 'Sync for devices, and what people want of notifications: [guide](/docs/mobile).',
    Questions: 'The documentation answers: [guide](/docs/ai).',
    Approvals: 'Requests that wait for approval before anything is signed: [guide](/docs/approvals).',
  },
  operations: (services) => {
    const { signingKeyManagement, oauthClients, userServices, sso, blockchain, idempotency, audit, chooseFeeRate } =
      services;
    const { approvals } = services;
    const accountManagement = createAccountManagement(services);
    const apiKeyManagement = createApiKeyManagement(services);
    const policies = createPolicyManagement(services);
    const groups = createGroupManagement(services);
    const evaluatePolicies = createEvaluatePolicies(services);
    const enterpriseConfig = createConfigManagement(services);
    const screeningLists = createScreeningLists(services);
    const screenedDeposits = createScreenedDeposits(services);
    const aiBudgets = createAiBudgets(services);
    return orWaiting([
      createAccount(accountManagement),
      listAccount(accountManagement),
      getAccount(accountManagement),
      freezeAccount(accountManagement),
      unfreezeAccount(accountManagement),
      createApiKey(apiKeyManagement),
      listApiKey(apiKeyManagement),
      getApiKey(apiKeyManagement),
      revokeApiKey(apiKeyManagement),
      rotateApiKey(apiKeyManagement),
      createSigningKey(signingKeyManagement),
      listSigningKey(signingKeyManagement),
      getSigningKey(signingKeyManagement),
      revokeSigningKey(signingKeyManagement),
      createOAuthClient(oauthClients),
      listOAuthClient(oauthClients),
      getOAuthClient(oauthClients),
      revokeOAuthClient(oauthClients),
      rotateOAuthClient(oauthClients),
      loginAuth(userServices.login),
      refreshAuth(userServices.refresh),
      logoutAuth(userServices.refresh),
      getAuthPerson(userServices.users),
      listAuthSession(userServices.sessions),
      endAuthSession(userServices.sessions),
      startAuthTotp(userServices.secondFactors),
      confirmAuthTotp(userServices.secondFactors),
      removeAuthTotp(userServices.secondFactors),
      startAuthEmail(userServices.emailConfirmation),
      confirmAuthEmail(userServices.emailConfirmation),
      startSso(sso),
      finishSso(sso),
      listUser(userServices.users),
      createUser(userServices.users),
      getUser(userServices.users),
      updateUser(userServices.users),
      deleteUser(userServices.users),
      resetUserPassword(userServices.users),
      listUserSession(userServices.sessions),
      endUserSession(userServices.sessions),
      removeUserTotp(userServices.secondFactors),
      getBlockchainStatus(blockchain),
      submitBlockchainTransaction(services.chainData.submission),
      getBlockchainTransaction(services.chainData.transactions, services.network),
      getBlockchainBlock(services.chainData.blocks),
      ...connectionOperations(services.connections, services.webhooks),
      getIdempotency(idempotency),
      listEnterprise(),
      statusEnterprise(services.enterpriseStatus),
      evaluatePolicy(evaluatePolicies),
      ...replayOperations(services.replays),
      ...reportOperations(services.reports),
      getTravelRule(services.travelRules),
      replaceTravelRule(services.travelRules),
      createPolicy(policies),
      listPolicy(policies),
      getPolicy(policies),
      updatePolicy(policies),
      deletePolicy(policies),
      createGroup(groups),
      listGroup(groups),
      getGroup(groups),
      updateGroup(groups),
      deleteGroup(groups),
      getEnterpriseConfig(enterpriseConfig),
      replaceEnterpriseConfig(enterpriseConfig),
      listAudit(audit.log),
      getAuditCheckpoint(audit.log),
      exportAudit(audit.log),
      listAuditAnchor(audit.anchorProofs),
      anchorAudit(audit.anchorHead, chooseFeeRate),
      getAudit(audit.log),
      proveAudit(audit.log),
      statusCompliance(services.complianceStatus),
      createScreeningList(screeningLists),
      listScreeningList(screeningLists),
      getScreeningList(screeningLists),
      replaceScreeningList(screeningLists),
      deleteScreeningList(screeningLists),
      listScreenedDeposit(screenedDeposits),
      releaseScreenedDeposit(screenedDeposits),
      createAddressBookEntry(services.addressBook),
      listAddressBookEntry(services.addressBook),
      exportAddressBookEntry(services.addressBook),
      importAddressBookEntry(services.addressBook),
      getAddressBookEntry(services.addressBook),
      updateAddressBookEntry(services.addressBook),
      deleteAddressBookEntry(services.addressBook),
      listUsage(services.usage),
      listAiUsage(aiBudgets),
      getAiBudget(aiBudgets),
      replaceAiBudget(aiBudgets),
      getAccountAiBudget(aiBudgets),
      replaceAccountAiBudget(aiBudgets),
      listApproval(approvals),
      getApproval(approvals),
      approveApproval(approvals),
      rejectApproval(approvals),
      exportApproval(approvals),
      ...webhookOperations(services.webhooks, services.webhookKeys),
      getMobilePreferences(services.preferences),
      replaceMobilePreferences(services.preferences),
      ...notificationRuleOperations(services.notificationRules),
      ...notificationOperations(services.notifications, services.notificationTemplates),
      ...mobileOperations(services.mobile),
      listMetric(services.metrics.custom),
      readMetric(services.metrics),
      summarizeMetric(services.metrics),
      createMetricPoint(services.metrics.custom),
      getTrend(services.analytics),
      getPrediction(services.analytics, services.feePredictions),
      answerQuestion(services.guide),
    ]);
  },
});
