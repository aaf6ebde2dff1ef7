import { z } from 'zod';
import type { PublicDocument } from '../../hooks/documents/public-document.ts';
import { operation } from '../../hooks/operation.ts';

export const getAsyncapi = (document: PublicDocument) =>
  operation({
    id: 'asyncapi.get',
    family: 'service',
    method: 'GET',
    path: '/asyncapi.json',
    summary: 'The description of what comes over the WebSocket, AsyncAPI 3.0',
    tag: 'Service',
    effect: 'read',
    access: 'public',
    limitClass: 'none',
    success: {
      status: 200,
      description: 'The document',
      contentType: 'application/json',
      document: true,
      schema: z.looseObject({ asyncapi: z.string() }),
    },
    example: { response: { asyncapi: '3.0.0' } },
    run: async () => document,
    present: (same) => same,
  });
