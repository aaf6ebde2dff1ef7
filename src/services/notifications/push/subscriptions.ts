/** Push subscriptions of devices, each encrypted in its device's row: whoever has one may send to it. */
import { DomainError } from '../../../core/errors.ts';
import type { Sending } from '../../../engines/sending/sending.ts';
import type { DeviceKey, DeviceRecord } from '../../../store/repositories/devices.ts';
import type { Repositories } from '../../../store/store.ts';
import { createTextCipher } from '../../secrets/text-cipher.ts';
import type { PushSubscription } from './vapid.ts';

export function createSubscriptions(deps: {
  sending: Pick<Sending, 'urlProblem'>;
  /** Of the service, 32 bytes. */
  subscriptionKey: Uint8Array;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { sending, subscriptionKey, randomBytes } = deps;
  const cipher = createTextCipher(subscriptionKey, randomBytes);
  const binding = ({ accountId, subject, deviceId }: DeviceKey): string => `push ${accountId} ${subject} ${deviceId}`;
  return {
    /** Throws `invalid_value` for an endpoint that is not connected to. */
    async set(
      tx: Pick<Repositories, 'devices'>,
      device: DeviceKey,
      subscription: PushSubscription | null,
    ): Promise<void> {
      const problem = subscription && sending.urlProblem(subscription.endpoint);
      if (problem !== null)
        throw new DomainError('invalid_value', `push_subscription.endpoint ${problem}`, {
          field: 'push_subscription.endpoint',
        });
      await tx.devices.setPush(device, subscription && cipher.encrypt(JSON.stringify(subscription), binding(device)));
    },
    /** null: it has none. */
    of: (device: DeviceRecord): PushSubscription | null =>
      device.pushSubscription === null
        ? null
        : (JSON.parse(cipher.decrypt(device.pushSubscription, binding(device))) as PushSubscription),
  };
}
export type Subscriptions = ReturnType<typeof createSubscriptions>;
