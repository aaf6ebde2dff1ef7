/** What a group looks like on the wire. */
import { z } from 'zod';
import { MAX_MEMBERS } from '../../../../services/policies/manage-groups.ts';
import { answer, time } from '../../../answer.ts';
import { idField, nameField } from '../../../fields.ts';

export const groupParams = z.strictObject({ group_id: idField('grp') });

const members = (prefix: string) =>
  z
    .array(idField(prefix))
    .max(MAX_MEMBERS, `must have at most ${MAX_MEMBERS} members`)
    .refine((ids) => new Set(ids).size === ids.length, 'must name each once');

export const groupFields = {
  name: nameField,
  user_ids: members('usr'),
  api_key_ids: members('key'),
  oauth_client_ids: members('cli'),
};

const ids = z.array(z.string());

export const group = answer('Group', {
  group_id: z.string(),
  name: z.string(),
  user_ids: ids,
  api_key_ids: ids,
  oauth_client_ids: ids,
  created_at: time,
  updated_at: time,
});

export const groupExample = {
  group_id: 'grp_6pNw2LmQ9vXcT4yHn6PzRa',
  name: 'treasury',
  user_ids: [],
  api_key_ids: [],
  oauth_client_ids: [],
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-01T12:00:00.000Z',
};
