/** Notifications: queues of each account and channel, what is due, an inbox of each subject, and counts that add up. */
import { expect, it } from 'vitest';
import { NOTIFICATION_STATUSES, notificationStatus } from '../../../src/core/notifications/notification.ts';
import type { NotificationDelivery } from '../../../src/store/repositories/notification-deliveries.ts';
import type { TemplateRecord } from '../../../src/store/repositories/notification-templates.ts';
import type { NotificationId, NotificationRecord } from '../../../src/store/repositories/notifications.ts';
import type { StoreContext } from '../store.ts';

const notification = (id: string, patch: Partial<NotificationRecord> = {}): NotificationRecord => ({
  ...{ notificationId: `ntf_${id}`, accountId: 'acc_one', channel: 'in_app', target: { kind: 'user', id: 'usr_eve' } },
  ...{ makerKind: 'api_key', makerId: 'key_one', externalId: null, templateId: null, subject: 'Hello', body: '*x*' },
  ...{ html: '<p>x</p>', data: { a: [1] }, sendAt: null, waiting: 1, delivered: 0, failed: 0, cancelledAt: null },
  createdAt: 1_700_000_000_000,
  ...patch,
});
const delivery = (id: string, patch: Partial<NotificationDelivery> = {}): NotificationDelivery => ({
  ...{ notificationId: `ntf_${id}`, accountId: 'acc_one', channel: 'in_app', recipient: 'usr_eve', status: 'queued' },
  ...{ attempts: 0, notBefore: null, nextAt: 5, begunAt: null, failingSince: null, code: null, error: null },
  ...{ deliveredAt: null, readAt: null, day: 3, createdAt: 1_700_000_000_000 },
  ...patch,
});
const shown = { status: 'delivered', nextAt: null, deliveredAt: 6 } as const;
const page = { limit: 10, offset: 0 };

