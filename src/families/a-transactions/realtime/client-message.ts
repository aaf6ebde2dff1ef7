import { z } from 'zod';
import { SOCKET_CHANNELS } from '../../../core/events/channels.ts';
import { clientMessages, createParser, oneOf } from '../../sockets/client-message.ts';

const channel = z.enum(SOCKET_CHANNELS, { error: ({ input }) => oneOf(SOCKET_CHANNELS, input) });

export const CLIENT_MESSAGES = {
  auth: z
    .strictObject({
      type: z.literal('auth'),
      api_key: z.string('must be an API key').optional(),
      access_token: z.string('must be an access token').optional(),
    })
    .meta({ oneOf: [{ required: ['api_key'] }, { required: ['access_token'] }] })
    .transform(({ api_key: apiKey, access_token: accessToken }, context) => {
      if (apiKey !== undefined && accessToken === undefined) return { type: 'auth', credential: { apiKey } } as const;
      if (apiKey === undefined && accessToken !== undefined) {
        return { type: 'auth', credential: { accessToken } } as const;
      }
      context.issues.push({
        code: 'custom',
        message: 'or access_token is needed, not both',
        input: apiKey,
        path: ['api_key'],
      });
      return z.NEVER;
    }),
  ...clientMessages({ channel }),
};

/** What a client authenticates with. */
export type PresentedCredential = { readonly apiKey: string } | { readonly accessToken: string };

/** Parses one text frame of /v1/ws. Throws SocketError `invalid_request` that says what is wrong. */
export const parseClientMessage = createParser(CLIENT_MESSAGES);
