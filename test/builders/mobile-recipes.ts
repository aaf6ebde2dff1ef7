/** Devices for the tests of every operation: each of a person's other login, which may end with it. */
import type { Json } from './app.ts';
import { NOBODY } from './operation-calls.ts';
import type { Recipe } from './operation-recipes.ts';

const ofDevice =
  (body?: Json): Recipe =>
  async (world) => {
    const { caller, username, password } = await world.callers.person();
    const { access_token: token } = await world.make(
      'POST',
      '/api/v1/auth/login',
      { username, password },
      { by: NOBODY },
    );
    const by = { form: 'user_token', token, signer: null } as const;
    const device_id = 'other-phone';
    await world.make('POST', '/api/v1/mobile/sync', { device_id }, { by });
    return { params: { device_id }, caller, ...(body === undefined ? {} : { body }) };
  };

export const MOBILE_RECIPES: Readonly<Record<string, Recipe>> = {
  'device.get': ofDevice(),
  'device.update': ofDevice({ name: 'Renamed' }),
  'device.delete': ofDevice(),
};
