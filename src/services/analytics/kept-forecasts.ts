import { hash } from 'node:crypto';
import type { AccountId } from '../../core/ids.ts';
import { createLru, type Lru } from '../../core/lru.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { ForecastParams, forecastJobs } from '../../engines/forecasting/forecast-job.ts';

/** Each account's own, so that none displaces another's: every metric with every horizon. A forecast takes up to 12 KB. */
const MOST = { accounts: 100, ofAccount: 40 };

/**
 * Forecasts, kept for as long as the history that they are made of is the same: a dashboard asks again and again, and each costs a worker up
 * to a second. A reorganization or a late record changes the history, and with it the forecast.
 */
export function createForecasts(computing: Computing<typeof forecastJobs>) {
  type Made = { readonly forecast: ReturnType<(typeof forecastJobs)['analytics.forecast']> };
  const kept = createLru<AccountId, Lru<string, Made>>(MOST.accounts);

  return async (
    given: ForecastParams,
    context: { readonly accountId: AccountId; readonly signal?: AbortSignal | undefined },
  ): Promise<Made['forecast']> => {
    const { accountId } = context;
    const own = kept.get(accountId) ?? kept.set(accountId, createLru(MOST.ofAccount));
    const key = hash('sha256', JSON.stringify(given));
    const known = own.get(key);
    if (known !== undefined) return known.forecast;
    const forecast = await computing.run('analytics.forecast', given, context);
    return own.set(key, { forecast }).forecast;
  };
}
