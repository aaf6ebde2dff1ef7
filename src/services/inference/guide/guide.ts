/** Answers questions from the service's documentation. What it searches is made when the first question comes: a start does not wait for it. */
import { composeAnswer } from '../../../core/inference/guide/compose.ts';
import type { DocumentedCall, GuideAnswer, Section } from '../../../core/inference/guide/documented.ts';
import { createSearch, type Search } from '../../../core/inference/guide/search.ts';
import { createYielder } from '../../../scheduling/yielder.ts';
import type { ReadinessService } from '../../readiness.ts';

export interface Guide {
  /** Tells it the operations: they are declared after the services that they call. */
  declare(calls: () => readonly DocumentedCall[]): void;
  /** `earlier`: what was asked before, which only helps to choose. */
  answer(question: string, earlier?: string): Promise<GuideAnswer>;
}

export function createGuide(deps: {
  /** Made beside the serving thread. */
  readonly sections: () => Promise<readonly Section[]>;
  readonly readiness: Pick<ReadinessService, 'check'>;
  readonly version: string;
}): Guide {
  let calls: () => readonly DocumentedCall[] = () => [];
  let making: Promise<Made> | null = null;

  async function make(): Promise<Made> {
    const sections = await deps.sections();
    const search = createSearch();
    const yielded = createYielder();
    for (const documented of [...sections.map((section) => ({ section })), ...calls().map((call) => ({ call }))]) {
      search.add(documented);
      await yielded();
    }
    return { search, covers: coveredBy(sections) };
  }

  /** What a stranger may read of the service, too (`/livez`, `/readyz`). */
  async function now(): Promise<string> {
    const { network, height, problem } = (await deps.readiness.check('reads')).chain;
    const chain = height === null ? `${problem ?? 'its height is not known yet'}` : `height ${height}`;
    return `Now: Ashlar ${deps.version}, network ${network}, ${chain}.`;
  }

  return {
    declare(declared) {
      calls = declared;
    },
    async answer(question, earlier = '') {
      making ??= make().catch((error: unknown) => {
        making = null;
        throw error;
      });
      const [{ search, covers }, at] = await Promise.all([making, now()]);
      return composeAnswer(question, earlier, search, { now: at, covers });
    },
  };
}

interface Made {
  readonly search: Search;
  readonly covers: string;
}

function coveredBy(sections: readonly Section[]): string {
  const titles = new Map(sections.map(({ page, title }) => [page, title]));
  const pages = [...titles].map(([page, title]) => `[${title}](/docs/${page})`);
  return `It covers ${[...pages, '[every operation](/docs/operations)'].join(', ')}.`;
}
