import type { Section } from '../core/inference/guide/documented.ts';
import type { MakePages } from '../families/service/documentation/pages.ts';
import { createGuide, type Guide } from '../services/inference/guide/guide.ts';
import type { ReadinessService } from '../services/readiness.ts';
import { packageFacts } from './package-facts.ts';

/** Answers from the documentation, of which a worker thread makes sections. */
export const openGuide = (makePages: MakePages, readiness: Pick<ReadinessService, 'check'>): Guide =>
  createGuide({
    version: packageFacts().version,
    readiness,
    async sections() {
      const { sections } = await makePages('sections');
      return JSON.parse(new TextDecoder().decode(sections)) as readonly Section[];
    },
  });
