/** A small dashboard: wallets with their balances, live (docs/browser.md). */
import { openAshlar } from './ashlar.js';

const SERVICE = 'ashlar.service';
const MAX_UPDATES = 200;
const at = (selector) => document.querySelector(selector);
const signInForm = at('#sign-in');
let client = null;

const tell = (error) => {
  at('#problem').textContent = error.message;
};

/** What a person asks for. */
function act(work) {
  at('#problem').textContent = '';
  work().catch(tell);
}
const onClick = (button, work) => button.addEventListener('click', () => act(work));
const onSubmit = (form, work) =>
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    act(() => work(Object.fromEntries(new FormData(form))));
  });

function add(parent, tag, text) {
  const made = parent.appendChild(document.createElement(tag));
  // As text: what comes from elsewhere is never markup.
  made.textContent = text;
  return made;
}

/** Addresses that were asked for, by wallet. */
const receiving = new Map();

/** Reads all wallets and shows them; once more where it is asked for meanwhile. */
const showWallets = oneAtATime(async () => {
  const wallets = [];
  for (let cursor = ''; cursor !== null; ) {
    const page = await client.get(`/api/v1/wallets?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    wallets.push(...page.data);
    cursor = page.pagination.next_cursor;
  }
  const rows = document.createDocumentFragment();
  for (const { wallet_id: id, name, balance } of wallets) {
    const row = add(rows, 'tr', '');
    for (const text of [name, balance.confirmed, balance.pending, balance.immature]) add(row, 'td', text);
    const cell = add(row, 'td', receiving.get(id) ?? '');
    if (!receiving.has(id)) onClick(add(cell, 'button', 'New address'), () => receive(id));
  }
  at('#wallets').replaceChildren(rows);
});

async function receive(id) {
  const { address } = await modifyOnce(`address of ${id}`, 'POST', `/api/v1/wallets/${id}/addresses`);
  receiving.set(id, address);
  await showWallets();
}

/** One Idempotency-Key for one intention: it stays until it is known what became of it, so that a second click repeats nothing. */
const keys = new Map();
async function modifyOnce(intention, method, path, body) {
  if (!keys.has(intention)) keys.set(intention, crypto.randomUUID());
  try {
    const answer = await client.modify(method, path, body, keys.get(intention));
    keys.delete(intention);
    return answer;
  } catch (error) {
    if (error.final) keys.delete(intention);
    throw error;
  }
}

async function showEnrolment() {
  const body = JSON.stringify(await client.enrolment());
  at('#enrolment').value = `ashlar request POST /api/v1/signing-keys '${body}'`;
}

function oneAtATime(work) {
  let running = null;
  let again = false;
  return () => {
    again = running !== null;
    running ??= (async () => {
      do {
        again = false;
        await work();
      } while (again);
    })().finally(() => {
      running = null;
    });
    return running;
  };
}

function showSession() {
  const { session } = client;
  signInForm.hidden = session !== null;
  at('main').hidden = session === null;
  if (session === null) return;
  at('#who').textContent = session.username;
  at('#enrol').hidden = session.signs;
  at('#updates').replaceChildren();
  client.listen(['transactions', 'blocks'], {
    onUpdate({ seq, type, data }) {
      const entry = document.createElement('li');
      entry.textContent = `${seq} ${type} ${JSON.stringify(data)}`;
      at('#updates').prepend(entry);
      at('#updates').children[MAX_UPDATES]?.remove();
      showWallets().catch(tell);
    },
    onStale: () => showWallets().catch(tell),
    onLive(live) {
      at('#live').textContent = live ? 'live' : 'connecting';
    },
    onError: tell,
  });
  if (!session.signs) act(showEnrolment);
}

async function open(service) {
  client = await openAshlar(service, { onSignedOut: showSession });
}

onSubmit(signInForm, async ({ service, ...login }) => {
  await open(service);
  await client.signIn(login);
  localStorage.setItem(SERVICE, service);
  signInForm.reset();
  // Else the browser may drop the key where it runs out of room.
  void navigator.storage.persist();
  showSession();
});
onSubmit(at('#new-wallet'), async ({ name }) => {
  await modifyOnce(`wallet ${name}`, 'POST', '/api/v1/wallets', { name, type: 'segwit', backup_type: 'none' });
  at('#new-wallet').reset();
  await showWallets();
});
onClick(at('#enrolment-again'), showEnrolment);
onClick(at('#sign-out'), () => client.signOut());

act(async () => {
  const service = localStorage.getItem(SERVICE) ?? signInForm.elements.service.value;
  signInForm.elements.service.defaultValue = service;
  await open(service);
  showSession();
});
