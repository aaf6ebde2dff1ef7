import type { Network } from '../../../../core/network.ts';
import type { AnyOperation } from '../../../../hooks/operation.ts';
import { buildUriOperation } from './build-uri.ts';
import { drawUriOperation } from './draw-uri.ts';
import { parseUriOperation } from './parse-uri.ts';
import { showUriOperation } from './show-uri.ts';

export const uriOperations = (services: { network: Network }): AnyOperation[] => [
  buildUriOperation(services),
  parseUriOperation(services),
  drawUriOperation(services),
  showUriOperation(services),
];
