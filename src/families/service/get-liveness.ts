import { z } from 'zod';
import { operation } from '../../hooks/operation.ts';

export const getLiveness = (version: string) =>
  operation({
    id: 'liveness.get',
    family: 'service',
    method: 'GET',
    path: '/livez',
    summary: 'Whether the process answers',
    description:
      'For supervisors: no answer for a while means that the process should be restarted. It says nothing of database or node.',
    tag: 'Service',
    effect: 'read',
    access: 'public',
    limitClass: 'none',
    success: {
      status: 200,
      description: 'It does',
      schema: z.object({ status: z.literal('alive'), version: z.string() }),
    },
    example: { response: { status: 'alive', version } },
    run: async () => ({ version }),
    present: (service) => ({ status: 'alive', version: service.version }),
  });
