import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Guide } from '../../../services/inference/guide/guide.ts';
import { answer } from '../../answer.ts';
import { namedRequest } from '../../fields.ts';

const source = answer('AnswerSource', {
  title: z.string(),
  url: z.string().meta({ description: 'The page of this service and the place in it' }),
  quote: z.string().meta({ description: 'Markdown, as it stands there; […] where something is left out' }),
});

const call = answer('AnswerCall', {
  operation: z.string(),
  method: z.string(),
  path: z.string(),
  summary: z.string(),
  needs: z.string().meta({ description: 'Scope and role, and whether the request is signed' }),
  command: z.string().meta({ description: 'For a shell: sends the example' }),
});

const guideAnswer = answer('Answer', {
  answer: z.string().meta({ description: 'Markdown: the quotations, the calls, and how the service stands' }),
  found: z.boolean().meta({ description: 'False: it is not in the documentation' }),
  sources: z.array(source.schema).meta({ description: 'The best first' }),
  calls: z.array(call.schema),
});

export const answerQuestion = (guide: Pick<Guide, 'answer'>) =>
  operation({
    id: 'question.answer',
    family: 'c',
    method: 'POST',
    path: '/api/v1/questions',
    summary: 'Ask the documentation a question',
    description:
      'Answered by a search, not by a language model: passages of the guides and operations as they stand, where they are from, and the calls ' +
      'to make. The question is neither kept nor sent elsewhere.',
    tag: 'Questions',
    effect: 'compute',
    access: { scope: 'questions:read', role: 'viewer', own: true },
    // People paste what they ask about.
    secretBody: true,
    takesNul: true,
    body: namedRequest('Question', {
      question: z
        .string()
        .min(1, 'must not be empty')
        .max(2_000, 'must have at most 2,000 characters')
        .meta({ description: 'In English' }),
    }),
    success: { status: 200, answer: guideAnswer, description: 'The answer, also where it is not in the documentation' },
    example: {
      body: { question: 'How do I take back a payment that is not confirmed?' },
      response: {
        answer:
          '[POST /api/v1/transactions/{txid}/cancel](/docs/operations#transaction.cancel):\n\n> Replaces the payment by one to the paying wallet.\n\nNow: Ashlar 0.2.0, network regtest, height 110.',
        found: true,
        sources: [
          {
            title: 'POST /api/v1/transactions/{txid}/cancel',
            url: '/docs/operations#transaction.cancel',
            quote: 'Replaces the payment by one to the paying wallet.',
          },
        ],
        calls: [
          {
            operation: 'transaction.cancel',
            method: 'POST',
            path: '/api/v1/transactions/{txid}/cancel',
            summary: 'Take an unconfirmed payment back',
            needs: 'Needs scope `transactions:write` and role `operator`; the request is signed.',
            command:
              'ashlar request POST /api/v1/transactions/6f2b5b1c1f7e0f6a52c0e5b1c9a3d6d9f1b8f5f0c3a79c5d8f62d0f3ab41c7e2/cancel',
          },
        ],
      },
    },
    run: ({ body: { question } }) => guide.answer(question),
  });
