import type { SecurityNotice } from './channels.ts';

/** The security notice that each operation causes, whoever performs it. */
export const NOTICE_OF_OPERATION: Readonly<Record<string, SecurityNotice>> = {
  'auth.login': 'sign_in',
  'sso.finish': 'sign_in',
  'api-key.create': 'key_created',
  'api-key.rotate': 'key_created',
  'oauth-client.create': 'key_created',
  'oauth-client.rotate': 'key_created',
  'signing-key.create': 'key_created',
  'api-key.revoke': 'key_revoked',
  'oauth-client.revoke': 'key_revoked',
  'signing-key.revoke': 'key_revoked',
  'policy.create': 'policy_changed',
  'policy.update': 'policy_changed',
  'policy.delete': 'policy_changed',
  'group.create': 'policy_changed',
  'group.update': 'policy_changed',
  'group.delete': 'policy_changed',
  'enterprise-config.replace': 'policy_changed',
  'screening-list.create': 'policy_changed',
  'screening-list.replace': 'policy_changed',
  'screening-list.delete': 'policy_changed',
  'user.create': 'user_changed',
  'user.update': 'user_changed',
  'user.delete': 'user_changed',
  'user-resource.create': 'user_changed',
  'user-resource.update': 'user_changed',
  'user-resource.delete': 'user_changed',
  'user-password.reset': 'user_changed',
  'user-totp.remove': 'user_changed',
  'auth-totp.confirm': 'user_changed',
  'auth-totp.remove': 'user_changed',
  'mobile.sync': 'device_added',
  'device.delete': 'device_revoked',
};

export const securityNoticeOf = (operation: string): SecurityNotice | null => NOTICE_OF_OPERATION[operation] ?? null;