export function notificationTests(context: StoreContext): void {
  const insert = (record: NotificationRecord, ...deliveries: NotificationDelivery[]) =>
    context.store.write(async (tx) => {
      await tx.notifications.insert(record);
      await tx.notificationDeliveries.insert(deliveries);
    });

  it('are kept whole, are their account’s alone, and have an external_id once', async () => {
    await insert(notification('a', { externalId: 'x' }), delivery('a'));
    const { notifications, notificationDeliveries } = context.store.read;
    expect(await notifications.find('acc_one', 'ntf_a')).toEqual(notification('a', { externalId: 'x' }));
    expect(await notifications.findByExternalId('acc_one', 'x')).toMatchObject({ notificationId: 'ntf_a' });
    expect(await notifications.findByExternalId('acc_two', 'x')).toBeNull();
    expect(await notifications.among('acc_two', ['ntf_a'])).toEqual([]);
    expect(await notificationDeliveries.find('acc_one', 'ntf_a', 'usr_eve')).toEqual(delivery('a'));
    expect(await notificationDeliveries.find('acc_two', 'ntf_a', 'usr_eve')).toBeNull();
    await expect(insert(notification('b', { externalId: 'x' }))).rejects.toThrow();
    await insert(notification('c', { externalId: 'x', accountId: 'acc_two' }));
    expect((await notifications.list('acc_two', {}, page)).data.map((one) => one.notificationId)).toEqual(['ntf_c']);
  });

  it('are listed by the status that follows from what became of their recipients', async () => {
    const counts = [0, 1].flatMap((waiting) =>
      [0, 1].flatMap((failed) => [0, 1].map((delivered) => ({ waiting, failed, delivered }))),
    );
    const all = counts.flatMap((one) => [null, 7].map((cancelledAt) => ({ ...one, cancelledAt })));
    for (const [at, one] of all.entries()) await insert(notification(`s${at}`, one));
    for (const status of NOTIFICATION_STATUSES) {
      const { data } = await context.store.read.notifications.list('acc_one', { status }, { limit: 50, offset: 0 });
      expect(data.map(notificationStatus)).toEqual(all.map(notificationStatus).filter((one) => one === status));
    }
  });

  it('wait in a queue of each account and channel, whose soonest is known, and are due the longest waiting first', async () => {
    await insert(notification('a'), delivery('a', { nextAt: 50 }), delivery('a', { recipient: 'usr_b', nextAt: 9 }));
    await insert(notification('b'), delivery('b', { channel: 'email', nextAt: 70, notBefore: 70 }));
    await insert(notification('c', { accountId: 'acc_two' }), delivery('c', { accountId: 'acc_two', nextAt: 8 }));
    await insert(notification('d'), delivery('d', { ...shown, channel: 'webhook' }));
    const { notificationDeliveries: read } = context.store.read;
    const found = async (after = '', limit = 10) =>
      (await read.queues(after, limit)).map(({ queue, nextAt }) => [queue, nextAt]);
    const all = [
      ['acc_one email', 70],
      ['acc_one in_app', 9],
      ['acc_two in_app', 8],
    ];
    expect(await found()).toEqual(all);
    expect(await found('', 2)).toEqual(all.slice(0, 2));
    expect(await found('acc_one in_app')).toEqual(all.slice(2));
    const due = async (now: number) =>
      (await read.due({ accountId: 'acc_one', queue: 'acc_one in_app' }, now, 9)).map(({ recipient }) => recipient);
    expect([await due(8), await due(9), await due(50)]).toEqual([[], ['usr_b'], ['usr_b', 'usr_eve']]);
    expect(await read.waiting('acc_one', 'in_app', 9)).toEqual({ waiting: 2, nextAt: 9 });
    expect(await read.waiting('acc_one', 'in_app', 1)).toEqual({ waiting: 1, nextAt: 9 });
    expect(await read.waiting('acc_two', 'email', 9)).toEqual({ waiting: 0, nextAt: null });
    const forward = (channel: string, unanswered: boolean) =>
      context.store.write((tx) =>
        tx.notificationDeliveries.bringForward(
          { accountId: 'acc_one', queue: `acc_one ${channel}` },
          { now: 20, beyond: 20, unanswered },
          9,
        ),
      );
    expect([await forward('email', false), await forward('in_app', true)]).toEqual([0, 0]);
    expect([await forward('in_app', false), await forward('in_app', false)]).toEqual([1, 0]);
    expect(await found()).toEqual([['acc_one email', 70], ...all.slice(1)]);
    expect(await due(20)).toEqual(['usr_b', 'usr_eve']);
  });

  it('to webhooks wait in a queue of each webhook, and are counted together', async () => {
    await insert(
      notification('a'),
      ...['whk_a', 'whk_b'].map((recipient, at) => delivery('a', { channel: 'webhook', recipient, nextAt: 9 - at })),
    );
    const { notificationDeliveries: read } = context.store.read;
    const queues = await read.queues('', 9);
    expect(queues.map(({ queue, channel, nextAt }) => [queue, channel, nextAt])).toEqual([
      ['acc_one webhook whk_a', 'webhook', 9],
      ['acc_one webhook whk_b', 'webhook', 8],
    ]);
    expect((await read.due(queues[1]!, 9, 9)).map(({ recipient }) => recipient)).toEqual(['whk_b']);
    expect(await read.due({ ...queues[1]!, accountId: 'acc_two' }, 9, 9)).toEqual([]);
    expect(await read.waiting('acc_one', 'webhook', 9)).toEqual({ waiting: 2, nextAt: 8 });
  });

  it('are counted, and cancelled where they wait and are not being sent', async () => {
    await insert(
      notification('a', { waiting: 3, delivered: 1 }),
      delivery('a'),
      delivery('a', { recipient: 'usr_b', begunAt: 4 }),
      delivery('a', { recipient: 'usr_c', ...shown }),
    );
    const again = await context.store.write((tx) => tx.notificationDeliveries.insert([delivery('a', { attempts: 9 })]));
    expect(again).toBe(0);
    const key = { accountId: 'acc_one', notificationId: 'ntf_a' } as const;
    const { notifications, notificationDeliveries: read } = context.store.read;
    await context.store.write((tx) => tx.notifications.count(key, { waiting: -1, failed: 1 }));
    expect(await notifications.find('acc_one', 'ntf_a')).toMatchObject({ waiting: 2, delivered: 1, failed: 1 });
    const cancel = (accountId: 'acc_one' | 'acc_two') =>
      context.store.write((tx) => tx.notificationDeliveries.cancel({ ...key, accountId }));
    expect([await cancel('acc_two'), await cancel('acc_one'), await cancel('acc_one')]).toEqual([0, 1, 0]);
    expect((await read.of(key, 9)).map(({ recipient, status }) => [recipient, status])).toEqual([
      ['usr_b', 'queued'],
      ['usr_c', 'delivered'],
      ['usr_eve', 'cancelled'],
    ]);
    expect(await read.recipients(key)).toHaveLength(3);
    expect(await read.byStatus('acc_one', 3)).toContainEqual({ channel: 'in_app', status: 'cancelled', count: 1 });
  });

  it('expire with their deliveries, the oldest first and so many rows at a time, unless something of them waits', async () => {
    const [old, ended] = [{ createdAt: 5 }, { waiting: 0, createdAt: 5 }];
    await insert(notification('waits', old), delivery('waits'));
    await insert(notification('young', { waiting: 0, createdAt: 9 }), delivery('young', shown));
    const recipients = ['usr_a', 'usr_b', 'usr_c'].map((recipient) => delivery('group', { ...shown, recipient }));
    await insert(notification('group', ended), ...recipients);
    await insert(
      notification('theirs', { ...ended, accountId: 'acc_two' }),
      delivery('theirs', { accountId: 'acc_two' }),
    );
    const sweep = () => context.store.write((tx) => tx.notifications.deleteEnded(9, 2));
    const swept: number[] = [];
    do swept.push(await sweep());
    while (swept.at(-1) === 2);
    expect(swept).toEqual([2, 2, 2, 0]);
    const { notifications, notificationDeliveries: read } = context.store.read;
    const left = (await notifications.list('acc_one', {}, page)).data.map((one) => one.notificationId);
    expect([left, await notifications.find('acc_two', 'ntf_theirs')]).toEqual([['ntf_young', 'ntf_waits'], null]);
    expect(await read.recipients({ accountId: 'acc_one', notificationId: 'ntf_group' })).toEqual([]);
    expect(await read.recipients({ accountId: 'acc_one', notificationId: 'ntf_young' })).toHaveLength(1);
  });

  it('are counted by account, channel and day', async () => {
    const day = { accountId: 'acc_one', channel: 'email', day: 3 } as const;
    const { store } = context;
    const lock = () => store.write((tx) => tx.notificationDays.lock(day));
    expect([await store.read.notificationDays.of(day), await lock()]).toEqual([0, 0]);
    for (const by of [5, -1]) await store.write((tx) => tx.notificationDays.add(day, by));
    expect([await lock(), await store.read.notificationDays.of(day)]).toEqual([4, 4]);
    const others = [{ accountId: 'acc_two' }, { channel: 'push' }, { day: 4 }] as const;
    for (const other of others) expect(await store.read.notificationDays.of({ ...day, ...other })).toBe(0);
    const sweep = (before: number) => store.write((tx) => tx.notificationDays.deleteBefore(before));
    expect([await sweep(3), await sweep(4), await lock()]).toEqual([0, 1, 0]);
  });

  it('have templates, each name once in an account', async () => {
    const made = { templateId: 'tpl_a', accountId: 'acc_one', name: 'a', subject: 's', body: '{{x}}' } as const;
    const maker = { makerKind: 'api_key', makerId: 'key_one', makerRole: 'admin', makerScopes: ['*'] } as const;
    const record: TemplateRecord = { ...made, ...maker, placeholders: { x: 'text' }, createdAt: 1, updatedAt: 1 };
    const add = (patch: Partial<TemplateRecord>) =>
      context.store.write((tx) => tx.notificationTemplates.insert({ ...record, ...patch }));
    await add({});
    await add({ templateId: 'tpl_b', accountId: 'acc_two' });
    await expect(add({ templateId: 'tpl_c' })).rejects.toThrow();
    const { notificationTemplates: read } = context.store.read;
    expect(await read.find('acc_one', 'tpl_a')).toEqual(record);
    expect([await read.find('acc_two', 'tpl_a'), await read.count('acc_one')]).toEqual([null, 1]);
    expect((await read.findByName('acc_two', 'a'))?.templateId).toBe('tpl_b');
    expect(await context.store.write((tx) => tx.notificationTemplates.delete('acc_two', 'tpl_a'))).toBe(false);
  });

  it('are shown to whom they are for, newest first, read or not', async () => {
    for (const [at, id] of ['a', 'b', 'c'].entries())
      await insert(notification(id), delivery(id, { ...shown, createdAt: at, readAt: id === 'b' ? 7 : null }));
    await insert(notification('d'), delivery('d'), delivery('d', { ...shown, recipient: 'usr_other' }));
    await insert(notification('e'), delivery('e', { ...shown, channel: 'email' }));
    const { notificationDeliveries: read } = context.store.read;
    const ids = async (isRead?: boolean, recipient = 'usr_eve'): Promise<NotificationId[]> =>
      (await read.inbox('acc_one', recipient, isRead, page)).data.map(({ notificationId }) => notificationId);
    expect(await ids()).toEqual(['ntf_c', 'ntf_b', 'ntf_a']);
    expect([await ids(true), await ids(false)]).toEqual([['ntf_b'], ['ntf_c', 'ntf_a']]);
    expect((await read.inbox('acc_two', 'usr_eve', undefined, page)).total).toBe(0);
    expect([await read.unread('acc_one', 'usr_eve'), await read.unread('acc_two', 'usr_eve')]).toEqual([2, 0]);
  });
}
