export const TRANSACTION_STATUSES = [
  'awaiting_approval',
  'awaiting_signature',
  'signed',
  'broadcast',
  'confirmed',
  'replaced',
  'conflicted',
  'abandoned',
  'failed',
] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

export const CONTRACT_STATUSES = [
  'awaiting_approval',
  'offered',
  'accepted',
  'signed',
  'funded',
  'confirmed',
  'executed',
  'refunded',
  'closed',
  'cancelled',
  'failed',
] as const;
export type ContractStatus = (typeof CONTRACT_STATUSES)[number];

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'failed'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** What becomes of a notification in the list of whom it is for. */
export const NOTIFICATION_CHANGES = ['shown', 'read', 'unread', 'cancelled'] as const;
export type NotificationChange = (typeof NOTIFICATION_CHANGES)[number];
