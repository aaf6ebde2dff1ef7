import type { Channel } from './channel.ts';

/** It has arrived when its delivery is written: the list shows it from there. */
export const inApp: Channel = {
  name: 'in_app',
  configured: () => true,
  needs: '',
  deliver: async () => ({ delivered: true, code: null }),
};
