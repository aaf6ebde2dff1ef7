/** Live updates over /v1/ws that survive lost connections (docs/browser.md; /asyncapi.json has the messages). */
const PING_EVERY_MS = 30_000;
const MAX_WAIT_MS = 30_000;
const UNAUTHORIZED = 4401;

/**
 * `onUpdate(message)` gets each update of the channels once, those of a channel in order. `onStale(channel)` says to read what the channel
 * tells of by REST: at first, and where updates were missed that are kept no more. `onLive(boolean)` says whether the connection stands,
 * `onError(error)` why it does not.
 */
export function openUpdates({ url, accessToken, channels, onUpdate, onStale, onLive = () => {}, onError = () => {} }) {
  /** The last update heard of each channel, {after, at}: a resume begins behind it. */
  const heard = new Map();
  let attempts = 0;
  let closed = false;
  let refused;
  let drop = () => {};
  let retry;

  async function connect() {
    let token = await accessToken(refused);
    if (closed) return;
    const socket = new WebSocket(url);
    let resumes = heard.size > 0;
    let alive = true;
    const say = (message) => socket.send(JSON.stringify(message));

    const beat = setInterval(async () => {
      // A network that is gone closes nothing.
      if (!alive) return lost();
      alive = false;
      const fresh = await accessToken().catch(() => token);
      if (socket.readyState !== WebSocket.OPEN) return;
      if (fresh !== token) say({ type: 'auth', access_token: fresh });
      token = fresh;
      say({ type: 'ping' });
    }, PING_EVERY_MS);

    drop = () => {
      clearInterval(beat);
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
      onLive(false);
    };
    function lost() {
      drop();
      again();
    }
    function subscribe() {
      for (const channel of channels) say({ type: 'subscribe', channel, times: true, ...heard.get(channel) });
    }

    socket.onopen = () => {
      say({ type: 'auth', access_token: token });
      subscribe();
    };
    socket.onclose = ({ code }) => {
      if (code === UNAUTHORIZED) refused = token;
      lost();
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      const { type, channel, seq, at } = message;
      alive = true;
      if (type === 'subscribed') {
        attempts = 0;
        onLive(true);
        // Of a resume: what was missed follows, with lower numbers. Only a first subscription begins here.
        if (heard.has(channel)) return;
        heard.set(channel, { after: seq, at });
        onStale(channel);
      } else if (type === 'gap' && message.reset) {
        // The service's database was put back from a backup: as if this were the first subscription.
        heard.delete(channel);
      } else if (type === 'gap') {
        heard.set(channel, { after: message.from - 1 });
        onStale(channel);
      } else if (type === 'error' && message.error.code === 'unauthorized') {
        refused = token;
        lost();
      } else if (type === 'error' && message.error.code === 'invalid_request' && resumes) {
        // The same, where nothing was heard since a gap.
        resumes = false;
        heard.clear();
        subscribe();
      } else if (type === 'error') {
        onError(new Error(message.error.message));
      } else if (seq !== undefined) {
        heard.set(channel, { after: seq, at });
        onUpdate(message);
      }
    };
  }

  /** Later each time, and not all pages at once. */
  function again() {
    const wait = Math.min(MAX_WAIT_MS, 500 * 2 ** attempts++) * (0.5 + Math.random() / 2);
    retry = setTimeout(start, wait);
  }
  function start() {
    connect().catch((error) => {
      if (closed || error.name === 'SignedOut') return;
      onError(error);
      again();
    });
  }
  start();

  return {
    close() {
      closed = true;
      clearTimeout(retry);
      drop();
    },
  };
}
