import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { OracleService } from '../../../../services/oracles/oracle-service.ts';
import { oracleEvent } from '../events/event-fields.ts';
import { ANNOUNCEMENT_HEX, eventExample } from '../oracles/oracle-examples.ts';
import { announcementField, CHANGES_ORACLES, eventIdField, oracleField, proofField } from '../oracles/oracle-fields.ts';

export const addAnnouncementOracle = (oracles: OracleService) =>
  operation({
    ...CHANGES_ORACLES,
    id: 'oracle.add-announcement',
    spends: [],
    path: '/api/v1/dlc/announcements',
    summary: 'Take in an announcement that an oracle of somebody else made',
    description:
      'As the TLV, or fetched from the URL of the oracle by `oracle` and `event_id`. Its oracle must be registered, and its signature hold. The ' +
      'same one again answers the same record; another announcement of the same event is refused. A proof that the oracle knows its nonces can come with it, then or later.',
    body: z
      .strictObject({
        announcement: announcementField.optional(),
        proof: proofField.optional(),
        oracle: oracleField.optional(),
        event_id: eventIdField.optional(),
      })
      .superRefine(({ announcement, proof, oracle, event_id }, context) => {
        const issue = (field: string, message: string) =>
          context.addIssue({ code: 'custom', path: [field], message, input: '' });
        if (proof !== undefined && announcement === undefined) issue('proof', 'goes with an announcement');
        if (announcement === undefined) {
          if (oracle === undefined && event_id === undefined)
            issue('announcement', 'is required, or oracle and event_id');
          else if (oracle === undefined) issue('oracle', 'is required with event_id');
          else if (event_id === undefined) issue('event_id', 'is required with oracle');
        } else if (oracle !== undefined || event_id !== undefined) {
          issue('announcement', 'must not stand beside oracle and event_id: it says both');
        }
      }),
    success: { status: 201, answer: oracleEvent, description: 'The event with its announcement' },
    errors: ['invalid_message', 'invalid_signature', 'not_found', 'announcement_missing', 'already_exists'],
    example: { body: { announcement: ANNOUNCEMENT_HEX }, response: eventExample },
    run: async ({ body: { announcement, proof, oracle, event_id } }, context) => {
      if (announcement !== undefined) return oracles.addAnnouncement(announcement, context, proof);
      const { accountId } = context;
      const asked = await oracles.resolve(accountId, oracle!);
      return oracles.fetchAnnouncement(accountId, asked, event_id!, context);
    },
  });
