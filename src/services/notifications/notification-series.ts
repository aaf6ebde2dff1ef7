import type { NotificationChannel } from '../../core/notifications/notification.ts';
import { type AddSeries, counted, gauge } from '../../metrics/series.ts';

interface Attempts {
  readonly channel: NotificationChannel;
  readonly delivered: number;
  readonly failed: number;
}

export const notificationSeries =
  (sources: {
    attempts(): readonly Attempts[];
    lagMs(): number;
    rulesLagMs(): number;
    mailFails(): boolean;
  }): AddSeries =>
  (registry) => {
    gauge(registry, {
      name: 'ashlar_notifications_lag_seconds',
      help: 'For how long the notification has waited that waits longest beyond its time, in the process that sends',
      value: () => sources.lagMs() / 1000,
    });
    gauge(registry, {
      name: 'ashlar_notification_rules_lag_seconds',
      help: 'Age of the oldest event that waits for notification rules or security notices, in the process that tells of them',
      value: () => sources.rulesLagMs() / 1000,
    });
    gauge(registry, {
      name: 'ashlar_mail_failing',
      help: '1 while the mail server takes no mail of this process',
      value: () => Number(sources.mailFails()),
    });
    for (const result of ['delivered', 'failed'] as const)
      counted(registry, {
        name: `ashlar_notifications_${result}_total`,
        help: `Attempts of this process to send a notification that ${result === 'failed' ? 'failed' : 'succeeded'}, by channel`,
        label: 'channel',
        values: () => sources.attempts().map((one) => [one.channel, one[result]] as const),
      });
    return undefined;
  };
