import { type AddSeries, counted } from '../../metrics/series.ts';

/** What became of calls of models in this process, and of what is kept of them. */
export const ledgerSeries =
  (counts: () => { ended: Iterable<readonly [string, number]>; written: number; unwritten: number }): AddSeries =>
  (registry) => {
    counted(registry, {
      ...{ name: 'ashlar_inference_calls_total', label: 'outcome', values: () => counts().ended },
      help: 'Calls of models by how they ended, as their audit records say it',
    });
    counted(registry, {
      ...{ name: 'ashlar_inference_records_total', label: 'result' },
      help: 'Usage and audit records of calls of models, by whether they were written: a call without stays charged as reserved',
      values: () => {
        const { written, unwritten } = counts();
        return [
          ['written', written],
          ['unwritten', unwritten],
        ];
      },
    });
    return undefined;
  };
