import { operation } from '../../../hooks/operation.ts';
import type { PreferencesService } from '../../../services/notifications/preferences.ts';
import { preferences, preferencesExample, preferencesTag } from './preferences-answer.ts';

export const getMobilePreferences = (service: PreferencesService) =>
  operation({
    id: 'mobile-preferences.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/mobile/preferences',
    summary: 'How you want to be notified, and the key that browsers subscribe to push messages with',
    tag: 'Mobile',
    effect: 'read',
    access: { scope: 'mobile:read', role: 'viewer', own: true },
    success: { status: 200, answer: preferences, etag: preferencesTag, description: 'Your preferences' },
    example: { response: preferencesExample },
    run: (_, context) => service.get(context),
  });
