/** The small server that shows metrics, apart from the API's port. */
import { createServer, type Server } from 'node:http';

export interface MetricsServer {
  /** Serves `/metrics`. An error of listening names its `variable`. */
  listen(host: string, port: number): Promise<void>;
  close(): Promise<void>;
}

export function createMetricsServer(shown: { text(): Promise<string>; contentType: string }): MetricsServer {
  let server: Server | null = null;
  return {
    listen(host, port) {
      const listening = createServer((request, response) => {
        if (request.method !== 'GET' || request.url !== '/metrics') {
          response.writeHead(404).end();
          return;
        }
        shown.text().then(
          (body) => response.writeHead(200, { 'content-type': shown.contentType }).end(body),
          () => response.writeHead(500).end(),
        );
      });
      server = listening;
      return new Promise((resolve, reject) => {
        const refused = (error: Error): void => reject(Object.assign(error, { variable: 'METRICS_PORT' }));
        listening.once('error', refused).listen(port, host, () => resolve());
      });
    },
    async close() {
      const open = server;
      server = null;
      if (open === null) return;
      open.closeAllConnections();
      await new Promise((resolve) => open.close(resolve));
    },
  };
}
