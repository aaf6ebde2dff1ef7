const HISTORY = { metric: 'volume_out', unit: 'btc', interval: 'hour', timezone: 'UTC' };
const START = '2026-11-24T00:00:00.000Z';
const END = '2026-11-24T01:00:00.000Z';

export const trendExample = {
  ...HISTORY,
  range: '7d',
  trend: { slope: '0.00012000', low: '0.00004000', high: '0.00021000', p_value: 0.004, tau: 0.21, direction: 'up' },
  change: { current: '4.20000000', previous: '4.00000000', absolute: '0.20000000', relative: 0.05 },
  seasonality: { period: 24, strength: 0.61 },
  moving_average_over: 24,
  ...{ records_of: 'transactions', records_withheld: null },
  anomalies: [
    {
      ...{ start: START, end: END, value: '1.90000000', expected: '0.02000000', score: 9.4, records_complete: true },
      records: ['4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'],
    },
  ],
  data: [{ start: START, value: '1.90000000', moving_average: '0.12000000' }],
};

export const predictionExample = {
  ...HISTORY,
  horizon: '24h',
  history: 192,
  model: 'seasonal_ets',
  backtest: {
    ...{ origins: 16, error: '0.01100000', naive_error: '0.03100000' },
    errors: { naive: '0.03100000', seasonal_ets: '0.01100000' },
    coverage: [{ level: 80, share: 0.76 }],
  },
  data: [
    {
      ...{ start: START, point: '0.02500000' },
      intervals: [{ level: 80, low: '0.01200000', high: '0.03900000' }],
    },
  ],
};
